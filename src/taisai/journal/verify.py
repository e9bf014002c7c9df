"""Verification: the proof that a journal is what was written.

Enters: a journal, and the public key that its checkpoints are checked against (the one beside it unless another is
given). Leaves: a `Finding`, with its place, for everything that differs from what was written. No finding means no
tampering, within this limit:

**What an attacker can do with the file but without the private key.** Every record carries the hash of the previous
one, but anybody can compute hashes: whoever can write to the file can remove, replace or add whatever came *after a
signed checkpoint* and rewrite the hashes from there on. What a checkpoint has signed cannot be changed undetected; but
the newest checkpoints can be cut off together with the records after the last one left, so that the journal looks like
its own earlier self. Against that, keep the last checkpoint (its number and hash) somewhere else and give it as
`witness`. Whoever has the private key can write any history; keep the key, or at least the public key that you check
with, elsewhere. Only a digest vouches for a snapshot's state: replaying (`taisai audit`) shows that its history leads
to it.

Codes: `record-altered`, `record-missing`, `record-misplaced`, `record-unreadable`, `chain-broken`, `tail-missing`,
`table-missing`, `head-altered`, `head-missing`, `head-unreadable`, `snapshot-altered`, `snapshot-orphaned`,
`snapshot-unreadable`, `checkpoint-altered`, `checkpoint-missing`, `checkpoint-unreadable`, `history-rewritten`,
`key-missing`, `schema-altered`, `file-damaged`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from taisai.journal.chain import FORMAT, LARGEST, genesis, record_hash, snapshot_digest
from taisai.journal.contract import Journal, JournalError, JournalUnreachable, Progress, SigningError
from taisai.journal.log.tree import NEWEST
from taisai.journal.record import Checkpoint, Finding, Head, Row, Snapshot, Standing
from taisai.journal.signing import NO_CHECKPOINT, flaw_of, heads_in, raw
from taisai.journal.sqlite.journal import SqliteJournal

CHUNK: Final = 1_000
MOST_UNREADABLE: Final = 100
"""After this many unreadable records, the rest is not tried."""


class Proven(NamedTuple):
    """How far a journal has been verified: where a later verification may go on."""

    position: int
    heads: Mapping[str, Head]
    """The head of every table's chain there."""
    checkpoint: int
    """The number of the last checkpoint that was looked at, and its hash."""
    checkpoint_hash: bytes


NOTHING_PROVEN: Final = Proven(0, {}, 0, NO_CHECKPOINT)


def verify(
    journal: Journal,
    public_key: Ed25519PublicKey | None = None,
    progress: Progress | None = None,
    *,
    witness: Checkpoint | None = None,
    each: Callable[[list[Row]], None] | None = None,
    since: Proven = NOTHING_PROVEN,
    ended: Callable[[Proven], None] | None = None,
) -> Iterator[Finding]:
    """Check everything that the journal contains now, in one pass.

    `each` is given all readable records, intact or not, in commit order and in chunks, as rows: a caller that replays
    them need not read them again. With `since`, what was verified before is not read again, but for its heads; nor is
    the store's own check of its file made. `ended` is told how far the verification came.
    """
    found = _content_findings(journal, public_key, progress, witness=witness, each=each, since=since, ended=ended)
    if since.position:
        yield from found
        return
    with ThreadPoolExecutor(1, thread_name_prefix="self-check") as pool:
        # SQLite checks its file in C, on another core than the hashing here.
        own = pool.submit(list, journal.self_check())
        yield from found
        yield from own.result()


def verify_file(
    path: Path | str,
    public_key: Ed25519PublicKey | None = None,
    progress: Progress | None = None,
    *,
    witness: Checkpoint | None = None,
    each: Callable[[list[Row]], None] | None = None,
    since: Proven = NOTHING_PROVEN,
    ended: Callable[[Proven], None] | None = None,
) -> Iterator[Finding]:
    """`verify` a journal's file, read-only; a file that cannot be opened is a finding as well."""
    if not Path(path).is_file():
        raise JournalUnreachable(f"there is no journal at {path}")
    try:
        journal = SqliteJournal(path, read_only=True)
    except JournalError as error:
        yield Finding(None, None, None, "file-damaged", str(error))
        return
    with journal:
        yield from verify(journal, public_key, progress, witness=witness, each=each, since=since, ended=ended)


