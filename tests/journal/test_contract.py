"""The contract of every journal: the same tests against memory, SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from taisai.journal import (
    Batch,
    DuplicateCommand,
    Head,
    InvalidEntry,
    InvalidRecord,
    Journal,
    JournalClosed,
    JournalDamaged,
    JournalUnreachable,
    NewRecord,
    SequenceConflict,
    SigningError,
    open_journal,
)
from taisai.journal.chain import genesis
from taisai.journal.contract import MILESTONES_KEPT, SNAPSHOTS_KEPT
from taisai.journal.record import Row
from taisai.journal.verify import verify, verify_file
from tests.journal.samples import NOON, TABLES, content, fill, new, several, sign_checkpoint


def test_an_empty_journal_has_nothing(journal: Journal) -> None:
    """An empty journal has no tables, records, snapshots or checkpoints, and every table is at its genesis."""
    assert journal.tables() == []
    assert journal.position() == 0
    assert list(journal.read_all()) == []
    assert list(journal.read("t")) == []
    assert journal.head("t") == Head(0, genesis("t"))
    assert journal.latest_snapshot("t") is None
    assert list(journal.checkpoints()) == []
    assert journal.find_command("t", "c") == []
    assert journal.recent_commands("t", 5) == []
    assert list(verify(journal)) == []


def test_what_is_appended_is_read(journal: Journal) -> None:
    """A record comes back with every field, its position, and the hash of the previous one."""
    first, second = new("c1", 0, kind="round-opened"), new("c1", 1, body=b"\x00\xff")
    heads = journal.append([Batch("t", 0, [first, second])])
    one, two = journal.read("t")
    fields = NewRecord.__struct_fields__
    assert [getattr(one, name) for name in fields] == [getattr(first, name) for name in fields]
    assert [getattr(two, name) for name in fields] == [getattr(second, name) for name in fields]
    assert (one.table, one.seq, one.position, one.prev) == ("t", 1, 1, genesis("t"))
    assert (two.table, two.seq, two.position, two.prev) == ("t", 2, 2, one.hash)
    assert heads == {"t": Head(2, two.hash)} == {"t": journal.head("t")}


def test_several_tables_share_a_commit(journal: Journal) -> None:
    """Batches of several tables, and several of one table, are written in the order given."""
    journal.append([Batch("b", 0, [new(1)]), Batch("a", 0, [new(1), new(2)]), Batch("b", 1, [new(2)])])
    assert [(one.table, one.seq, one.position) for one in journal.read_all()] == [
        ("b", 1, 1),
        ("a", 1, 2),
        ("a", 2, 3),
        ("b", 2, 4),
    ]
    assert journal.tables() == ["a", "b"]
    assert journal.position() == 4


def test_a_wrong_sequence_is_refused(journal: Journal) -> None:
    """A batch that does not follow the table's last record is refused, with all others of its commit."""
    journal.append([Batch("a", 0, several(0, 3))])
    with pytest.raises(SequenceConflict, match=r"table 'a' is at record 3, not at 2") as refused:
        journal.append([Batch("b", 0, [new()]), Batch("a", 2, [new(9)])])
    assert (refused.value.table, refused.value.expected, refused.value.actual) == ("a", 2, 3)
    with pytest.raises(SequenceConflict):
        journal.append([Batch("a", 4, [new(9)])])
    assert journal.tables() == ["a"]
    assert journal.append([Batch("a", 3, [new(9)])])["a"].seq == 4


def test_a_repeated_command_is_refused(journal: Journal) -> None:
    """A command that a table has recorded is refused, with its whole commit; another table may use the id."""
    journal.append([Batch("a", 0, [new("x", 0), new("x", 1)])])
    with pytest.raises(DuplicateCommand, match=r"table 'a' has already recorded command 'x'") as refused:
        journal.append([Batch("b", 0, [new("x")]), Batch("a", 2, [new("y"), new("x", 1)])])
    assert (refused.value.table, refused.value.command_id) == ("a", "x")
    assert journal.tables() == ["a"]
    assert journal.append([Batch("b", 0, [new("x")]), Batch("a", 2, [new("y")])]).keys() == {"a", "b"}
    assert list(verify(journal)) == []


