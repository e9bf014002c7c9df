"""The journal: appending against bare inserts of the same bytes, verifying against plain hashing and decoding.

The bare inserts go through apsw into a table of the same columns without keys or chain, with the same settings
(write-ahead log, synchronous FULL) and as many records a commit; each side writes into a new file on the same disk. The
bare verification is SHA-256 and a decoding with msgspec of the same bodies, already in memory; ours also reads them
from the file, checks chain, heads, checkpoints and signatures, and lets SQLite check its file.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import apsw
import msgspec

from bench.measure import Line
from taisai.journal import Batch, NewRecord, SqliteJournal
from taisai.journal.sqlite.database import connect_writer, make_durable
from taisai.journal.verify import verify
from tests.journal.samples import sign_checkpoint

NOON = 1_731_672_000_000_000
TABLES = tuple(f"pit1/tai-sai-{number}" for number in range(1, 5))
REPEATS = 5
VERIFIED = 50_000
VERIFY_REPEATS = 15
VERIFY_TARGET = 3.0
COLUMNS = "table_name, seq, position, kind, version, at, command_id, part, by_whom, body, prev, hash"


class Person(msgspec.Struct, frozen=True):
    """The person who acts."""

    id: str
    role: str


class BetPlaced(msgspec.Struct, frozen=True, tag="bet-placed", tag_field="event"):
    """The most frequent event."""

    player: str
    box: str
    amount: int
    how: str = "placed"
    colour: str | None = None


class Event(msgspec.Struct, frozen=True):
    """An event in the shape and size of a table's."""

    at: int
    by: Person
    what: BetPlaced
    authorised_by: Person | None = None
    reason: str = ""


def measured() -> list[Line]:
    """A line for each size of commit, one for ids without order, and one for the verification."""
    return [
        _append_line(1, 400),
        _append_line(100, 20_000),
        _append_line(1_000, 100_000),
        _append_line(1_000, 100_000, ordered=False),
        _verify_line(),
    ]


def records_of(count: int, *, ordered: bool = True) -> list[NewRecord]:
    """So many records of the most frequent event."""
    chance = random.Random(7)
    encode = msgspec.json.Encoder().encode
    found = []
    for place in range(count):
        player, at = f"p{place % 300}", NOON + place
        event = Event(at, Person(player, "player"), BetPlaced(player, f"total-{4 + place % 14}", 2_500))
        # Clients make ids that rise with time (as UUID 7 does), or random ids (UUID 4).
        start = place if ordered else chance.getrandbits(48)
        command_id = f"{start:012x}-{chance.getrandbits(64):016x}"
        found.append(NewRecord("bet-placed", 1, at, command_id, 0, player, encode(event)))
    return found


def _append_line(size: int, count: int, *, ordered: bool = True) -> Line:
    """Records in commits of one size, four tables in turn."""
    records = records_of(count, ordered=ordered)
    commits = [records[place : place + size] for place in range(0, count, size)]
    batches = batches_of(commits)
    rows = [[_row(place, one) for place, one in enumerate(commit)] for commit in commits]

    def ours(folder: Path) -> float:
        with SqliteJournal(folder / "ours.db") as journal:
            return _seconds(lambda: [journal.append(batch) for batch in batches])

    def bare(folder: Path) -> float:
        connection = connect_writer(folder / "bare.db")
        make_durable(connection, folder / "bare.db")
        connection.execute(f"CREATE TABLE record ({COLUMNS.replace('position', 'position INTEGER PRIMARY KEY')})")
        try:
            return _seconds(lambda: _insert(connection, rows))
        finally:
            connection.close()

    ours_s, bare_s = _side_by_side(ours, bare)
    what = f"append, {size:,} a commit" + ("" if ordered else ", ids by chance")
    return Line(what, "bare apsw inserts, no keys", ours_s / count * 1e9, bare_s / count * 1e9, None)


def batches_of(commits: list[list[NewRecord]]) -> list[list[Batch]]:
    """Commits over four tables."""
    ends = dict.fromkeys(TABLES, 0)
    found = []
    for number, commit in enumerate(commits):
        # A commit of one goes to one table, a larger one to all four.
        parts = (
            [(TABLES[number % 4], commit)]
            if len(commit) < 4
            else [(table, commit[place::4]) for place, table in enumerate(TABLES)]
        )
        found.append([Batch(table, ends[table], records) for table, records in parts])
        for table, records in parts:
            ends[table] += len(records)
    return found


def _row(place: int, one: NewRecord) -> tuple[apsw.SQLiteValue, ...]:
    fields = (one.kind, one.version, one.at, one.command_id, one.part, one.by, one.body)
    return (TABLES[place % 4], place, None, *fields, bytes(32), bytes(32))


def _insert(connection: apsw.Connection, commits: list[list[tuple[apsw.SQLiteValue, ...]]]) -> None:
    for rows in commits:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")


def _verify_line() -> Line:
    records = records_of(VERIFIED)
    commits = [records[place : place + 1_000] for place in range(0, VERIFIED, 1_000)]
    decode = msgspec.json.Decoder(Event).decode

    def plain() -> None:
        for one in records:
            sha256(one.body).digest()
            decode(one.body)

    def bare(_folder: Path) -> float:
        return _seconds(plain)

    with tempfile.TemporaryDirectory() as place, SqliteJournal(Path(place) / "journal.db") as journal:
        for number, batch in enumerate(batches_of(commits)):
            journal.append(batch)
            if number % 10 == 9:
                sign_checkpoint(journal, NOON + number)

        def ours(_folder: Path) -> float:
            found: list[object] = []
            taken = _seconds(lambda: found.extend(verify(journal)))
            if found:
                raise RuntimeError(f"the journal does not verify: {found[0]}")
            return taken

        ours_s, bare_s = _side_by_side(ours, bare, VERIFY_REPEATS)
    return Line(
        f"verify, {VERIFIED:,} records",
        "SHA-256 and msgspec of the bodies",
        ours_s / VERIFIED * 1e9,
        bare_s / VERIFIED * 1e9,
        VERIFY_TARGET,
    )


def _side_by_side(
    ours: Callable[[Path], float], bare: Callable[[Path], float], repeats: int = REPEATS
) -> tuple[float, float]:
    """The best of several runs of both, interleaved so that other load on the machine affects both alike."""
    best_ours = best_bare = float("inf")
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            best_bare = min(best_bare, bare(Path(folder)))
            best_ours = min(best_ours, ours(Path(folder)))
    return best_ours, best_bare


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
