"""Records, journals and edits that several tests of the journal use."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw

from taisai.journal import Batch, Checkpoint, Finding, Head, Journal, NewRecord, Record, Snapshot, SqliteJournal
from taisai.journal.verify import verify_file

NOON = 1_731_672_000_000_000
TABLES = ("pit1/tai-sai-1", "pit1/tai-sai-2", "甲")

Content = tuple[list[Record], list[list[Record]], dict[str, Head], list[Snapshot], list[Checkpoint], dict[str, bytes]]


def new(
    command: str | int = "c1", part: int = 0, *, kind: str = "bet-placed", at: int = NOON, body: bytes = b"{}"
) -> NewRecord:
    """A record to append."""
    return NewRecord(kind, 1, at, str(command), part, "p7", body)


def several(first: int, count: int) -> list[NewRecord]:
    """Records of commands `first` and following."""
    return [new(number, at=NOON + number, body=b'{"stake":%d}' % number) for number in range(first, first + count)]


def fill(journal: Journal, rounds: int = 6) -> None:
    """Some history in three tables: 1, 2 and 3 records per commit, snapshots, settings, two checkpoints."""
    for step in range(rounds):
        journal.append(
            [Batch(table, step * (place + 1), several(step * 10, place + 1)) for place, table in enumerate(TABLES)]
        )
        journal.save_snapshot(TABLES[1], 2 * step + 1, 1, b"state %d " % step * 20)
        journal.put(f"setting/{step % 4}", b"step %d" % step)
        if step % 3 == 2:
            sign_checkpoint(journal, NOON + step)


def closed_journal(path: Path, rounds: int = 8) -> Path:
    """A journal on disk that nobody has open; with 8 rounds, the last two commits are after the last checkpoint."""
    with SqliteJournal(path) as journal:
        fill(journal, rounds)
    return path


def copy_of(source: Path, target: Path) -> Path:
    """A closed journal and its public key, copied."""
    shutil.copyfile(source, target)
    shutil.copyfile(f"{source}.pub", f"{target}.pub")
    return target


def edit(path: Path, *statements: str | tuple[str, tuple[object, ...]] | Callable[[apsw.Connection], None]) -> None:
    """Change a journal's file behind its back with SQLite; the triggers stay as they were."""
    connection = apsw.Connection(str(path))
    try:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            if callable(statement):
                statement(connection)
            elif isinstance(statement, str):
                connection.execute(statement)
            else:
                connection.execute(statement[0], statement[1])
        for _, sql in triggers:
            connection.execute(str(sql))
    finally:
        connection.close()


def codes(findings: Iterable[Finding]) -> set[str]:
    """The codes of findings."""
    return {finding.code for finding in findings}


def found_in(path: Path) -> list[Finding]:
    """What a verification of a file finds."""
    return list(verify_file(path))


def content(journal: Journal) -> Content:
    """Everything that can be read from a journal."""
    return (
        list(journal.read_all(-(2**62))),
        [list(journal.read(table)) for table in journal.tables()],
        {table: journal.head(table) for table in journal.tables()},
        list(journal.snapshots()),
        list(journal.checkpoints(-(2**62))),
        journal.entries(),
    )


def sign_checkpoint(journal: Journal, at: int) -> Checkpoint:
    """Sign the standing of a journal as versions before 0.2 did, and store the checkpoint."""
    number = journal.standing().checkpoint
    last = next(journal.checkpoints(number - 1), None) if number else None
    checkpoint = journal.signer(make=last is None).sign(journal.standing(), last, at)
    journal.keep_checkpoint(checkpoint)
    return checkpoint