def _content_findings(
    journal: Journal,
    public_key: Ed25519PublicKey | None,
    progress: Progress | None,
    *,
    witness: Checkpoint | None,
    each: Callable[[list[Row]], None] | None,
    since: Proven,
    ended: Callable[[Proven], None] | None,
) -> Iterator[Finding]:
    standing: Standing | None = None
    try:
        standing = journal.standing()
    except JournalError as error:
        yield Finding(None, None, None, "head-unreadable", f"the heads of the tables cannot be read: {error}")
    try:
        end = journal.position() if standing is None else standing.position
        early = journal.rows(-LARGEST, 0, MOST_UNREADABLE) if not since.position else []
    except JournalError as error:
        yield Finding(None, None, None, "record-unreadable", f"the records cannot be read: {error}")
        return
    for row in early:
        yield _at(row, "record-misplaced", "is before the first position")
    walk = _Walk(journal, end, progress, each, since)
    yield from _since_findings(journal, since)
    checkpoint = yield from _checkpoint_findings(journal, walk, standing, public_key, witness=witness, since=since)
    yield from walk.findings(end)
    if ended is not None and not walk.gave_up:
        ended(Proven(walk.position, walk.heads, *checkpoint))
    if standing is not None and not walk.gave_up:
        yield from _head_findings(walk.heads, standing.heads)
    yield from _snapshot_findings(journal)


def _since_findings(journal: Journal, since: Proven) -> Iterator[Finding]:
    """What was verified before must still end as it did."""
    for table, head in since.heads.items():
        try:
            found = [record.hash for record in journal.read(table, head.seq - 1, head.seq)]
        except JournalError as error:
            yield Finding(table, head.seq, None, "record-unreadable", f"record {head.seq} of table {table!r}: {error}")
            continue
        if found != [head.hash]:
            sentence = f"table {table!r} is not what it was up to record {head.seq} when it was verified before"
            yield Finding(table, head.seq, since.position, "history-rewritten", sentence)


class _Walk:
    """A walk through all records in commit order, which can pause at a checkpoint to compare heads."""

    def __init__(
        self,
        journal: Journal,
        end: int,
        progress: Progress | None,
        each: Callable[[list[Row]], None] | None,
        since: Proven,
    ) -> None:
        self.position = since.position
        """The last position that was read."""
        self._heads: dict[str, tuple[int, bytes]] = {table: (*head,) for table, head in since.heads.items()}
        self._last = since.position
        """The position of the previous record, which may be higher than the next one's in a damaged file."""
        self._journal = journal
        self._end = end
        self._progress = progress
        self._each = each
        self._unreadable = 0

    @property
    def heads(self) -> dict[str, Head]:
        """The head of every table's chain at this point of the walk."""
        return {table: Head(*head) for table, head in self._heads.items()}

    @property
    def gave_up(self) -> bool:
        """Whether too many records could not be read."""
        return self._unreadable >= MOST_UNREADABLE

    def findings(self, upto: int) -> Iterator[Finding]:
        """Continue as far as `upto`."""
        while self.position < upto and not self.gave_up:
            try:
                rows = self._journal.rows(self.position, upto, CHUNK)
            except JournalError:
                yield from self._one_by_one(min(self.position + CHUNK, upto))
            else:
                if not rows:
                    return
                before = self.position
                yield from self._check(rows)
                if self.position == before:
                    yield _at(rows[-1], "file-damaged", "leads back to earlier ones: nothing after it was read")
                    return
            if self._progress is not None:
                self._progress(self.position, self._end)

    def _one_by_one(self, upto: int) -> Iterator[Finding]:
        """Continue record by record, where a chunk cannot be read."""
        for position in range(self.position + 1, upto + 1):
            try:
                rows = self._journal.rows(position - 1, position, 1)
            except JournalError as error:
                yield from self._gap(position)
                yield Finding(None, None, position, "record-unreadable", f"record at position {position}: {error}")
                self._last = position
                self._unreadable += 1
                if self.gave_up:
                    yield Finding(
                        None, None, position, "file-damaged", f"too much is damaged: nothing after {position} was read"
                    )
                    return
            else:
                yield from self._check(rows)
        self.position = max(self.position, upto)

    def _gap(self, position: int) -> Iterator[Finding]:
        first, last = self._last + 1, position - 1
        if first < last:
            sentence = f"the records at positions {first} to {last} are missing"
            yield Finding(None, None, first, "record-missing", sentence)
        elif first == last:
            yield Finding(None, None, first, "record-missing", f"the record at position {first} is missing")

    def _check(self, rows: list[Row]) -> Iterator[Finding]:
        heads, before = self._heads, self._last
        for row in rows:
            table, seq, position, kind, version, at, command_id, part, by, body, prev, digest = row
            if position != before + 1:
                self._last = before
                yield from self._gap(position)
                if position <= before:
                    yield _at(row, "record-misplaced", f"comes after position {before}")
            before = position
            try:
                last, link = heads.get(table) or (0, genesis(table))
                if seq != last + 1 or prev != link:
                    yield from _link_findings(row, last)
                header = (FORMAT, table, seq, position, kind, version, at, command_id, part, by)
                if digest != record_hash(prev, header, body):
                    yield _at(row, "record-altered", "was altered: its hash does not match its content")
                heads[table] = (seq + 0, digest)
            except (TypeError, ValueError, AttributeError, OverflowError) as error:
                yield _at(row, "record-unreadable", f"cannot be read ({error})")
        self._last = before
        if rows:
            self.position = max(self.position, before)
        if self._each is not None:
            self._each(rows)


