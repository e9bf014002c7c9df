"""Verification: every change behind the journal's back is found, with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from taisai.journal import Batch, Checkpoint, Finding, Head, JournalUnreachable, SqliteJournal
from taisai.journal.chain import FORMAT, genesis, record_hash, snapshot_digest
from taisai.journal.record import Row
from taisai.journal.signing import Signer, flaw_of, signed_bytes
from taisai.journal.verify import readable, verify, verify_file
from tests.journal.samples import NOON, TABLES, codes, copy_of, edit, found_in, new, several

POSITION = 20
"""A record in the middle: table 2's 7th, before the second checkpoint at 36 and after the first at 18."""


@dataclass(frozen=True)
class Change:
    """A change of the file, and the finding: code, table, seq, position (None where it does not matter)."""

    name: str
    sql: str
    code: str
    table: str | None = None
    seq: int | None = None
    position: int | None = None


def in_record(column: str, value: str, code: str = "record-altered") -> Change:
    """One column of one record set to another value."""
    return Change(
        f"record.{column}",
        f"UPDATE record SET {column} = {value} WHERE position = {POSITION}",
        code,
        position=POSITION,
    )


RECORD_CHANGES = [
    in_record("kind", "'bet-placee'"),
    in_record("kind", "'bet-placed '"),
    in_record("version", "version + 1"),
    in_record("at", "at + 1"),
    in_record("at", "-at"),
    in_record("command_id", "command_id || '0'"),
    in_record("part", "part + 1"),
    in_record("by_whom", "'p8'"),
    in_record("by_whom", "''"),
    in_record("by_whom", "cast(x'70ff' AS TEXT)", "record-unreadable"),
    in_record("body", "x''"),
    in_record("body", "cast(replace(body, 'stake', 'stakf') AS BLOB)"),
    in_record("body", "cast(replace(body, '\"stake\":', '\"stake\":1') AS BLOB)"),
    in_record("prev", "zeroblob(32)", "chain-broken"),
    in_record("prev", "zeroblob(32)"),
    in_record("hash", "zeroblob(32)"),
    in_record("hash", "x''"),
    in_record("seq", "seq + 100"),
    in_record("seq", "seq + 100", "record-missing"),
    in_record("seq", "-1"),
    Change(
        "record.table_name",
        f"UPDATE record SET table_name = 'other' WHERE position = {POSITION}",
        "record-altered",
        "other",
    ),
    Change(
        "record.position",
        f"UPDATE record SET position = 1000 WHERE position = {POSITION}",
        "record-missing",
        position=POSITION,
    ),
    Change(
        "record.position",
        f"UPDATE record SET position = -1 WHERE position = {POSITION}",
        "record-misplaced",
        position=-1,
    ),
    Change("delete first", "DELETE FROM record WHERE position = 1", "record-missing", position=1),
    Change("delete middle", f"DELETE FROM record WHERE position = {POSITION}", "record-missing", position=POSITION),
    Change("delete middle", f"DELETE FROM record WHERE position = {POSITION}", "record-missing", TABLES[1], 7),
    Change("delete several", "DELETE FROM record WHERE position BETWEEN 20 AND 25", "record-missing", position=20),
    Change("delete last", "DELETE FROM record WHERE position = 48", "tail-missing", TABLES[2], 24),
    Change("cut the end", "DELETE FROM record WHERE position > 30", "tail-missing", position=36),
    Change("delete all", "DELETE FROM record", "table-missing", TABLES[0]),
    Change("delete a table", f"DELETE FROM record WHERE table_name = '{TABLES[1]}'", "table-missing", TABLES[1]),
    Change(
        "insert",
        "INSERT INTO record SELECT table_name, seq + 1, 49, kind, version, at, 'new', part, by_whom, body, hash, hash"
        " FROM record WHERE position = 48",
        "record-altered",
        TABLES[2],
        25,
        49,
    ),
    Change(
        "insert before the first",
        "INSERT INTO record SELECT 'other', 1, 0, kind, version, at, 'new', part, by_whom, body, prev, hash"
        " FROM record WHERE position = 48",
        "record-misplaced",
        "other",
        1,
        0,
    ),
]

