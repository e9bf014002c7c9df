"""The audit of the log: every record is in the tree that was signed, and nothing that was signed is gone.

Enters: the records of a journal in commit order; its tree, heads and key; what people bring from outside: heads,
receipts, what a witness remembers. Leaves: findings. Everything is made again from the records alone (the leaves, the
roots at every head), so a tile or a head in the database is believed only when it agrees.

Codes: `log-missing`, `log-head-altered`, `log-head-missing`, `log-head-overdue`, `log-rewritten`, `log-cut`,
`log-tiles-altered`, `log-key-unknown`, `log-unreadable`, `head-not-ours`, `receipt-does-not-hold`,
`receipt-not-in-journal`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from taisai.audit.findings import AuditFinding
from taisai.journal.contract import Journal, JournalError, SigningError
from taisai.journal.log.keys import vouched_by
from taisai.journal.log.merkle import TILE_WIDTH, BadProof, Frontier
from taisai.journal.log.note import BadNote, Checkpoint, Note, Verifier
from taisai.journal.log.tree import NEWEST, LogBehind, Tree, number_of
from taisai.journal.record import Record, Row
from taisai.journal.signing import raw
from taisai.streams.house_events import (
    HOUSE_KINDS,
    HOUSE_STREAM,
    KeyChanged,
    LogBegan,
    LogRestarted,
    house_event_of,
)
from taisai.streams.leaves import hashes_of, leaf_of
from taisai.streams.receipts import Receipt, proven_by

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SALT: Final = "log/salt"
PAUSE_US: Final = 5_000_000
OVERDUE_US: Final = 60_000_000
"""Records that no head covered while this long passed, pauses above five seconds (a house that stood) not counted."""
_OF_KEYS: Final = frozenset({HOUSE_KINDS[LogBegan], HOUSE_KINDS[KeyChanged], HOUSE_KINDS[LogRestarted]})
_NO_LEAF: Final = (TypeError, ValueError, KeyError, AttributeError, UnicodeEncodeError)
"""What a record that is no record of a table may bring about on the way to its leaf."""


class Outside(NamedTuple):
    """What people bring to an audit: each with the words that a finding names it by."""

    heads: tuple[tuple[str, Note], ...] = ()
    receipts: tuple[tuple[str, Receipt], ...] = ()


class _Mark(NamedTuple):
    """A root that the records must lead to."""

    size: int
    root: bytes
    name: str
    note: Note | None
    """The signed head; None for the tiles."""
    is_kept: bool
    """Whether the journal itself has it."""


class LogProven(Struct, frozen=True):
    """How far a log was checked, and what must be known to go on from there."""

    size: int
    peaks: tuple[str, ...]
    keys: tuple[str, ...]
    trusted: tuple[str, ...]
    origin: str
    number: int
    kept: int
    covered: int
    last_at: int | None
    waited_us: int
    late: bool
    last_head: str
    without: int


class LogCheck:
    """Goes along with the records of a journal, from the first or from where an earlier check has come."""

    def __init__(
        self,
        journal: Journal,
        public_key: Ed25519PublicKey | None = None,
        outside: Outside | None = None,
        since: LogProven | None = None,
    ) -> None:
        self._journal = journal
        self._found: list[AuditFinding] = []
        self._tree: Tree | None = None
        self._salt = b""
        self._frontier = Frontier()
        self._keys: list[Verifier] = []
        """The keys of the log so far, oldest first: the last one signs."""
        self._trusted: set[bytes] = set()
        self._anchor: bytes | None = None
        self._kept = self._number = 0
        self._origin = ""
        self._covered = 0
        self._last_at: int | None = None
        self._waited_us = 0
        """How long records have gone without a head."""
        self._late = False
        self._last_head: Note | None = None
        self._wanted: dict[int, list[tuple[str, bytes]]] = {}
        self._marks: Iterator[_Mark] = iter(())
        self._next: _Mark | None = None
        try:
            public = public_key or journal.public_key()
        except SigningError:
            public = None
        self._has_key = public_key is not None or (public is not None and journal.key_file is not None)
        self._is_signed = False
        self._without = 0
        self._claims = False
        if public is not None:
            self._anchor = raw(public)
            self._trusted = {self._anchor}
        if since is not None:
            self._resume(since)
        self._since = self._frontier.size
        self._tiles_wrong = False
        self._brought: list[tuple[str, Note]] = []
        """Heads from outside whose records are here."""
        try:
            self._salt = journal.get(SALT) or b""
            self._tree = Tree(journal)
            self._is_signed = bool(journal.standing().checkpoint)
            self._claims = journal.get(NEWEST) is not None
            tiles = [_Mark(self._tree.size, self._tree.root(), "the tiles of the log", None, is_kept=True)]
            self._frontier.rows = {}
        except (JournalError, BadNote, ValueError) as error:
            self._say("log-unreadable", f"the log cannot be read: {error}")
            return
        given = sorted([*tiles, *self._given(outside or Outside())], key=lambda mark: mark.size)
        self._marks = heapq.merge(given, self._heads(), key=lambda mark: mark.size)
        self._advance()

    def _resume(self, since: LogProven) -> None:
        self._frontier = Frontier.of(since.size, [bytes.fromhex(each) for each in since.peaks])
        self._keys = [Verifier.read(each) for each in since.keys]
        trusted = {bytes.fromhex(each) for each in since.trusted}
        if self._anchor is None or self._anchor in trusted:
            self._trusted = trusted
        self._origin, self._number, self._kept, self._covered = since.origin, since.number, since.kept, since.covered
        self._last_at, self._waited_us, self._late = since.last_at, since.waited_us, since.late
        self._last_head = Note.read(since.last_head) if since.last_head else None
        self._without = since.without

    def proven(self) -> LogProven:
        """Where a later check may go on."""
        return LogProven(
            size=self._frontier.size,
            peaks=tuple(each.hex() for each in self._frontier.peaks),
            keys=tuple(map(str, self._keys)),
            trusted=tuple(sorted(each.hex() for each in self._trusted)),
            origin=self._origin,
            number=self._number,
            kept=self._kept,
            covered=self._covered,
            last_at=self._last_at,
            waited_us=self._waited_us,
            late=self._late,
            last_head="" if self._last_head is None else str(self._last_head),
            without=self._without,
        )

    # ------------------------------------------------------------------ what must hold

    def _heads(self) -> Iterator[_Mark]:
        assert self._tree is not None
        try:
            # A head may be signed after the records that it covers were passed: those come with the next check.
            for note in self._tree.heads(self._covered):
                head = Checkpoint.read(note.text)
                yield _Mark(head.size, head.root, f"the head of {head.size} records", note, is_kept=True)
        except (JournalError, BadNote, UnicodeDecodeError) as error:
            self._say("log-unreadable", f"the heads of the log cannot be read: {error}")

    def _given(self, outside: Outside) -> Iterable[_Mark]:
        for name, note in outside.heads:
            head = Checkpoint.read(note.text)
            mark = _Mark(head.size, head.root, name, note, is_kept=False)
            if head.size >= self._since:
                yield mark
            elif self._is_ours(mark):
                self._compare_older(name, head)
                self._brought.append((name, note))
        for name, receipt in outside.receipts:
            try:
                shown = proven_by(receipt)
            except (BadProof, BadNote) as error:
                self._say("receipt-does-not-hold", f"{name}: {error}")
                continue
            if shown.position > self._since:
                self._wanted.setdefault(shown.position, []).append((name, shown.leaf))
            else:
                rows = self._journal.rows(shown.position - 1, shown.position, 1)
                if not rows or leaf_of(Record(*rows[0]), self._salt).hash != shown.leaf:
                    sentence = f"{name} proves another record at position {shown.position} than the journal has"
                    self._say("log-rewritten", sentence)
            mark = _Mark(shown.head.size, shown.head.root, f"the head in {name}", shown.note, is_kept=False)
            if mark.size >= self._since:
                yield mark
            elif self._is_ours(mark):
                self._compare_older(mark.name, shown.head)
                self._brought.append((mark.name, shown.note))

    def _compare_older(self, name: str, head: Checkpoint) -> None:
        """A head of before the earlier check, against the tiles, whose end is looked at below."""
        assert self._tree is not None
        try:
            self._tree.check_extends(head)
        except LogBehind as error:
            self._say("log-rewritten", f"{name} was signed over other records than this journal has: {error}")

    def _advance(self) -> None:
        """Check every mark that is reached, and keep the next one."""
        while (mark := next(self._marks, None)) is not None:
            if mark.size > self._frontier.size:
                self._next = mark
                return
            self._check(mark)
        self._next = None

    # ------------------------------------------------------------------ the records

    def see(self, rows: Sequence[Row]) -> None:
        """Some records, in commit order."""
        if not self._salt and self._next is None and not self._wanted:
            self._see_without(rows)
            return
        frontier, wanted = self._frontier, self._wanted
        try:
            leaves = hashes_of(rows, self._salt)
        except _NO_LEAF:
            leaves = [self._leaf(Record(*row)) for row in rows]
        for row, leaf in zip(rows, leaves, strict=True):
            frontier.append(leaf)
            if row[0] == HOUSE_STREAM and row[3] in _OF_KEYS:
                self._learn(Record(*row))
            self._time(row[5])
            if row[2] in wanted:
                for name, expected in wanted.pop(row[2]):
                    if expected != leaf:
                        sentence = f"{name} proves another record at position {row[2]} than the journal has"
                        self._say("log-rewritten", sentence, Record(*row))
            if self._next is not None and frontier.size == self._next.size:
                self._check(self._next)
                self._advance()
        self._compare_tiles()

    def _compare_tiles(self) -> None:
        """What the tiles have of the leaves that were just seen: proofs are made from every one of them."""
        rows, tree = self._frontier.rows, self._tree
        if not rows or tree is None:
            return
        for level, row in rows.items():
            wide = TILE_WIDTH**level
            start = self._frontier.size // wide - len(row)
            count = min(tree.size // wide - start, len(row))
            try:
                is_right = count <= 0 or list(tree.hashes(level, start, count)) == row[:count]
            except JournalError:
                is_right = False
            if not is_right and not self._tiles_wrong:
                self._tiles_wrong = True  # one finding says that no proof of this log can be relied upon
                first, last = start * wide + 1, (start + count) * wide
                sentence = f"a tile of level {level} is not that of the records from {first} to {last}"
                self._say("log-tiles-altered", sentence)
        rows.clear()

    def _leaf(self, record: Record) -> bytes:
        """The leaf of a record, one by one where something is wrong."""
        try:
            return leaf_of(record, self._salt).hash
        except _NO_LEAF as error:
            self._say("log-unreadable", f"the record at position {record.position} has no leaf: {error}")
            return bytes(32)

    def _see_without(self, rows: Sequence[Row]) -> None:
        """Records of a journal that has no log, unless one of them says that it had."""
        self._without += len(rows)
        for row in rows:
            if row[0] == HOUSE_STREAM and row[3] in _OF_KEYS:
                self._learn(Record(*row))

    def _learn(self, record: Record) -> None:
        """A record that names the key which signs from here on."""
        try:
            what = house_event_of(record).what
            match what:
                case LogBegan(key=key) | LogRestarted(key=key):
                    if not self._keys:
                        self._waited_us = 0  # what was written before there was a log waited for no head of it
                    self._keys.append(Verifier.read(key))
                case KeyChanged(before=before, after=after, word=word):
                    old, new = Verifier.read(before), Verifier.read(after)
                    self._keys.append(new)
                    if word and old.key in self._trusted and vouched_by(Note.read(word), old) == new:
                        self._trusted.add(new.key)
                case _:
                    pass
        except (JournalError, BadNote) as error:
            self._say("log-key-unknown", f"a key of the log cannot be read: {error}", record)

    def _time(self, at: int) -> None:
        if self._last_at is not None and self._frontier.size > self._covered + 1:
            # Nodes whose clocks are apart write in turn: what one is ahead is taken off again with the other's record.
            step = min(max(at - self._last_at, -PAUSE_US), PAUSE_US)
            self._waited_us = max(self._waited_us + step, 0)
        self._last_at = at
        if self._waited_us > OVERDUE_US and self._keys and not self._late:
            self._late = True  # once for each stretch
            sentence = f"no head was signed for the records after {self._covered} for more than a minute"
            self._say("log-head-overdue", sentence)

    def _check(self, mark: _Mark) -> None:
        if mark.note is not None and not self._is_ours(mark):
            return
        if mark.size < self._frontier.size:  # signed after an earlier check had passed its records
            if mark.note is not None and mark.is_kept and self._since:
                head = Checkpoint.read(mark.note.text)
                self._compare_older(mark.name, head)
                self._count(head)
                self._covered, self._last_head = mark.size, mark.note
            return
        if self._frontier.root() != mark.root:
            if mark.note is None:
                sentence = f"the tiles of the log are not those of its first {mark.size} records"
                self._say("log-tiles-altered", sentence)
            else:
                sentence = f"{mark.name} was signed over other records than the first {mark.size} of this journal"
                self._say("log-rewritten", sentence)
        if mark.note is not None and mark.is_kept:
            self._count(Checkpoint.read(mark.note.text))
            self._covered, self._waited_us, self._late = mark.size, 0, False
            self._last_head = mark.note
        elif mark.note is not None:
            self._brought.append((mark.name, mark.note))

    def _look_up(self, name: str, note: Note) -> None:
        """A head that somebody has of this log, if it goes by the same name still: the journal had it before them."""
        assert self._tree is not None
        head = Checkpoint.read(note.text)
        if not self._keys or head.origin != self._keys[-1].name:
            return
        try:
            kept = self._tree.head_of(head.size)
        except (JournalError, BadNote, UnicodeDecodeError):
            return  # found with the other heads
        if kept is None:
            sentence = f"{name} is head {number_of(head)} of this log, and the journal does not have it"
            self._say("log-head-missing", sentence)
        elif kept.text != note.text:
            sentence = f"{name} is not the head that the journal has of {head.size} records: one was signed again"
            self._say("log-head-altered", sentence)

    def _look_at_newest(self) -> None:
        """What the journal gives out as its newest head is the last one of those that it keeps."""
        if self._tree is None or self._last_head is None:
            return
        try:
            newest = self._tree.head()
            size = 0 if newest is None else Checkpoint.read(newest.text).size
        except (JournalError, BadNote, UnicodeDecodeError) as error:
            self._say("log-unreadable", f"the newest head of the log cannot be read: {error}")
            return
        last = Checkpoint.read(self._last_head.text)
        if newest is None or size < last.size:
            sentence = f"the journal names a head of {size} records as its newest, and keeps one of {last.size}"
            self._say("log-head-altered", sentence)
        elif size == last.size and newest.text != self._last_head.text:
            self._say("log-head-altered", f"the newest head and the kept one of {size} records are not the same")
        elif size == last.size:
            self._is_ours(_Mark(size, last.root, "the newest head", newest, is_kept=True))

    def _count(self, head: Checkpoint) -> None:
        """Heads are numbered, and the number is signed: a gap is a head that was taken away."""
        number, before = number_of(head), (self._origin == head.origin) * self._number
        if number > before + 1:
            gone = f"{before + 1}" if number == before + 2 else f"{before + 1} to {number - 1}"
            self._say("log-head-missing", f"signed heads are missing before that of {head.size} records: number {gone}")
        self._origin, self._number, self._kept = head.origin, number, self._kept + 1

    def _is_ours(self, mark: _Mark) -> bool:
        """Whether a head is signed by a key of this log: by the one in force, if the journal keeps it."""
        assert mark.note is not None
        allowed = self._keys[-1:] if mark.is_kept else self._keys
        if not mark.is_kept and self._anchor is not None:
            allowed = [*allowed, Verifier(Checkpoint.read(mark.note.text).origin, self._anchor)]
        try:
            if mark.note.signed_by(*allowed):
                return True
            why = "it is not signed by a key of this log"
        except BadNote as error:
            why = str(error)
        self._say("log-head-altered" if mark.is_kept else "head-not-ours", f"{mark.name}: {why}")
        return False

    # ------------------------------------------------------------------ the end

    def ended(self) -> list[AuditFinding]:
        """What is left to say when all records were seen."""
        end = self._end()
        while self._next is not None:
            mark = self._next
            if mark.size <= end and mark.is_kept:
                break  # a live journal has grown meanwhile: the next check reads on
            if mark.note is None or self._is_ours(mark):
                what = f"{mark.name} covers {mark.size} records, and the journal has {self._frontier.size}"
                self._say("log-cut", f"{what}: its end is missing")
            self._next = next(self._marks, None)
        for position, names in sorted(self._wanted.items()):
            for name, _ in names:
                sentence = f"{name} proves a record at position {position}, which the journal does not have"
                self._say("receipt-not-in-journal", sentence)
        if (self._keys or self._claims) and not self._kept:
            self._say("log-missing", "the journal has a log, and none of its signed heads is there")
        elif (
            self._anchor is not None
            and not self._kept
            and not self._is_signed
            and (self._frontier.size or self._without)
        ):
            self._say("log-missing", "there is a key that signed this journal, and nothing signed is left in it")
        for name, note in self._brought:
            self._look_up(name, note)
        self._look_at_newest()
        if self._last_head is not None:
            signer = self._keys[-1].key
            if self._anchor is None:
                self._say("log-key-unknown", "the heads of the log cannot be trusted: there is no public key")
            elif signer not in self._trusted:
                self._say(
                    "log-key-unknown", "the newest head is signed with a key that the given one does not vouch for"
                )
        found, self._found = self._found, []
        return found

    def _end(self) -> int:
        """The last position of the journal now."""
        try:
            return self._journal.position()
        except JournalError:
            return self._frontier.size

    def _say(self, code: str, sentence: str, record: Record | None = None) -> None:
        table, seq = (None, None) if record is None else (record.table, record.seq)
        self._found.append(AuditFinding(code, sentence, table, None, seq))
