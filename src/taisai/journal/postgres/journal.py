"""The journal on a PostgreSQL server.

Enters: an address, batches of new records. Leaves: records on the server's disk, in a schema of their own. Several
processes may write to one journal: their commits follow one another, and each is told to whoever listens
(`LISTEN taisai`: the last position; `follow` does it).

Beyond the contract: leases, for one writer a table over several nodes, and `append` with fencing numbers.

The private key cannot lie beside the records: its file is named in the address (`?key=/path/house.key`), or lies in the
user's folder of settings, by the journal's id. The public key lies beside it, and not in the database: who may write
there could exchange it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from taisai.journal.chain import LARGEST, genesis, snapshot_digest
from taisai.journal.contract import (
    SNAPSHOTS_KEPT,
    InvalidRecord,
    JournalDamaged,
    JournalError,
    JournalReadOnly,
    Progress,
    SigningFault,
)
from taisai.journal.keyvalue import check_name, check_thing
from taisai.journal.postgres import form
from taisai.journal.postgres import lease as leasing
from taisai.journal.postgres.address import KEY_ENDING, default_key, read_address
from taisai.journal.postgres.append import HOLD_TAIL, Appender
from taisai.journal.postgres.follow import Follower
from taisai.journal.postgres.lease import Lease
from taisai.journal.postgres.link import COMMAND_S, Link, Result, Work
from taisai.journal.postgres.text import from_text, to_rows, to_text
from taisai.journal.record import Batch, Checkpoint, Finding, Head, Record, Row, Snapshot, Standing
from taisai.journal.signing import NO_CHECKPOINT, Signer, public_beside
from taisai.journal.sqlite.migrate import Migration, shipped
from taisai.journal.transfer import write_copy

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CHUNK: Final = 1_000
"""How many records are read at once."""

_FIELDS: Final = "table_name, seq, position, kind, version, at, command_id, part, by_whom, body, prev, hash"
READ: Final = f"SELECT {_FIELDS} FROM record WHERE table_name = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4"
READ_ALL: Final = f"SELECT {_FIELDS} FROM record WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3"
NEWS: Final = (
    f"SELECT t.position, {', '.join(f'r.{name}' for name in _FIELDS.split(', '))} FROM tail t LEFT JOIN record r"
    " ON r.position > $1 AND r.position <= $2 AND r.table_name <> ALL($3::text[]) ORDER BY r.position"
)
LAST_OF_TABLE: Final = "SELECT seq FROM record WHERE table_name = $1 ORDER BY seq DESC LIMIT 1"
COMMAND: Final = f"SELECT {_FIELDS} FROM record WHERE table_name = $1 AND command_id = $2 ORDER BY seq"
NEWEST_COMMANDS: Final = (
    "SELECT seq, command_id FROM record WHERE table_name = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3"
)
SOUND_PLACES: Final = (
    "SELECT s.seq FROM snapshot s JOIN record r ON (s.table_name, s.seq) = (r.table_name, r.seq)"
    " WHERE s.table_name = $1 AND s.seq <= $2 AND s.record_hash = r.hash ORDER BY s.seq DESC"
)
SNAPSHOT: Final = "SELECT format, state, record_hash, digest FROM snapshot WHERE table_name = $1 AND seq = $2"
SAVE: Final = (
    "INSERT INTO snapshot (table_name, seq, format, state, record_hash, digest) VALUES ($1, $2, $3, $4, $5, $6)"
    " ON CONFLICT (table_name, seq) DO UPDATE SET format = excluded.format, state = excluded.state,"
    " record_hash = excluded.record_hash, digest = excluded.digest"
)
PRUNE: Final = (
    "DELETE FROM snapshot WHERE table_name = $1 AND seq NOT IN"
    " (SELECT seq FROM snapshot WHERE table_name = $1 ORDER BY seq DESC LIMIT $2)"
)
CHECKPOINTS: Final = (
    "SELECT number, prev, position, count, at, heads, key, signature, hash FROM checkpoint"
    " WHERE number > $1 AND number <= $2 ORDER BY number LIMIT 100"
)
LAST_CHECKPOINT: Final = "SELECT * FROM checkpoint ORDER BY number DESC LIMIT 1"
NAME_LAST: Final = (
    "INSERT INTO checkpoint_head VALUES (1, $1, $2)"
    " ON CONFLICT (place) DO UPDATE SET number = excluded.number, hash = excluded.hash"
)
KEEP: Final = "INSERT INTO drawer VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


class PostgresJournal:
    """A journal in one schema of a PostgreSQL database."""

    def __init__(
        self,
        url: str,
        *,
        read_only: bool = False,
        create: bool = True,
        migrations: tuple[Migration, ...] | None = None,
        again: bool = False,
        patience_s: float = COMMAND_S,
    ) -> None:
        """`again`: this program has had it open before, and goes on although a newer one has added to its form.

        `patience_s` is how long the server may be silent before a connection is given up.
        """
        self._address = read_address(url)
        self.shown = self._address.shown
        """The address without its password."""
        self._read_only = read_only
        self._create = create
        self._again = again
        self._migrations = shipped(form.PACKAGE) if migrations is None else migrations
        self._appender = Appender(self.shown)
        self._signer: Signer | None = None
        self._holder = ""
        self.connections = 0
        """How many connections for writing there have been, one after another."""
        self._link = Link(self._address, None if read_only else self._prepare, patience_s)
        try:
            if read_only:
                self._link.read(self._require_current)
            else:
                self._link.write(_nothing)
            self._id: str = str(self._fetch("SELECT journal FROM tail")[0][0])
        except IndexError:
            self._link.close()
            raise JournalDamaged(f"{self.shown} is damaged: it has lost its end") from None
        except BaseException:
            self._link.close()
            raise

    async def _prepare(self, connection: Any) -> None:
        """A new connection for writing: the first makes the journal, and none knows what others have written since."""
        self._appender.forget()
        await form.bring_up(
            connection, self._address.schema, self.shown, self._migrations, create=self._create, again=self._again
        )
        if self._holder:
            await leasing.show_life(connection, self._holder)
        self._create = False
        self._again = True
        self.connections += 1

    async def _require_current(self, connection: Any) -> None:
        await form.require_current(connection, self._address.schema, self.shown, self._migrations)

    @property
    def id(self) -> str:
        """What the journal is known by, wherever its server is."""
        return self._id

    def append(self, batches: Sequence[Batch], fences: Mapping[str, int] | None = None) -> dict[str, Head]:
        """Write all batches in one commit.

        With `fences`, the numbers of the leases of some tables: `LeaseLost` when one of them is not the present one.
        """
        return self._write(lambda connection: self._appender.append(connection, batches, fences))

    def read(self, table: str, after: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of a table."""
        name = to_text(table)
        if upto is None:
            upto = next((row[0] for row in self._fetch(LAST_OF_TABLE, name)), 0)
            if upto <= after:
                return
        while rows := to_rows(self._fetch(READ, name, after, upto, CHUNK)):
            yield from [Record(*row) for row in rows]
            after = self._further(rows[-1][1], after)
            if len(rows) < CHUNK:
                return

    def read_all(self, after_position: int = 0, upto: int | None = None) -> Iterator[Record]:
        """The records of all tables in the order of their commits."""
        if upto is None:
            upto = self.position()
        while rows := self.rows(after_position, upto, CHUNK):
            yield from [Record(*row) for row in rows]
            after_position = self._further(rows[-1][2], after_position)
            if len(rows) < CHUNK:
                return

    def rows(self, after_position: int, upto: int, count: int) -> list[Row]:
        """Some records as plain tuples."""
        return to_rows(self._fetch(READ_ALL, after_position, upto, count))

    def head(self, table: str) -> Head:
        """The end of a table's chain."""
        rows = self._fetch("SELECT seq, hash FROM head WHERE table_name = $1", to_text(table))
        return Head(*rows[0]) if rows else Head(0, genesis(table))

    def position(self) -> int:
        """The position of the last record of all."""
        return self._fetch("SELECT max(position) FROM record")[0][0] or 0

    def tables(self) -> list[str]:
        """The names of all tables that have records."""
        return sorted(from_text(row[0]) for row in self._fetch("SELECT table_name FROM head"))

    def standing(self) -> Standing:
        """Position, heads and number of checkpoints at one moment."""
        return self._link.read(_standing_alone)

    def find_command(self, table: str, command_id: str) -> list[Record]:
        """What a command brought about."""
        return [Record(*row) for row in to_rows(self._fetch(COMMAND, to_text(table), to_text(command_id)))]

    def recent_commands(self, table: str, count: int) -> list[str]:
        """The ids of the last commands, newest first."""
        found: dict[str, None] = {}
        before = LARGEST
        while len(found) < count and (rows := self._fetch(NEWEST_COMMANDS, to_text(table), before, CHUNK)):
            found.update(dict.fromkeys(from_text(row[1]) for row in rows))
            before = -self._further(-rows[-1][0], -before)
        return list(found)[:count]

    def save_snapshot(self, table: str, seq: int, format_number: int, state: bytes) -> None:
        """Keep a table's state after a record."""

        async def save(connection: Any) -> None:
            name = to_text(table)
            async with connection.transaction():
                digest = await connection.fetchval(
                    "SELECT hash FROM record WHERE table_name = $1 AND seq = $2", name, seq
                )
                if digest is None:
                    raise InvalidRecord(table, f"there is no record {seq} that a snapshot could follow")
                own = snapshot_digest(table, seq, format_number, digest, state)
                await connection.execute(SAVE, name, seq, format_number, state, digest, own)
                await connection.execute(PRUNE, name, SNAPSHOTS_KEPT)

        self._write(save)

    def latest_snapshot(self, table: str, upto: int | None = None) -> Snapshot | None:
        """The newest sound snapshot."""
        for (seq,) in self._fetch(SOUND_PLACES, to_text(table), LARGEST if upto is None else upto):
            one = self._snapshot(table, seq)
            if one and snapshot_digest(one.table, one.seq, one.format, one.record_hash, one.state) == one.digest:
                return one
        return None

    def snapshots(self) -> Iterator[Snapshot]:
        """Every snapshot that is kept."""
        places = self._fetch("SELECT table_name, seq FROM snapshot")
        for table, seq in sorted((from_text(table), seq) for table, seq in places):
            one = self._snapshot(table, seq)
            if one is not None:  # older ones are let go of in the meantime
                yield one

    def _snapshot(self, table: str, seq: int) -> Snapshot | None:
        return next((Snapshot(table, seq, *row) for row in self._fetch(SNAPSHOT, to_text(table), seq)), None)

    def sign_checkpoint(self, at: int) -> Checkpoint:
        """Sign the standing of the journal and keep the statement."""

        async def sign(connection: Any) -> Checkpoint:
            async with connection.transaction():
                await connection.fetchval(HOLD_TAIL)
                standing = await _standing(connection)
                last = await _last_checkpoint(connection)
                signer = self._signer or self._find_signer(make=last is None)
                checkpoint = signer.sign(standing, last, at)
                await _keep(connection, checkpoint)
            self._signer = signer
            return checkpoint

        return self._write(sign)

    def _find_signer(self, *, make: bool) -> Signer:
        file = self.key_file
        if make:
            try:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise SigningFault(f"the folder {file.parent} cannot be made: {error.strerror}") from error
        return Signer.beside(_stem(file), make=make)

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint that was signed elsewhere."""

        async def keep(connection: Any) -> None:
            async with connection.transaction():
                await connection.fetchval(HOLD_TAIL)
                last = await _last_checkpoint(connection)
                number, digest = (0, NO_CHECKPOINT) if last is None else (last.number, last.hash)
                if (checkpoint.number, checkpoint.prev) != (number + 1, digest):
                    raise SigningFault(f"checkpoint {checkpoint.number} does not follow checkpoint {number}")
                await _keep(connection, checkpoint)

        self._write(keep)

    def checkpoints(self, after: int = 0, upto: int | None = None) -> Iterator[Checkpoint]:
        """The checkpoints in order."""
        while rows := self._fetch(CHECKPOINTS, after, LARGEST if upto is None else upto):
            yield from [Checkpoint(*row) for row in rows]
            after = self._further(rows[-1][0], after)

    def keep(self, name: str, value: bytes | None) -> None:
        """Put a thing into the drawer, or let go of it."""
        check_thing(name, value)
        if value is None:
            self._write(lambda connection: connection.execute("DELETE FROM drawer WHERE name = $1", to_text(name)))
        else:
            self._write(lambda connection: connection.execute(KEEP, to_text(name), value))

    def kept(self, prefix: str = "") -> dict[str, bytes]:
        """What is in the drawer under names that begin alike."""
        check_name(prefix)
        rows = self._fetch("SELECT name, value FROM drawer WHERE starts_with(name, $1)", to_text(prefix))
        return dict(sorted((from_text(name), value) for name, value in rows))

    @property
    def key_file(self) -> Path:
        """Where the private key lies, or will when the first checkpoint is signed."""
        return self._address.key or default_key(self._id)

    def public_key(self) -> Ed25519PublicKey | None:
        """The public key beside the private one, if there is one."""
        return public_beside(_stem(self.key_file))

    def self_check(self) -> Iterator[Finding]:
        """What is not as the migrations made it, and ends that are not where they should be."""
        try:
            yield from self._link.read(lambda connection: form.form_findings(connection, self._address.schema))
        except JournalError as error:
            yield Finding(None, None, None, "file-damaged", str(error))

    def backup(self, path: Path | str, progress: Progress | None = None) -> None:
        """Write everything into a new journal file: the records of one moment, and the drawer as it is after them."""
        self.position()  # a closed journal says so
        write_copy(self, Path(path).resolve(), progress)

    def take_lease(self, table: str, holder: str, seconds: float) -> int | None:
        """The right to write to a table for so long: its fencing number, or None while somebody else has it.

        A holder's name belongs to one process and is not used again by the next: the number stays while the holder
        does.
        """
        return self.take_leases([table], holder, seconds).get(table)

    def take_leases(self, tables: Collection[str], holder: str, seconds: float) -> dict[str, int]:
        """The same for several tables in one commit: the numbers of those that nobody else has."""
        return self._write(lambda connection: leasing.take(connection, tables, holder, seconds))

    def live_as(self, holder: str) -> None:
        """Be seen as this holder from now on, over new connections too, until the process ends."""
        self._holder = holder
        self._write(lambda connection: leasing.show_life(connection, holder))

    def end_leases(self, holder: str, seconds: float) -> None:
        """The leases of a holder that is not seen any more are over; those that last for longer than so much stay."""
        self._write(lambda connection: leasing.end(connection, holder, seconds))

    def renew_leases(self, holder: str, seconds: float) -> set[str]:
        """Prolong all leases of a holder, from now on; the tables that it still has."""
        return self._write(lambda connection: leasing.renew(connection, holder, seconds))

    def release_lease(self, table: str, holder: str) -> None:
        """Give a lease back; nothing happens when it is somebody else's by now."""
        self._write(lambda connection: leasing.release(connection, table, holder))

    def leases(self) -> dict[str, Lease]:
        """Who has which table, by table."""
        return self._link.read(leasing.leases)

    @property
    def writes_as(self) -> int:
        """What this journal's commits are known by to those who follow; 0 before it has written."""
        return self._link.writes_as

    def follow(self, told: Callable[[int], None], besides: Callable[[], int] | None = None) -> Follower:
        """Have `told` called with the last position, now and whenever anybody has appended, until it is stopped.

        It is called in a thread of the journal and must not use the journal itself; let it wake somebody up. Commits
        that are known by the number `besides` gives are not told.
        """
        return Follower(self._link, self._address.schema, told, besides)

    def news(self, after_position: int, upto: int, besides: Collection[str]) -> tuple[list[Record], int]:
        """The records between two positions that are not of these tables, and the position up to which that is all."""
        rows = self._fetch(NEWS, after_position, upto, [to_text(table) for table in besides])
        end = min(rows[0][0], upto) if rows else after_position
        found = [Record(*row) for row in to_rows([row[1:] for row in rows if row[1] is not None])]
        return found, max(end, after_position)

    def close(self) -> None:
        """Let go of the server."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fetch(self, sql: str, *values: object) -> list[Any]:
        return self._link.read(lambda connection: connection.fetch(sql, *values))

    def _write(self, work: Work[Result]) -> Result:
        if self._read_only:
            self._link.require_open()
            raise JournalReadOnly(f"{self.shown} was opened for reading only")
        return self._link.write(work)

    def _further(self, reached: int, before: int) -> int:
        """Where to read on; where an index is damaged it may lead back, and reading would never end."""
        if reached <= before:
            raise JournalDamaged(f"{self.shown} is damaged: its records are not in order after {before}")
        return reached


def _stem(key: Path) -> Path:
    """The name that a key and its public half are found by."""
    return key.with_name(key.name.removesuffix(KEY_ENDING))


async def _nothing(_connection: Any) -> None:
    await asyncio.sleep(0)


async def _standing_alone(connection: Any) -> Standing:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        return await _standing(connection)


async def _standing(connection: Any) -> Standing:
    """The standing, read in the transaction that the connection is in."""
    position, number = await connection.fetchrow(
        "SELECT (SELECT max(position) FROM record), (SELECT max(number) FROM checkpoint)"
    )
    heads = await connection.fetch("SELECT table_name, seq, hash FROM head")
    return Standing(position or 0, {from_text(row[0]): Head(row[1], row[2]) for row in heads}, number or 0)


async def _last_checkpoint(connection: Any) -> Checkpoint | None:
    row = await connection.fetchrow(LAST_CHECKPOINT)
    return None if row is None else Checkpoint(*row)


async def _keep(connection: Any, checkpoint: Checkpoint) -> None:
    values = tuple(getattr(checkpoint, name) for name in Checkpoint.__struct_fields__)
    await connection.execute("INSERT INTO checkpoint VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", *values)
    await connection.execute(NAME_LAST, checkpoint.number, checkpoint.hash)
