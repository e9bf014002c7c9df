"""A house whose heads an honest witness has seen, a player with a receipt, and what forgers do to its journal.

The same on an SQLite file and on PostgreSQL. Whoever can write to the database changes rows or writes the records anew;
whoever has the key signs what they wrote.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.audit.log import Outside
from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.house.proof import Prover
from taisai.journal import Journal, SqliteJournal, open_journal
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.note import COSIGNATURE, Checkpoint, Note, Signer, Verifier
from taisai.journal.log.witness import Reply, Witness, make_request
from taisai.journal.record import Batch, NewRecord, Record
from taisai.journal.signing import public_from_pem
from taisai.journal.transfer import copy
from taisai.streams.receipts import Receipt
from tests.audit.bot import Bot, deal
from tests.journal.log.test_witness import Remembered
from tests.postgres import journal_url, schema_of, server
from tests.streams.keeper import TableKeeper

SHELF = open_shelf(environment={})
EYES = Signer("witness.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32), COSIGNATURE)
STRANGER = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
ORIGIN = "casino.example/floor"
NOW_US = 1_800_000_000_000_000


class Kept:
    """A house, its key, its witness and its player."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory = Remembered()
        self.on_postgres = False
        with self.open() as journal:
            keeper = TableKeeper(journal, SHELF.book, "T1", snapshot_every=10_000)
            prover = self.prover(journal)
            for step, _ in enumerate(islice(deal(keeper, Bot(SHELF.book("rws-tai-sai-v6"), "C", 3)), 400)):
                if step % 5 == 0:
                    self.sign(prover)
                if step == 200:
                    self.first = self.sign(prover)
                    journal.backup(folder / "backup.db")
            self.head = self.sign(prover)
            self.key = str(prover.verifier())
            self.bet = next(record for record in journal.read("T1", 150) if record.kind == "bet-placed")
            self.receipt: Receipt = prover.receipt(self.bet)
        self.public = public_from_pem((folder / "floor.db.pub").read_bytes())

    def copied(self, folder: Path, *, on_postgres: bool = False) -> Kept:
        """The same house once more, to be forged."""
        shutil.copytree(self.folder, folder)
        again = object.__new__(Kept)
        again.__dict__.update(self.__dict__)
        again.folder, again.memory, again.on_postgres = folder, Remembered(), on_postgres
        again.memory.heads.update(self.memory.heads)
        if on_postgres:
            with SqliteJournal(self.path, read_only=True) as old, again.open() as new:
                copy(old, new)
        return again

    # ------------------------------------------------------------------ the journal

    @property
    def path(self) -> Path:
        """The file, where there is one."""
        return self.folder / "floor.db"

    @property
    def key_file(self) -> Path:
        """The key that signs the log."""
        return self.folder / "floor.db.key"

    def open(self, *, read_only: bool = False) -> Journal:
        """The journal."""
        if self.on_postgres:
            return open_journal(journal_url(self.folder, key=self.key_file), read_only=read_only)
        return SqliteJournal(self.path, read_only=read_only)

    def prover(self, journal: Journal) -> Prover:
        """The house's log."""
        return Prover(lambda: journal, lambda: NOW_US, ORIGIN)

    def sign(self, prover: Prover, *, witness: bool = True) -> Note:
        """Sign what is there, and have it cosigned."""
        while prover.follow():
            pass
        note = prover.sign()
        if witness:
            reply = self.asked(prover, note)
            assert reply.status == 200
            prover.cosigned(Note.read(f"{note.text}\n{reply.body}"), enough=True)
        return note

    def asked(self, prover: Prover, note: Note, memory: Remembered | None = None) -> Reply:
        """What a witness answers to a head, proofs made by the house as well as it can."""
        memory = self.memory if memory is None else memory
        key = prover.verifier()
        assert key is not None
        seen = memory.seen(ORIGIN)
        older = 0 if seen is None else Checkpoint.read(seen.text).size
        size = Checkpoint.read(note.text).size
        proof = prover.consistency(older, size) if older <= size else []
        witness = Witness(EYES, {ORIGIN: (self.trusted(key),)}, memory, lambda: NOW_US // 1_000_000)
        return witness.add_checkpoint(make_request(older, proof, note))

    def trusted(self, key: Verifier) -> Verifier:
        """The key that the witness pinned: the first one it was given."""
        return Verifier.read(self.key) if hasattr(self, "key") else key

    # ------------------------------------------------------------------ who looks

    @property
    def seen(self) -> Note:
        """What the witness remembers."""
        found = self.memory.seen(ORIGIN)
        assert found is not None
        return found

    def found(self, brought: Outside) -> set[str]:
        """The codes of what an auditor finds who has the public key, and what people brought."""
        audit = Audit(lambda name: SHELF.book(name) if name in SHELF.ids else None)
        if not self.on_postgres:
            return {finding.code for finding in audit.findings_of_file(self.path, self.public, brought)}
        with self.open(read_only=True) as journal:
            return {finding.code for finding in audit.findings(journal, self.public, brought)}

    def audit(self, *, alone: bool = False) -> set[str]:
        """What an auditor finds: with the public key alone, or with what the witness and the player hold."""
        return self.found(Outside() if alone else Outside((("the witness", self.seen),), (("receipt", self.receipt),)))

    # ------------------------------------------------------------------ forgers

    def run(self, *statements: str) -> None:
        """Change rows behind everybody's back, and leave the schema as it was."""
        if self.on_postgres:
            quiet = f"SET search_path TO {schema_of(self.folder)}; SET session_replication_role TO replica;"
            server().execute(quiet + ";".join(statements))
            return
        connection = sqlite3.connect(self.path)
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in (*statements, *(sql for _, sql in triggers)):
            connection.execute(statement)
        connection.commit()
        connection.close()

    def records(self) -> list[Record]:
        """Every record, in the order of commits."""
        with self.open(read_only=True) as journal:
            return list(journal.read_all())

    def write(
        self,
        records: Iterable[Record],
        signer: Signer | None = None,
        *,
        every: int = 10,
        salt: bytes | None = None,
        origin: str = ORIGIN,
    ) -> None:
        """Write these records in place of the journal's, chained anew; signed anew too, `every` so many records.

        Without a key the log stays as it was: heads cannot be made.
        """
        records = list(records)
        with self.open(read_only=True) as old:
            entries = dict(old.entries())
        if self.on_postgres:
            server().execute(f"DROP SCHEMA {schema_of(self.folder)} CASCADE")
        else:
            self.path.unlink()
        with self.open() as journal:
            ends: dict[str, int] = {}
            batches = []
            for one in records:
                fresh = NewRecord(one.kind, one.version, one.at, one.command_id, one.part, one.by, one.body)
                batches.append(Batch(one.table, ends.get(one.table, 0), [fresh]))
                ends[one.table] = ends.get(one.table, 0) + 1
            if batches:
                journal.append(batches)
            if signer is None:
                journal.put_all(entries)
                return
            journal.put_all({"log/origin": origin.encode(), "log/salt": salt or entries["log/salt"]})
            prover = Prover(lambda: journal, lambda: NOW_US, origin)
            more = True
            while more:
                more = prover.follow(every)
                note = prover._tree.keep_head(prover._tree.sign(signer))
                HeadFile(self.key_file).write(note)

    def private(self, origin: str = ORIGIN) -> Signer:
        """The house's key, in the wrong hands."""
        with self.open(read_only=True) as journal:
            return Signer(origin, journal.signer(make=False).private)