def readable(journal: Journal, after: int, upto: int) -> Iterator[list[Row]]:
    """The records that `verify` hands to `each`, without checking them: what cannot be read is its finding."""
    unreadable = 0
    while after < upto and unreadable < MOST_UNREADABLE:
        before = after
        try:
            rows = journal.rows(after, upto, CHUNK)
        except JournalError:
            after = min(after + CHUNK, upto)
            for position in range(before + 1, after + 1):
                try:
                    rows = journal.rows(position - 1, position, 1)
                except JournalError:
                    unreadable += 1
                    if unreadable >= MOST_UNREADABLE:
                        return
                else:
                    yield rows
        else:
            yield rows
            if not rows or rows[-1][2] <= before:
                return
            after = rows[-1][2]


def _link_findings(row: Row, before: int) -> Iterator[Finding]:
    """Why a record is not the next one of its chain."""
    first, last = before + 1, row[1] - 1
    if last > first:
        yield _at(row, "record-missing", f"follows a gap: records {first} to {last} are missing", first)
    elif last == first:
        yield _at(row, "record-missing", f"follows a gap: record {first} is missing", first)
    elif last < before:
        yield _at(row, "record-misplaced", f"comes after record {before}")
    else:
        yield _at(row, "chain-broken", "does not follow the previous record: its link is a different hash")


def _at(row: Row, code: str, sentence: str, first: int | None = None) -> Finding:
    table, seq, position, *_ = row
    where = f"record {seq} of table {table!r} (position {position})"
    return Finding(table, seq if first is None else first, position, code, f"{where} {sentence}")


def _head_findings(actual: Mapping[str, Head], stored: Mapping[str, Head]) -> Iterator[Finding]:
    """Compare where the records end with where the store says that they end."""
    for table in sorted(stored.keys() - actual.keys(), key=repr):
        head = stored[table]
        yield Finding(
            table, head.seq, None, "table-missing", f"table {table!r} should have {head.seq} records, has none"
        )
    for table, head in actual.items():
        said = stored.get(table)
        if said is None:
            yield Finding(table, head.seq, None, "head-missing", f"table {table!r} has records and is not listed")
        elif said.seq != head.seq:
            code = "tail-missing" if _is_after(said.seq, head.seq) else "head-altered"
            sentence = f"table {table!r} ends at record {head.seq}, and should end at {said.seq}"
            yield Finding(table, head.seq + 1, None, code, sentence)
        elif said.hash != head.hash:
            sentence = f"the head of table {table!r} is not the hash of its last record, {head.seq}"
            yield Finding(table, head.seq, None, "head-altered", sentence)


def _is_after(said: object, seq: int) -> bool:
    """Whether a stored number is larger; in a damaged file it may not be a number."""
    return isinstance(said, int) and said > seq