def test_a_command_repeated_within_a_commit_is_refused(journal: Journal) -> None:
    """The same command and part twice in one commit is refused."""
    with pytest.raises(DuplicateCommand):
        journal.append([Batch("a", 0, [new("x")]), Batch("a", 1, [new("x")])])
    assert journal.position() == 0


@pytest.mark.parametrize(
    ("table", "record", "words"),
    [
        ("", new(), "needs a name"),
        ("\ud800", new(), "a lone surrogate"),
        ("t", new(kind=""), "no kind"),
        ("t", new(""), "no command_id"),
        ("t", new("\udfff"), "a lone surrogate"),
        ("t", new(part=-1), "out of range"),
        ("t", NewRecord("k", 0, NOON, "c", 0, "p", b""), "out of range"),
        ("t", NewRecord("k", 1, 2**63, "c", 0, "p", b""), "out of range"),
        ("t", NewRecord("k", True, NOON, "c", 0, "p", b""), "its version is of the type bool, not int"),
        ("t", NewRecord("k", 1, NOON, "c", 0, "p", "text"), "its body is of the type str, not bytes"),  # type: ignore[arg-type]  # wrong on purpose
        ("t", NewRecord(None, 1, NOON, "c", 0, "p", b""), "its kind is of the type NoneType"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_an_invalid_record_is_refused(journal: Journal, table: str, record: NewRecord, words: str) -> None:
    """An invalid record is refused with the reason, and its whole commit with it."""
    with pytest.raises(InvalidRecord, match=words):
        journal.append([Batch("other", 0, [new()]), Batch(table, 0, [record])])
    assert journal.position() == 0


def test_nothing_appended_changes_nothing(journal: Journal) -> None:
    """A commit without records is allowed, and its expected sequence is still checked."""
    assert journal.append([]) == {}
    assert journal.append([Batch("a", 0, [])]) == {"a": Head(0, genesis("a"))}
    assert journal.tables() == []
    with pytest.raises(SequenceConflict):
        journal.append([Batch("a", 1, [])])


def test_odd_text_survives(journal: Journal) -> None:
    """Names come back as they were, whatever their characters, and different names are different tables."""
    names = ["甲", "a\0b", "a", "a ", "A", "é", "e\u0301", "🎲", "'; DROP TABLE record --"]
    journal.append([Batch(name, 0, [new(name, kind=name)]) for name in names])
    assert journal.tables() == sorted(names)
    assert [(one.table, one.kind, one.command_id) for one in journal.read_all()] == [(n, n, n) for n in names]
    assert [len(journal.find_command(name, name)) for name in names] == [1] * len(names)
    assert list(verify(journal)) == []


def test_a_part_of_the_history_can_be_read(journal: Journal) -> None:
    """Reading starts after a record and ends at one, by table and over all tables."""
    journal.append([Batch("a", 0, several(0, 5)), Batch("b", 0, several(0, 5))])
    assert [one.seq for one in journal.read("a", 2)] == [3, 4, 5]
    assert [one.seq for one in journal.read("a", 1, 3)] == [2, 3]
    assert [one.seq for one in journal.read("a", 5)] == []
    assert [one.seq for one in journal.read("a", 0, 0)] == []
    assert [one.position for one in journal.read_all(4)] == [5, 6, 7, 8, 9, 10]
    assert [one.position for one in journal.read_all(4, 6)] == [5, 6]
    assert [one.position for one in journal.read_all(-5, 2)] == [1, 2]


def test_reading_goes_on_while_others_append(journal: Journal) -> None:
    """A read sees what was there when it began, in order, whatever is appended meanwhile."""
    journal.append([Batch("a", 0, several(0, 2500))])
    by_table, by_position = journal.read("a"), journal.read_all()
    assert [one.seq for one in islice(by_table, 10)] == list(range(1, 11))
    assert [one.seq for one in islice(by_position, 10)] == list(range(1, 11))
    journal.append([Batch("a", 2500, several(2500, 2000))])
    assert [one.seq for one in by_table] == list(range(11, 2501))
    assert [one.seq for one in by_position] == list(range(11, 2501))


def test_commands_are_found(journal: Journal) -> None:
    """The records of a command are found by its id, and the last commands of a table are listed, newest first."""
    journal.append(
        [Batch("a", 0, [new("x", 0), new("x", 1), new("y"), new("z", 0), new("z", 1)]), Batch("b", 0, [new("w")])]
    )
    assert [(one.command_id, one.part) for one in journal.find_command("a", "x")] == [("x", 0), ("x", 1)]
    assert journal.find_command("b", "x") == []
    assert journal.recent_commands("a", 2) == ["z", "y"]
    assert journal.recent_commands("a", 10) == ["z", "y", "x"]
    assert journal.recent_commands("a", 0) == []


def test_many_recent_commands_are_found(journal: Journal) -> None:
    """The last commands are found beyond one chunk of reading."""
    journal.append([Batch("a", 0, [new(number, part) for number in range(900) for part in range(3)])])
    assert journal.recent_commands("a", 800) == [str(number) for number in range(899, 99, -1)]


def test_the_newest_snapshot_is_found(journal: Journal) -> None:
    """The newest snapshot is found, or the newest up to a record."""
    journal.append([Batch("a", 0, several(0, 9))])
    for seq in (2, 4, 6, 8):
        journal.save_snapshot("a", seq, 1, b"after %d" % seq)
    latest = journal.latest_snapshot("a")
    assert latest is not None
    assert (latest.seq, latest.format, latest.state) == (8, 1, b"after 8")
    assert latest.record_hash == next(journal.read("a", 7, 8)).hash
    earlier = journal.latest_snapshot("a", 7)
    assert earlier is not None
    assert earlier.seq == 6
    assert journal.latest_snapshot("a", 1) is None
    assert journal.latest_snapshot("b") is None


def test_the_newest_snapshots_are_kept_and_a_few_far_apart(journal: Journal) -> None:
    """Three for a restart, and eight about evenly over the whole history; none of a form that is written no more."""
    journal.append([Batch("a", 0, several(0, 400)), Batch("b", 0, several(0, 9))])
    for seq in range(4, 401, 4):
        journal.save_snapshot("a", seq, 1, b"after %d" % seq)
    kept = [one.seq for one in journal.snapshots()]
    assert len(kept) == SNAPSHOTS_KEPT + MILESTONES_KEPT
    assert kept[-SNAPSHOTS_KEPT:] == [392, 396, 400]
    gaps = [late - early for early, late in pairwise([0, *kept[: -SNAPSHOTS_KEPT + 1]])]
    assert max(gaps) <= 4 * min(gaps)
    for seq in (1, 2, 3):
        journal.save_snapshot("b", seq, 1, b"old form")
    for seq in (4, 5, 6, 7):
        journal.save_snapshot("b", seq, 2, b"new form")
    assert [one.seq for one in journal.snapshots() if one.table == "b"] == [4, 5, 6, 7]


def test_a_snapshot_can_be_replaced(journal: Journal) -> None:
    """A second snapshot after the same record replaces the first."""
    journal.append([Batch("a", 0, [new()])])
    journal.save_snapshot("a", 1, 1, b"old form")
    journal.save_snapshot("a", 1, 2, b"new form")
    assert [(one.format, one.state) for one in journal.snapshots()] == [(2, b"new form")]


@pytest.mark.parametrize("seq", [-1, 0, 2])
def test_a_snapshot_needs_its_record(journal: Journal, seq: int) -> None:
    """A snapshot after a record that does not exist is refused."""
    journal.append([Batch("a", 0, [new()])])
    with pytest.raises(InvalidRecord, match=f"no record {seq}"):
        journal.save_snapshot("a", seq, 1, b"")
    with pytest.raises(InvalidRecord):
        journal.save_snapshot("b", 1, 1, b"")


def test_the_standing_is_one_moment(journal: Journal) -> None:
    """Position, heads and checkpoints are read in one moment."""
    fill(journal)
    standing = journal.standing()
    assert standing.position == journal.position() == 36
    assert standing.heads == {table: journal.head(table) for table in TABLES}
    assert standing.checkpoint == 2


def test_checkpoints_follow_each_other(journal: Journal) -> None:
    """Every checkpoint states the position and carries the hash of the previous one."""
    assert journal.public_key() is None
    fill(journal, 9)
    one, two, three = journal.checkpoints()
    assert [(each.number, each.position, each.count) for each in (one, two, three)] == [
        (1, 18, 18),
        (2, 36, 36),
        (3, 54, 54),
    ]
    assert one.prev == bytes(32)
    assert (two.prev, three.prev) == (one.hash, two.hash)
    assert list(journal.checkpoints(1, 2)) == [two]
    assert journal.public_key() is not None
    assert list(verify(journal)) == []


def test_a_checkpoint_from_elsewhere_must_follow(journal: Journal) -> None:
    """A checkpoint that was signed elsewhere is stored if it is the next one, and refused otherwise."""
    fill(journal)
    last = list(journal.checkpoints())[-1]
    with pytest.raises(SigningError, match="does not follow checkpoint 2"):
        journal.keep_checkpoint(last)


def test_entries_are_stored_and_changed(journal: Journal) -> None:
    """Entries are stored by key, changed, deleted, and listed by prefix."""
    assert journal.entries() == {}
    for name, value in (("b/2", b"two"), ("b/1", b"\0\xff"), ("b", b""), ("c", b"old"), ("c", b"new"), ("a", b"x")):
        journal.put(name, value)
    assert list(journal.entries().items()) == [
        ("a", b"x"),
        ("b", b""),
        ("b/1", b"\0\xff"),
        ("b/2", b"two"),
        ("c", b"new"),
    ]
    assert list(journal.entries("b/")) == ["b/1", "b/2"]
    journal.put("b/1", None)
    journal.put("never there", None)
    assert list(journal.entries("b")) == ["b", "b/2"]
    assert journal.entries("d") == {}
    assert journal.position() == 0
    assert list(verify(journal)) == []


def test_entries_are_read_one_by_one_and_in_pages(journal: Journal) -> None:
    """One entry is found by its key; many are read page by page, in the order of their keys."""
    journal.put_all({f"b/{number:02}": str(number).encode() for number in range(25)})
    journal.put_all({"a": b"x", "c": b"y"})
    assert (journal.get("b/07"), journal.get("b/7"), journal.get("b/")) == (b"7", None, None)
    pages, after = [], ""
    while page := journal.entries("b/", after=after, count=10):
        pages.append(list(page))
        after = pages[-1][-1]
    assert [len(page) for page in pages] == [10, 10, 5]
    assert [key for page in pages for key in page] == [f"b/{number:02}" for number in range(25)]
    assert list(journal.entries(after="b/24")) == ["c"]


def test_entries_change_together_on_condition(journal: Journal) -> None:
    """Several entries are written in one commit, and only when others still have the expected values."""
    assert journal.put_all({"size": b"1", "tile": b"one"}, {"size": None})
    assert not journal.put_all({"size": b"1", "tile": b"other"}, {"size": None})
    assert not journal.put_all({"size": b"3", "tile": b"other"}, {"size": b"1", "tile": b"two"})
    assert journal.put_all({"size": b"2", "tile": None}, {"size": b"1", "tile": b"one"})
    assert journal.entries() == {"size": b"2"}
    with pytest.raises(InvalidEntry, match="the key is empty"):
        journal.put_all({"size": b"9", "": b""})
    assert journal.entries() == {"size": b"2"}


def test_odd_keys(journal: Journal) -> None:
    """Any text is a key, and a prefix selects its keys whatever their characters."""
    last = "\U0010ffff"
    names = [
        "a",
        "a\0",
        "a\0b",
        "a\\",
        "a\\0",
        "a\\\\",
        f"a{last}",
        f"a{last}b",
        "b",
        "\ud7ff",
        "\ue000",
        last,
        f"{last}z",
        "_",
        "%",
    ]
    for name in names:
        journal.put(name, name.encode())
    assert list(journal.entries().items()) == [(name, name.encode()) for name in sorted(names)]
    for prefix in names:
        assert list(journal.entries(prefix)) == sorted(name for name in names if name.startswith(prefix)), prefix


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("", b"", "the entry '' cannot be stored: the key is empty"),
        ("\ud800", b"", "a lone surrogate"),
        (7, b"", "the key is of the type int, not str"),
        ("a", "text", "the value is of the type str, not bytes"),
    ],
)
def test_an_invalid_entry_is_refused(journal: Journal, name: Any, value: Any, words: str) -> None:
    """A key or a value of the wrong type is refused."""
    with pytest.raises(InvalidEntry, match=words):
        journal.put(name, value)
    assert journal.entries() == {}


def test_progress_is_reported(journal: Journal) -> None:
    """Verification reports its progress, and passes every record on."""
    journal.append([Batch("a", 0, several(0, 2500))])
    told: list[tuple[int, int]] = []
    handed: list[int] = []
    assert (
        list(
            verify(
                journal,
                progress=lambda *step: told.append(step),
                each=lambda some: handed.extend(row[1] for row in some),
            )
        )
        == []
    )
    assert told == [(1000, 2500), (2000, 2500), (2500, 2500)]
    assert handed == list(range(1, 2501))


@pytest.mark.parametrize("error", [ValueError, TypeError, JournalDamaged, KeyError])
def test_what_the_receiver_of_records_raises_is_not_hidden(journal: Journal, error: type[Exception]) -> None:
    """When the receiver of the records fails, verification fails with it and does not report a finding."""
    fill(journal)

    def fail(_rows: list[Row]) -> None:
        raise error("on purpose")

    with pytest.raises(error, match="on purpose"):
        list(verify(journal, each=fail))


def test_a_backup_holds_everything(journal: Journal, tmp_path: Path) -> None:
    """A backup of any journal is a journal file with the same content, which the key beside it verifies."""
    fill(journal)
    steps: list[tuple[int, int]] = []
    journal.backup(tmp_path / "backup.db", lambda *step: steps.append(step))
    assert steps[-1][0] == steps[-1][1] > 0
    with open_journal(tmp_path / "backup.db", read_only=True) as copy:
        assert content(copy) == content(journal)
        assert copy.public_key() == journal.public_key()
    assert list(verify_file(tmp_path / "backup.db")) == []
    with pytest.raises(JournalUnreachable, match="overwrites nothing"):
        journal.backup(tmp_path / "backup.db")


def test_threads_share_a_journal(journal: Journal) -> None:
    """Four threads append to their own tables while a fifth reads; nothing is lost or out of order."""
    failures: list[BaseException] = []
    done = threading.Event()

    def append(table: str) -> None:
        try:
            for step in range(60):
                journal.append([Batch(table, step * 2, several(step * 2, 2))])
        except BaseException as error:
            failures.append(error)

    def read() -> None:
        try:
            while not done.is_set():
                positions = [one.position for one in journal.read_all()]
                assert positions == list(range(1, len(positions) + 1))
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=append, args=(f"t{number}",)) for number in range(4)]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert failures == []
    assert journal.position() == 480
    assert list(verify(journal)) == []


def test_a_closed_journal_refuses_every_call(journal: Journal, tmp_path: Path) -> None:
    """After `close` every call raises `JournalClosed`; closing twice does no harm."""
    fill(journal)
    journal.close()
    journal.close()
    for call in (
        lambda: journal.append([Batch("a", 0, [new()])]),
        lambda: list(journal.read("a")),
        lambda: list(journal.read_all()),
        lambda: journal.head("a"),
        journal.position,
        journal.tables,
        journal.standing,
        lambda: journal.save_snapshot("a", 1, 1, b""),
        lambda: sign_checkpoint(journal, NOON),
        lambda: journal.put("a", b""),
        journal.entries,
        lambda: journal.backup(tmp_path / "late.db"),
    ):
        with pytest.raises(JournalClosed, match="is closed"):
            call()
