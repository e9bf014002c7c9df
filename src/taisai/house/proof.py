"""The log of a journal, kept: the tree follows the records, heads are signed, proofs are given.

Enters: a journal and its key. Leaves: the tree over all its records (`journal.log`), signed heads, receipts, proofs
that one head extends another; `LogBehind` instead of a signature when the journal does not extend what is known: the
newest head in the database, the one in the file beside the key, and those that witnesses have shown. Several nodes may
keep the log of one journal: each step is one commit on the condition that nobody else was quicker.

    log/salt      what hides the parts of records from whoever holds a receipt of another part
    log/origin    the log's name
    log/key       the key that signs it, since it was changed
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from secrets import token_bytes
from threading import RLock
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.house.log import Clock, append_house
from taisai.journal.chain import LARGEST
from taisai.journal.contract import Journal, JournalDamaged, SigningError
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.merkle import EMPTY_ROOT
from taisai.journal.log.note import Checkpoint, Note, Signer, Verifier
from taisai.journal.log.tree import COSIGNED, LogBehind, Tree
from taisai.journal.record import Record
from taisai.journal.signing import flaw_of, heads_in, raw
from taisai.streams.house_events import HOUSE_ACTOR, HouseEvent, HouseEventBody, LogBegan
from taisai.streams.leaves import hashes_of, leaf_of
from taisai.streams.receipts import Receipt, receipt_for

SALT: Final = "log/salt"
ORIGIN: Final = "log/origin"
KEY: Final = "log/key"
AT_ONCE: Final = 2_000
"""Records that join the tree in one commit: some ten milliseconds of work."""
_NOBODY: Final = Signer("nothing-is-signed-yet", Ed25519PrivateKey.from_private_bytes(bytes(32)))
_EMPTY: Final = str(Checkpoint(_NOBODY.verifier.name, 0, EMPTY_ROOT))
NOTHING_YET: Final = Note(_EMPTY, (_NOBODY.sign(_EMPTY),))
"""What the file beside a new key holds until the first head is signed. Anybody could make it, and it says nothing."""


class Prover:
    """Keeps the log of one journal. It is opened with its first use; every method may be called from any thread."""

    def __init__(self, journal: Callable[[], Journal], now: Clock, origin: str = "") -> None:
        self._journal, self._now, self._wanted = journal, now, origin
        self._lock = RLock()
        self._opened: Journal | None = None
        self._tree: Tree
        self._salt = b""
        self._signer: Signer | None = None
        self._file: HeadFile | None = None
        self.seen: dict[str, Checkpoint] = {}
        """The newest head that each witness has shown, signed by this house."""

    def _open(self) -> Journal:
        """The journal, which may be another object than before: a failed one is opened again."""
        journal = self._journal()
        if journal is not self._opened:
            self._opened = None
            self._salt = salt_of(journal)
            self._tree = Tree(journal)
            self._signer = None
            self._file = None if journal.key_file is None else HeadFile(journal.key_file)
            self._opened = journal
        return journal

    # ------------------------------------------------------------------ the tree

    def follow(self, most: int = AT_ONCE) -> bool:
        """Add records that are not in the tree yet, `most` of them; whether there may be more."""
        with self._lock:
            journal, tree = self._open(), self._tree
            rows = journal.rows(tree.size, LARGEST, most)
            if rows and rows[0][2] != tree.size + 1:
                raise JournalDamaged(f"the record at position {tree.size + 1} is missing: the log cannot go on")
            return not tree.extend(hashes_of(rows, self._salt)) or len(rows) == most

    def size(self) -> int:
        """How many records the tree holds."""
        with self._lock:
            self._open()
            self._tree.reload()
            return self._tree.size

    # ------------------------------------------------------------------ heads

    def sign(self) -> Note:
        """Sign the tree as it is, in the database and in the file beside the key."""
        with self._lock:
            journal = self._open()
            self._tree.reload()
            before = None if self._file is None else self._file.read()
            if self._signer is None:
                self._signer = self._find_signer(journal, before)
            known = [Checkpoint.read(before.text)] if before is not None else []
            for each in (*known, *self.seen.values()):
                if each.size and each.origin != self._signer.verifier.name:
                    raise LogBehind(
                        f"a head of the log {each.origin} is known, and this is {self._signer.verifier.name}"
                    )
            while True:
                note = self._tree.sign(self._signer, [*known, *self.seen.values()])
                if self._tree.keep_next(note):
                    break
                self._tree.reload()  # another node was quicker
            if self._file is not None and (before is None or before.text != note.text):
                self._file.write(Note(note.text, note.signatures[:1]))
            return note

    def _find_signer(self, journal: Journal, before: Note | None) -> Signer:
        """The key, under the log's name; on the first use both are made, and a record says so."""
        newest = self._tree.head()
        is_old = newest is None and journal.get(KEY) is None
        last = is_old and self._last_checkpoint(journal)
        is_signed = bool((before and Checkpoint.read(before.text).size) or newest or last)
        if self._file is not None and journal.public_key() is not None and before is None and not is_signed:
            raise LogBehind(
                f"there is a key ({journal.key_file}), so this journal has been signed, and no signature is left:"
                " find out why, then `taisai key --change restart` lets the log go on under another name"
            )
        if before is None and self._file is not None and not is_signed:
            self._file.write(NOTHING_YET)  # before the key: a key without this file means that signed heads are lost
        key = journal.signer(make=not is_signed)
        origin = (journal.get(ORIGIN) or b"").decode()
        if not origin:
            if newest is not None or (before is not None and Checkpoint.read(before.text).size):
                raise LogBehind("the journal has lost the name of its log, under which heads were signed")
            origin = self._begin(journal, raw(key.public))
        signer, wanted = Signer(origin, key.private), journal.get(KEY)
        if wanted is not None and wanted.decode() != str(signer.verifier):
            raise SigningError(f"{journal.key_file} is not the key of this log, which is {wanted.decode()}")
        return signer

    def _begin(self, journal: Journal, public: bytes) -> str:
        """Name the log; a record in the house's stream says that it has one."""
        origin = self._wanted or f"taisai/{sha256(public).hexdigest()[:16]}"
        if not journal.put_all({ORIGIN: origin.encode()}, {ORIGIN: None}):
            return (journal.get(ORIGIN) or b"").decode()
        self._record(journal, LogBegan(origin, str(Verifier(origin, public))))
        while self.follow():
            pass
        return origin

    def _record(self, journal: Journal, what: HouseEventBody) -> None:
        append_house(journal, [HouseEvent(self._now(), HOUSE_ACTOR, what)])

    def _last_checkpoint(self, journal: Journal) -> bool:
        """Whether a version before 0.2 has signed the journal; what it signed last must still hold."""
        number = journal.standing().checkpoint
        if not number:
            return False
        last = next(journal.checkpoints(number - 1), None)
        flaw = "it is missing" if last is None else flaw_of(last, journal.public_key())
        if last is not None and flaw is None:
            for table, head in heads_in(last).items():
                if [record.hash for record in journal.read(table, head.seq - 1, head.seq)] != [head.hash]:
                    flaw = f"table {table!r} is not what it was up to record {head.seq}"
        if flaw is not None:
            raise LogBehind(f"checkpoint {number}, the last that an earlier version signed, does not hold: {flaw}")
        return True

    def verifier(self) -> Verifier | None:
        """The key that signs the log, once it has signed."""
        return None if self._signer is None else self._signer.verifier

    def known_verifier(self) -> Verifier | None:
        """The key that signed the log before, as far as the journal and the file beside it say."""
        with self._lock:
            journal = self._open()
            origin, public = journal.get(ORIGIN), journal.public_key()
            return Verifier(origin.decode(), raw(public)) if origin and public is not None else None

    def head(self, *, cosigned: bool = False) -> Note | None:
        """The newest signed head; or the newest that enough witnesses have cosigned."""
        with self._lock:
            self._open()
            return self._tree.head(COSIGNED) if cosigned else self._tree.head()

    def head_of(self, size: int) -> Note | None:
        """The head that was signed at a size, if one was."""
        with self._lock:
            self._open()
            return self._tree.head_of(size)

    def cosigned(self, note: Note, *, enough: bool) -> Note:
        """Keep the cosignatures of a head, and whether they are as many as the house demands."""
        with self._lock:
            self._open()
            return self._tree.keep_head(note, cosigned=enough)

    def check_extends(self, known: Checkpoint) -> None:
        """That the journal extends a head; `LogBehind` when it does not."""
        with self._lock:
            self._open()
            self._tree.reload()
            self._tree.check_extends(known)

    # ------------------------------------------------------------------ proofs

    def consistency(self, older: int, newer: int) -> list[bytes]:
        """The proof that the tree of one size extends that of another."""
        with self._lock:
            self._open()
            self._tree.reload()
            if not 0 <= older <= newer <= self._tree.size:
                raise IndexError(f"the log has {self._tree.size} records")
            return self._tree.consistency(older, newer)

    def receipt(self, record: Record, part: int = 0) -> Receipt:
        """The receipt of a record, or of one part of it, under the newest head: a cosigned one if it reaches so far."""
        with self._lock:
            self._open()
            self._tree.reload()
            attested, newest = self._tree.head(COSIGNED), self._tree.head()
            if attested is not None and Checkpoint.read(attested.text).size >= record.position:
                return receipt_for(record, self._salt, self._tree, attested, part)
            if newest is None:
                raise SigningError("no head of the log has been signed yet")
            return receipt_for(record, self._salt, self._tree, newest, part)

    def part_of(self, record: Record, owner: str) -> int | None:
        """The number of a player's part of a record; None when the record has none for them alone."""
        with self._lock:
            self._open()
            parts = leaf_of(record, self._salt).parts
        return next((number for number, part in enumerate(parts) if number and part.owner == owner), None)


def salt_of(journal: Journal) -> bytes:
    """The journal's salt, made with its first use."""
    while (salt := journal.get(SALT)) is None:
        journal.put_all({SALT: token_bytes(32)}, {SALT: None})
    return salt