def _checkpoint_findings(
    journal: Journal,
    walk: _Walk,
    standing: Standing | None,
    public_key: Ed25519PublicKey | None,
    *,
    witness: Checkpoint | None,
    since: Proven,
) -> Generator[Finding, None, tuple[int, bytes]]:
    """Every checkpoint by itself, in its chain, and against the records, which the walk reads along the way.

    The last one's number and hash are returned.
    """
    try:
        public_key = public_key or journal.public_key()
        problem = "there is no public key to check it with"
    except SigningError as fault:
        problem = str(fault)
    own_key = None if public_key is None else raw(public_key)
    number, digest = since.checkpoint, since.checkpoint_hash
    witnessed = False
    rewritten: set[str] = set()
    after = since.checkpoint if since.position else -LARGEST
    checkpoints = journal.checkpoints(after, None if standing is None else standing.checkpoint)
    while True:
        # Only reading checkpoints is guarded here: the walk reports its own errors.
        try:
            one = next(checkpoints, None)
        except JournalError as error:
            yield Finding(None, None, None, "checkpoint-unreadable", f"the checkpoints cannot be read: {error}")
            break
        if one is None:
            break
        if public_key is None and number == since.checkpoint:
            yield _of(one, "key-missing", f"cannot be trusted: {problem}")
        if one.number != number + 1:
            yield _of(one, "checkpoint-missing", f"follows checkpoint {number}: those between are missing")
        elif one.prev != digest:
            yield _of(one, "checkpoint-altered", "does not follow the previous one: its link is a different hash")
        flaw = flaw_of(one, public_key)
        if flaw is not None and one.key != own_key and _has_log(journal):
            flaw = flaw_of(one, None if len(one.key) != 32 else Ed25519PublicKey.from_public_bytes(one.key))
        if flaw is not None:
            yield _of(one, "checkpoint-altered", f"is not valid: {flaw}")
        else:
            yield from _signed_findings(one, walk, rewritten)
        witnessed = witnessed or (witness is not None and one.hash == witness.hash)
        number, digest = one.number, one.hash
    if witness is not None and not witnessed:
        yield _of(witness, "checkpoint-missing", "was given as witness, and is not in the journal as it was signed")
    return number, digest


def _has_log(journal: Journal) -> bool:
    """Whether a log has taken the place of checkpoints: its heads, under whatever key, then vouch for the records."""
    try:
        return journal.get(NEWEST) is not None
    except JournalError:
        return False


def _signed_findings(one: Checkpoint, walk: _Walk, rewritten: set[str]) -> Iterator[Finding]:
    """The records up to a checkpoint, against what it has signed. Each table is reported once."""
    try:
        signed = heads_in(one)
        goes_back = one.position < walk.position
    except (SigningError, TypeError) as error:
        yield _of(one, "checkpoint-unreadable", f"cannot be read: {error}")
        return
    if goes_back:
        yield _of(one, "checkpoint-altered", f"goes back to position {one.position}")
        return
    yield from walk.findings(one.position)
    if walk.gave_up:
        return
    if walk.position < one.position:
        sentence = f"was signed at position {one.position}, and the journal ends at {walk.position}: its end is missing"
        yield _of(one, "tail-missing", sentence)
    heads = walk.heads
    for table in sorted(signed.keys() | heads.keys()):
        if signed.get(table) == heads.get(table) or table in rewritten:
            continue
        rewritten.add(table)
        head = signed.get(table)
        if head is None:
            sentence = f"table {table!r} did not exist when checkpoint {one.number} was signed: its records were added"
            yield Finding(table, 1, one.position, "history-rewritten", sentence)
        elif table not in heads:
            sentence = (
                f"table {table!r} had {head.seq} records when checkpoint {one.number} was signed, and has none now"
            )
            yield Finding(table, head.seq, one.position, "table-missing", sentence)
        else:
            sentence = (
                f"table {table!r} is not what it was up to record {head.seq} when checkpoint {one.number} was signed:"
                " its history was rewritten"
            )
            yield Finding(table, head.seq, one.position, "history-rewritten", sentence)


def _of(checkpoint: Checkpoint, code: str, sentence: str) -> Finding:
    return Finding(None, None, checkpoint.position, code, f"checkpoint {checkpoint.number} {sentence}")


def _snapshot_findings(journal: Journal) -> Iterator[Finding]:
    try:
        for one in journal.snapshots():
            yield from _one_snapshot(journal, one)
    except JournalError as error:
        yield Finding(None, None, None, "snapshot-unreadable", f"the snapshots cannot be read: {error}")


def _one_snapshot(journal: Journal, one: Snapshot) -> Iterator[Finding]:
    where = f"the snapshot of table {one.table!r} after record {one.seq}"
    try:
        if snapshot_digest(one.table, one.seq, one.format, one.record_hash, one.state) != one.digest:
            sentence = f"{where} was altered: its digest does not match its content"
            yield Finding(one.table, one.seq, None, "snapshot-altered", sentence)
        if [record.hash for record in journal.read(one.table, one.seq - 1, one.seq)] != [one.record_hash]:
            sentence = f"{where} belongs to another history: that record is not the one that it followed"
            yield Finding(one.table, one.seq, None, "snapshot-orphaned", sentence)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        yield Finding(one.table, one.seq, None, "snapshot-unreadable", f"{where} cannot be read ({error})")