HEAD_CHANGES = [
    Change("head.seq", f"UPDATE head SET seq = seq + 1 WHERE table_name = '{TABLES[0]}'", "tail-missing", TABLES[0]),
    Change("head.seq", f"UPDATE head SET seq = seq - 1 WHERE table_name = '{TABLES[0]}'", "head-altered", TABLES[0]),
    Change(
        "head.hash", f"UPDATE head SET hash = zeroblob(32) WHERE table_name = '{TABLES[0]}'", "head-altered", TABLES[0]
    ),
    Change(
        "head.table_name",
        f"UPDATE head SET table_name = 'x' WHERE table_name = '{TABLES[0]}'",
        "head-missing",
        TABLES[0],
    ),
    Change("head.table_name", "UPDATE head SET table_name = cast(x'ff' AS TEXT)  WHERE seq = 8", "head-unreadable"),
    Change("delete head", f"DELETE FROM head WHERE table_name = '{TABLES[0]}'", "head-missing", TABLES[0]),
]

SNAPSHOT_CHANGES = [
    Change(
        "snapshot.table_name",
        f"UPDATE snapshot SET table_name = '{TABLES[2]}' WHERE seq = 13",
        "snapshot-altered",
        TABLES[2],
        13,
    ),
    Change("snapshot.table_name", "UPDATE snapshot SET table_name = 'x' WHERE seq = 13", "snapshot-orphaned", "x", 13),
    Change(
        "snapshot.table_name",
        "UPDATE snapshot SET table_name = cast(x'ff' AS TEXT) WHERE seq = 13",
        "snapshot-unreadable",
    ),
    Change("snapshot.seq", "UPDATE snapshot SET seq = 12 WHERE seq = 13", "snapshot-altered", TABLES[1], 12),
    Change("snapshot.seq", "UPDATE snapshot SET seq = 99 WHERE seq = 13", "snapshot-orphaned", TABLES[1], 99),
    Change("snapshot.format", "UPDATE snapshot SET format = 2 WHERE seq = 13", "snapshot-altered", TABLES[1], 13),
    Change(
        "snapshot.state",
        "UPDATE snapshot SET state = cast(state || x'00' AS BLOB) WHERE seq = 13",
        "snapshot-altered",
        TABLES[1],
        13,
    ),
    Change(
        "snapshot.record_hash",
        "UPDATE snapshot SET record_hash = zeroblob(32) WHERE seq = 13",
        "snapshot-orphaned",
        TABLES[1],
        13,
    ),
    Change(
        "snapshot.digest", "UPDATE snapshot SET digest = zeroblob(32) WHERE seq = 13", "snapshot-altered", TABLES[1], 13
    ),
]

CHECKPOINT_CHANGES = [
    *(
        Change(f"checkpoint.{column}", f"UPDATE checkpoint SET {column} = {value} WHERE number = 1", code)
        for column, value, code in [
            ("number", "9", "checkpoint-missing"),
            ("number", "9", "checkpoint-altered"),
            ("prev", "hash", "checkpoint-altered"),
            ("position", "position - 1", "checkpoint-altered"),
            ("count", "count - 1", "checkpoint-altered"),
            ("at", "at + 1", "checkpoint-altered"),
            ("heads", "x'90'", "checkpoint-altered"),
            ("key", "zeroblob(32)", "checkpoint-altered"),
            ("signature", "zeroblob(64)", "checkpoint-altered"),
            ("hash", "zeroblob(32)", "checkpoint-altered"),
        ]
    ),
    Change("delete first checkpoint", "DELETE FROM checkpoint WHERE number = 1", "checkpoint-missing"),
    Change("delete last checkpoint", "DELETE FROM checkpoint WHERE number = 2", "checkpoint-missing"),
    Change("delete all checkpoints", "DELETE FROM checkpoint", "checkpoint-missing"),
    Change("checkpoint_head.number", "UPDATE checkpoint_head SET number = 1", "checkpoint-missing"),
    Change("checkpoint_head.hash", "UPDATE checkpoint_head SET hash = zeroblob(32)", "checkpoint-missing"),
    Change("checkpoint_head.only", "UPDATE checkpoint_head SET only = 2", "checkpoint-missing"),
    Change("another checkpoint_head", "INSERT INTO checkpoint_head VALUES (2, 2, x'00')", "checkpoint-missing"),
    Change(
        "another checkpoint",
        "INSERT INTO checkpoint SELECT -1, prev, position, count, at, heads, key, signature, hash FROM checkpoint"
        " WHERE number = 1",
        "checkpoint-altered",
    ),
    Change("delete checkpoint_head", "DELETE FROM checkpoint_head", "checkpoint-missing"),
]

FILE_CHANGES = [
    Change("migration.number", "UPDATE migration SET number = 5 WHERE number = 4", "file-damaged"),
    Change("migration.name", "UPDATE migration SET name = 'x' WHERE number = 2", "file-damaged"),
    Change("migration.checksum", "UPDATE migration SET checksum = zeroblob(32) WHERE number = 1", "file-damaged"),
    Change("delete migration", "DELETE FROM migration WHERE number = 2", "file-damaged"),
    Change("user_version", "PRAGMA user_version = 5", "file-damaged"),
    Change("user_version", "PRAGMA user_version = 1", "file-damaged"),
    Change("application_id", "PRAGMA application_id = 7", "file-damaged"),
    Change("another table", "CREATE TABLE more (a)", "schema-altered"),
    Change("another index", "CREATE INDEX more ON record (body)", "schema-altered"),
    Change("another trigger", "CREATE TRIGGER more AFTER INSERT ON head BEGIN DELETE FROM head; END", "schema-altered"),
    Change("a table gone", "DROP TABLE snapshot", "snapshot-unreadable"),
    Change("a table gone", "DROP TABLE checkpoint_head", "schema-altered"),
    Change("a column renamed", "ALTER TABLE record RENAME COLUMN body TO content", "schema-altered"),
]

CHANGES = [*RECORD_CHANGES, *HEAD_CHANGES, *SNAPSHOT_CHANGES, *CHECKPOINT_CHANGES, *FILE_CHANGES]


def fits(finding: Finding, change: Change) -> bool:
    """Whether a finding is the one that the change should cause."""
    wanted = (change.table, change.seq, change.position)
    return finding.code == change.code and all(
        want in (None, got) for want, got in zip(wanted, finding[:3], strict=True)
    )


def test_the_sound_journal_has_no_finding(sound: Path, tmp_path: Path) -> None:
    """Without a change nothing is found; setting a value to itself is not a change."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, "UPDATE record SET by_whom = by_whom")
    assert found_in(path) == []


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.name}-{change.code}")
def test_a_change_is_found(sound: Path, tmp_path: Path, change: Change) -> None:
    """A change of any column of any table of the file is found, with its place."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, change.sql)
    found = found_in(path)
    assert [one for one in found if fits(one, change)], found
    assert all(one.sentence for one in found)


def test_every_column_is_changed_by_a_test(sound: Path, tmp_path: Path) -> None:
    """The list of changes leaves out no column, except those of the key-value store, which nothing vouches for."""
    connection = apsw.Connection(str(copy_of(sound, tmp_path / "journal.db")))
    columns = connection.execute(
        "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        " AND m.name <> 'drawer'"
    ).fetchall()
    connection.close()
    assert len(columns) == 36
    assert {name for (name,) in columns} <= {change.name for change in CHANGES}


def test_every_byte_of_a_record_counts(sound: Path, tmp_path: Path) -> None:
    """One bit flipped in any byte of any text or blob of a record is found at that record."""
    path = copy_of(sound, tmp_path / "journal.db")
    columns = ("kind", "command_id", "by_whom", "body", "prev", "hash")
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER record_is_final")
    for column in columns:
        ((kind, value),) = connection.execute(
            f"SELECT typeof({column}), cast({column} AS BLOB) FROM record WHERE position = {POSITION}"
        ).fetchall()
        assert isinstance(value, bytes)
        update = f"UPDATE record SET {column} = cast(? AS {kind}) WHERE position = {POSITION}"
        for place in range(len(value)):
            flipped = bytearray(value)
            flipped[place] ^= 16 << place % 4
            connection.execute(update, (bytes(flipped),))
            assert POSITION in {one.position for one in found_in(path)}, (column, place)
        connection.execute(update, (value,))
    connection.close()
    assert codes(found_in(path)) == {"schema-altered"}


def swap(connection: apsw.Connection, columns: tuple[str, ...], one: int, two: int) -> None:
    """Swap some columns of two records."""
    listed = ", ".join(columns)
    first: Any = connection.execute(f"SELECT {listed} FROM record WHERE position = ?", (one,)).fetchone()
    second: Any = connection.execute(f"SELECT {listed} FROM record WHERE position = ?", (two,)).fetchone()
    assignments = ", ".join(f"{column} = ?" for column in columns)
    for number, (row, place) in enumerate(((first, one), (second, two), (second, one), (first, two))):
        # The first two make room: unique keys hold at every step.
        values = tuple(
            f"~{number}" if number < 2 and name == "command_id" else v for name, v in zip(columns, row, strict=True)
        )
        connection.execute(f"UPDATE record SET {assignments} WHERE position = ?", (*values, place))


@pytest.mark.parametrize(
    "columns",
    [("body",), ("at",), ("command_id",), ("command_id", "body", "at"), ("body", "hash"), ("body", "prev", "hash")],
    ids="-".join,
)
@pytest.mark.parametrize("other", [21, 26], ids=["neighbour", "next commit"])
def test_swapped_records_are_found(sound: Path, tmp_path: Path, columns: tuple[str, ...], other: int) -> None:
    """Two records that swap their content are both found."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, lambda connection: swap(connection, columns, POSITION, other))
    assert {one.position for one in found_in(path)} >= {POSITION, other}


def test_swapped_positions_are_found(sound: Path, tmp_path: Path) -> None:
    """Two records of different tables that swap their positions are found, although each chain is intact."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(
        path,
        "UPDATE record SET position = 1000 WHERE position = 19",
        "UPDATE record SET position = 19 WHERE position = 20",
        "UPDATE record SET position = 20 WHERE position = 1000",
    )
    assert {one.position for one in found_in(path) if one.code == "record-altered"} == {19, 20}


def rewrite(connection: apsw.Connection, first: int, last: int = 2**62) -> None:
    """Rewrite records from a position on with all their hashes and heads, as anybody can who knows the format."""
    heads: dict[str, Head] = {}
    rows: Any = connection.execute("SELECT * FROM record ORDER BY position").fetchall()
    for table, seq, position, *rest, old_body, _, old_digest in rows:
        prev = heads[table].hash if table in heads else genesis(table)
        body = b'{"stake":1}' if first <= position <= last else old_body
        header: Any = (FORMAT, table, seq, position, *rest)
        digest = record_hash(prev, header, body) if position >= first else old_digest
        connection.execute(
            "UPDATE record SET body = ?, prev = ?, hash = ? WHERE position = ?", (body, prev, digest, position)
        )
        heads[table] = Head(seq, digest)
    for table, head in heads.items():
        connection.execute("UPDATE head SET seq = ?, hash = ? WHERE table_name = ?", (*head, table))
    snapshots: Any = connection.execute("SELECT table_name, seq, format, state FROM snapshot").fetchall()
    for table, seq, form, state in snapshots:
        ((digest,),) = connection.execute("SELECT hash FROM record WHERE (table_name, seq) = (?, ?)", (table, seq))
        connection.execute(
            "UPDATE snapshot SET record_hash = ?, digest = ? WHERE (table_name, seq) = (?, ?)",
            (digest, snapshot_digest(table, seq, form, digest, state), table, seq),
        )


@pytest.mark.parametrize(("first", "last", "checkpoint"), [(1, 1, 1), (20, 20, 2), (1, 2**62, 1), (36, 36, 2)])
def test_a_rewritten_history_is_found(sound: Path, tmp_path: Path, first: int, last: int, checkpoint: int) -> None:
    """A history rewritten with all its hashes is found if a checkpoint has signed any of it."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, lambda connection: rewrite(connection, first, last))
    found = found_in(path)
    assert codes(found) == {"history-rewritten"}
    assert all(f"checkpoint {checkpoint} " in one.sentence for one in found)


def test_unsigned_history_can_be_rewritten(sound: Path, tmp_path: Path) -> None:
    """The documented limit: after the last checkpoint a chain can be rewritten undetected."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, lambda connection: rewrite(connection, 37))
    assert found_in(path) == []


def test_a_table_put_into_signed_history_is_found(sound: Path, tmp_path: Path) -> None:
    """A table that did not exist when a checkpoint was signed is found, even with matching hashes."""
    path = copy_of(sound, tmp_path / "journal.db")

    def insert(connection: apsw.Connection) -> None:
        row = ("x", 1, 36, "k", 1, NOON, "c", 0, "p")
        digest = record_hash(genesis("x"), (FORMAT, *row), b"")
        connection.execute("UPDATE head SET seq = seq - 1 WHERE table_name = ?", (TABLES[2],))
        connection.execute("DELETE FROM record WHERE position >= 36")
        connection.execute(f"INSERT INTO record VALUES ({'?, ' * 11}?)", (*row, b"", genesis("x"), digest))
        connection.execute("INSERT INTO head VALUES ('x', 1, ?)", (digest,))

    edit(path, insert)
    assert ("x", "history-rewritten") in {(one.table, one.code) for one in found_in(path)}


def test_an_earlier_self_is_found_with_a_witness(sound: Path, tmp_path: Path) -> None:
    """A journal cut back to an earlier checkpoint looks sound, unless a later checkpoint is given as witness."""
    path = copy_of(sound, tmp_path / "journal.db")
    with SqliteJournal(path, read_only=True) as journal:
        first, second = journal.checkpoints()

    def cut(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM snapshot")
        connection.execute("DELETE FROM record WHERE position > 18")
        connection.execute("DELETE FROM checkpoint WHERE number = 2")
        connection.execute("UPDATE checkpoint_head SET number = 1, hash = ?", (first.hash,))
        connection.execute(
            "UPDATE head SET (seq, hash) = (SELECT seq, hash FROM record r WHERE r.table_name = head.table_name"
            " ORDER BY seq DESC LIMIT 1)"
        )

    edit(path, cut)
    assert list(verify_file(path)) == []
    assert list(verify_file(path, witness=first)) == []
    assert codes(verify_file(path, witness=second)) == {"checkpoint-missing"}


def replaced(one: Checkpoint, **changes: Any) -> Checkpoint:
    """A checkpoint edited without the key, with a recomputed hash."""
    one = msgspec.structs.replace(one, **changes)
    return msgspec.structs.replace(one, hash=sha256(signed_bytes(one) + one.signature).digest())


def store(path: Path, one: Checkpoint) -> None:
    """Replace the last checkpoint."""
    values = tuple(getattr(one, name) for name in Checkpoint.__struct_fields__)
    edit(
        path,
        ("DELETE FROM checkpoint WHERE number = ?", (one.number,)),
        (f"INSERT INTO checkpoint VALUES ({'?, ' * 8}?)", values),
        ("UPDATE checkpoint_head SET hash = ?", (one.hash,)),
    )


@pytest.mark.parametrize(
    "change", [{"at": 1}, {"position": 35}, {"count": 35}, {"signature": bytes(64)}, {"heads": b"\x90"}]
)
def test_an_edited_checkpoint_with_its_hash_is_found(sound: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    """A checkpoint with a recomputed hash still lacks a valid signature."""
    path = copy_of(sound, tmp_path / "journal.db")
    with SqliteJournal(path, read_only=True) as journal:
        *_, last = journal.checkpoints()
    store(path, replaced(last, **change))
    (finding,) = found_in(path)
    assert finding.code == "checkpoint-altered"
    assert "checkpoint 2 is not valid: it was altered: its signature does not match" in finding.sentence


def test_a_checkpoint_of_another_key_is_found(sound: Path, tmp_path: Path) -> None:
    """A journal rewritten as a whole and signed with another key is found."""
    path = copy_of(sound, tmp_path / "journal.db")
    with SqliteJournal(path, read_only=True) as journal:
        first, last = journal.checkpoints()
        forger = Signer.new()
        forged = forger.sign(journal.standing(), None, NOON)
    forged = replaced(forged, number=2, prev=first.hash, position=last.position)
    store(path, forged)
    found = found_in(path)
    assert [one.sentence for one in found] == ["checkpoint 2 is not valid: it was signed with a different key"]
    assert flaw_of(forged, forger.public) is not None


def test_without_a_key_checkpoints_are_not_trusted(sound: Path, tmp_path: Path) -> None:
    """A journal with checkpoints but without a public key is not called sound; a given key is used."""
    path = copy_of(sound, tmp_path / "journal.db")
    with SqliteJournal(path, read_only=True) as journal:
        public = journal.public_key()
    Path(f"{path}.pub").unlink()
    assert codes(verify_file(path)) == {"key-missing"}
    assert list(verify_file(path, public)) == []
    assert codes(verify_file(path, Signer.new().public)) == {"checkpoint-altered"}
    Path(f"{path}.pub").write_text("no key", encoding="ascii")
    assert codes(verify_file(path)) == {"key-missing"}


def test_a_missing_file_is_no_finding(tmp_path: Path) -> None:
    """A missing journal is an error, not a finding."""
    with pytest.raises(JournalUnreachable, match="there is no journal at"):
        found_in(tmp_path / "journal.db")


def test_much_damage_is_reported_briefly(tmp_path: Path) -> None:
    """After many unreadable records the rest is not tried, and the report says so."""
    path = tmp_path / "journal.db"
    with SqliteJournal(path) as journal:
        journal.append([Batch("a", 0, several(0, 5000))])
    edit(path, "UPDATE record SET by_whom = cast(x'ff' AS TEXT) WHERE position > 100")
    found = found_in(path)
    assert [one.position for one in found if one.code == "record-unreadable"] == list(range(101, 201))
    assert "too much is damaged: nothing after 200 was read" in {one.sentence for one in found}
    assert len(found) < 110


@pytest.mark.parametrize("damaged", ["position > 100", "position IN (3, 1500, 1501)", "FALSE"])
def test_what_is_readable_is_what_the_verification_hands_on(tmp_path: Path, damaged: str) -> None:
    """Whoever reads the records apart gets the same ones, in a damaged file too."""
    path = tmp_path / "journal.db"
    with SqliteJournal(path) as journal:
        journal.append([Batch("a", 0, several(0, 2500))])
    edit(path, f"UPDATE record SET by_whom = cast(x'ff' AS TEXT) WHERE {damaged}")
    handed: list[Row] = []
    with SqliteJournal(path, read_only=True) as journal:
        for _ in verify(journal, each=handed.extend):
            pass
        assert [row for rows in readable(journal, 0, 2500) for row in rows] == handed
        assert [row[2] for rows in readable(journal, 1, 2) for row in rows] == [2]


def test_a_damaged_snapshot_is_skipped(sound: Path, tmp_path: Path) -> None:
    """A restart takes the newest intact snapshot."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(
        path,
        "UPDATE snapshot SET state = x'00' WHERE seq = 15",
        "UPDATE snapshot SET record_hash = zeroblob(32) WHERE seq = 13",
    )
    with SqliteJournal(path) as journal:
        latest = journal.latest_snapshot(TABLES[1])
        assert latest is not None
        assert latest.seq == 11


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM record WHERE position = 48",
        f"UPDATE head SET hash = zeroblob(32) WHERE table_name = '{TABLES[0]}'",
        f"DELETE FROM head WHERE table_name = '{TABLES[0]}'",
    ],
)
def test_nothing_is_added_to_a_damaged_journal(sound: Path, tmp_path: Path, sql: str) -> None:
    """Appending to a table whose end was altered is refused with the reason."""
    path = copy_of(sound, tmp_path / "journal.db")
    edit(path, sql)
    with SqliteJournal(path) as journal, pytest.raises(Exception, match="nothing is added to it"):
        journal.append([Batch(TABLES[0], 8, [new("late")])])


def test_records_cannot_be_changed_by_mistake(sound: Path, tmp_path: Path) -> None:
    """While the triggers are in place, records and checkpoints can be neither changed nor deleted."""
    connection = apsw.Connection(str(copy_of(sound, tmp_path / "journal.db")))
    attempts: list[Callable[[], object]] = [
        lambda statement=statement: connection.execute(statement)  # type: ignore[misc]  # a default binds the loop's value
        for table in ("record", "checkpoint")
        for statement in (f"UPDATE {table} SET at = 0", f"DELETE FROM {table}")
    ]
    for attempt in attempts:
        with pytest.raises(apsw.ConstraintError, match="is never"):
            attempt()
    connection.close()
