"""The journal on PostgreSQL: servers and users that are refused, tampering, and the key."""

from __future__ import annotations

import asyncio
import builtins
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import pytest

from taisai.journal import (
    Batch,
    Journal,
    JournalDamaged,
    JournalFailed,
    JournalReadOnly,
    JournalUnreachable,
    SigningError,
    open_journal,
)
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.postgres.meddling import tampered
from tests.journal.samples import NOON, codes, content, fill, new, several, sign_checkpoint
from tests.postgres import Server, journal_url, schema_of, server

pytestmark = pytest.mark.postgres

HOUSE = "house:open%20sesame"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "PostgreSQL"])
def test_an_address_opens_a_journal(tmp_path: Path, scheme: str) -> None:
    """Both schemes are accepted, in any case."""
    url = journal_url(tmp_path).replace("postgresql", scheme, 1)
    with open_journal(url) as journal:
        assert isinstance(journal, PostgresJournal)
        journal.append([Batch("a", 0, [new()])])
    with open_journal(url, read_only=True) as journal:
        assert journal.position() == 1


def test_without_asyncpg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, the refusal names it."""
    for name in [
        name for name in sys.modules if name.startswith("taisai.journal.postgres.") and not name.endswith(".address")
    ]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "asyncpg":
            raise ModuleNotFoundError("No module named 'asyncpg'", name="asyncpg")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(JournalUnreachable, match=r"needs asyncpg: install .* taisai\[postgres\]"):
        open_journal("postgresql://localhost/floor")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"user": "house:wrong-secret"}, "refuses the user or the password"),
        ({"user": "nobody-known:wrong-secret"}, "refuses the user or the password"),
        ({"user": HOUSE, "database": "nowhere"}, "has no such database; create it first"),
        ({"user": HOUSE, "host": "/no/such/folder"}, "cannot be reached"),
        ({"user": HOUSE, "host": "127.0.0.1", "port": "1"}, "cannot be reached"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_server_that_cannot_be_opened(
    tmp_path: Path, options: dict[str, str], words: str, *, read_only: bool
) -> None:
    """A wrong password, database or host is refused with the reason, and without the password."""
    with pytest.raises(JournalUnreachable, match=words) as refused:
        open_journal(journal_url(tmp_path, **options), read_only=read_only)
    shown = "".join(traceback.format_exception(refused.value))
    assert "wrong-secret" not in shown
    assert "sesame" not in shown


def test_a_missing_journal_is_not_made_for_reading(tmp_path: Path) -> None:
    """A missing journal is not made for reading, nor with `create` false."""
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(JournalUnreachable, match="there is no journal at"):
            open_journal(journal_url(tmp_path), **options)
    assert server().fetch("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema_of(tmp_path)) == []


def test_a_user_who_may_only_read(tmp_path: Path) -> None:
    """A user without the right to write can read and verify, and is refused for the rest."""
    schema = schema_of(tmp_path)
    with PostgresJournal(journal_url(tmp_path)) as journal:
        fill(journal)
        before = content(journal)
    with pytest.raises(JournalUnreachable, match=r"may not read .*: permission denied"):
        PostgresJournal(journal_url(tmp_path, user="reader:look"), read_only=True)
    server().execute(
        f"GRANT USAGE ON SCHEMA {schema} TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader"
    )
    with PostgresJournal(journal_url(tmp_path, user="reader:look"), read_only=True) as journal:
        assert content(journal) == before
        assert list(verify(journal)) == []
        with pytest.raises(JournalReadOnly, match="was opened for reading only"):
            journal.append([Batch("a", 0, [new()])])
    with (
        PostgresJournal(journal_url(tmp_path, user="reader:look")) as journal,
        pytest.raises(JournalReadOnly, match=r"the user may not write to .*: permission denied"),
    ):
        journal.append([Batch("a", 0, [new()])])


def test_a_read_only_server(tmp_path: Path) -> None:
    """On a read-only server an existing journal can be read, and nothing is made or appended."""
    url, standby = journal_url(tmp_path), {"default_transaction_read_only": "on"}
    with pytest.raises(JournalReadOnly, match="is read-only: a standby server"):
        PostgresJournal(journal_url(tmp_path, **standby))
    with PostgresJournal(url) as journal:
        journal.append([Batch("a", 0, [new()])])
    with PostgresJournal(journal_url(tmp_path, **standby)) as journal:
        assert journal.position() == 1
        for change in (
            lambda: journal.append([Batch("a", 1, [new("c2")])]),
            lambda: journal.put("a", b""),
            lambda: sign_checkpoint(journal, NOON),
        ):
            with pytest.raises(JournalReadOnly, match="is read-only: a standby server"):
                change()


def test_a_server_that_is_not_durable(tmp_path: Path) -> None:
    """A server with `fsync` off is refused; a weak `synchronous_commit` is overridden."""
    careless = Server("fsync=off")
    try:
        with pytest.raises(JournalFailed, match="does not wait for its disk"):
            PostgresJournal(careless.journal_url(tmp_path))
    finally:
        careless.stop("end")
    for asked, given in (("off", "on"), ("local", "on"), ("on", "on"), ("remote_apply", "remote_apply")):
        with PostgresJournal(journal_url(tmp_path, synchronous_commit=asked)) as journal:
            assert journal._link.write(lambda c: c.fetchval("SHOW synchronous_commit")) == given


def test_a_database_of_another_encoding(tmp_path: Path) -> None:
    """A database whose encoding is not UTF8 is refused."""
    name = schema_of(tmp_path)
    server().execute(f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0")
    with pytest.raises(JournalFailed, match="stores text as SQL_ASCII"):
        PostgresJournal(journal_url(tmp_path, database=name))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE record SET at = at + 1 WHERE position = 1",
        "DELETE FROM record WHERE position = 36",
        "TRUNCATE record CASCADE",
        "UPDATE checkpoint SET at = 0",
        "DELETE FROM checkpoint",
        "TRUNCATE checkpoint",
    ],
)
def test_what_is_written_stays(on_server: PostgresJournal, tmp_path: Path, sql: str) -> None:
    """Records and checkpoints can be neither changed nor deleted, not even by the owner of the database."""
    fill(on_server)
    before = content(on_server)
    with pytest.raises(asyncpg.RestrictViolationError, match="is never changed or deleted"):
        server().execute(f"SET search_path = {schema_of(tmp_path)}; {sql}")
    assert content(on_server) == before


TAMPERING: dict[str, tuple[str, str]] = {
    "record altered": ("UPDATE record SET at = at + 1 WHERE position = 5", "record-altered"),
    "body altered": ("UPDATE record SET body = '{}x' WHERE position = 5", "record-altered"),
    "text altered": (r"UPDATE record SET by_whom = 'p\7' WHERE position = 5", "record-altered"),
    "table altered": ("UPDATE record SET table_name = 'x' WHERE position = 5", "record-missing"),
    "middle deleted": ("DELETE FROM record WHERE position = 20", "record-missing"),
    "end deleted": ("DELETE FROM record WHERE position > 40", "tail-missing"),
    "everything deleted": ("TRUNCATE record CASCADE", "table-missing"),
    "a record before the first": (
        """ALTER TABLE record DROP CONSTRAINT record_position_check;
        INSERT INTO record VALUES ('甲', 99, -1, 'k', 1, 1, 'x', 0, 'p', '', '', '')""",
        "record-misplaced",
    ),
    "head altered": ("UPDATE head SET hash = '\\x00' WHERE table_name = '甲'", "head-altered"),
    "head deleted": ("DELETE FROM head WHERE table_name = '甲'", "head-missing"),
    "tail moved": ("UPDATE tail SET position = position + 1", "tail-missing"),
    "tail deleted": ("DELETE FROM tail", "tail-missing"),
    "snapshot altered": ("UPDATE snapshot SET state = ''", "snapshot-altered"),
    "checkpoint altered": ("UPDATE checkpoint SET at = at + 1 WHERE number = 1", "checkpoint-altered"),
    "last checkpoint deleted": ("DELETE FROM checkpoint WHERE number = 2", "checkpoint-missing"),
    "last checkpoint renamed": ("UPDATE checkpoint_head SET hash = '\\x00'", "checkpoint-missing"),
    "trigger gone": ("DROP TRIGGER record_is_final ON record", "schema-altered"),
    "trigger asleep": ("ALTER TABLE record DISABLE TRIGGER record_is_final", "schema-altered"),
    "trigger without teeth": (
        "CREATE OR REPLACE FUNCTION is_final() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "schema-altered",
    ),
    "another table": ("CREATE TABLE more (a integer)", "schema-altered"),
    "not logged": ("ALTER TABLE drawer SET UNLOGGED", "schema-altered"),
    "no key": ("ALTER TABLE record DROP CONSTRAINT record_command_id_table_name_part_key", "schema-altered"),
    "a rule": ("CREATE RULE quiet AS ON INSERT TO drawer DO INSTEAD NOTHING", "schema-altered"),
    "a table gone": ("DROP TABLE checkpoint_head", "file-damaged"),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_found(on_server: PostgresJournal, tmp_path: Path, name: str) -> None:
    """Changes by the owner of the server, who does not have the key, are found."""
    fill(on_server, 8)
    assert list(verify(on_server)) == []
    sql, code = TAMPERING[name]
    tampered(tmp_path, sql)
    with PostgresJournal(journal_url(tmp_path), read_only=True) if name != "tail deleted" else on_server as journal:
        found = list(verify(journal))
    assert code in codes(found), found
    assert all(one.sentence for one in found)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM record WHERE position = 36", "should have 36 records, .* the last is number 35"),
        ("UPDATE head SET seq = seq - 1 WHERE table_name = '甲'", "its tables should have 35 together"),
        ("UPDATE head SET hash = '\\x00' WHERE table_name = '甲'", "is not the one that its head names"),
        ("DELETE FROM tail", "has lost its end"),
    ],
)
def test_nothing_is_added_to_a_damaged_journal(tmp_path: Path, sql: str, words: str) -> None:
    """A journal whose ends disagree refuses further records."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        fill(journal)
    tampered(tmp_path, sql)
    with (
        pytest.raises(JournalDamaged, match=words),
        PostgresJournal(journal_url(tmp_path)) as journal,
    ):
        journal.append([Batch("甲", 18, [new("c")])])


def test_the_key_is_where_the_address_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is made where the address says, or in the configuration folder; without it nothing is signed."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        assert journal.public_key() is None
        fill(journal)
        assert journal.key_file == (tmp_path / "house.key").resolve()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["house.key", "house.pub"]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    without = journal_url(tmp_path).partition("&key=")[0]
    with PostgresJournal(without) as journal:
        assert journal.key_file == tmp_path / "settings" / "taisai" / f"{journal.id}.key"
        assert codes(verify(journal)) == {"key-missing"}
        with pytest.raises(SigningError, match="is missing, and this journal was signed with it"):
            sign_checkpoint(journal, NOON)
    (tmp_path / "new").mkdir()
    other = journal_url(tmp_path / "new").partition("&key=")[0]
    with PostgresJournal(other) as journal:
        sign_checkpoint(journal, NOON)
        assert journal.key_file.is_file()
        assert list(verify(journal)) == []
    with PostgresJournal(other) as journal:
        sign_checkpoint(journal, NOON)
        assert list(verify(journal)) == []


def test_a_folder_for_the_key_that_cannot_be_made(tmp_path: Path) -> None:
    """Where the key cannot be written, nothing is signed, and the reason is given."""
    (tmp_path / "file").write_text("", encoding="ascii")
    with (
        PostgresJournal(journal_url(tmp_path, key=tmp_path / "file" / "house.key")) as journal,
        pytest.raises(SigningError, match="cannot be made"),
    ):
        sign_checkpoint(journal, NOON)


def test_a_number_out_of_range(on_server: PostgresJournal) -> None:
    """A number out of range is refused, and the journal can be used afterwards."""
    with pytest.raises(JournalFailed, match="failed"):
        list(on_server.read("a", 0, 2**70))
    with pytest.raises(JournalFailed, match="failed"):
        sign_checkpoint(on_server, 2**70)
    on_server.append([Batch("a", 0, several(0, 3))])
    assert list(verify(on_server)) == []


def test_a_journal_is_used_from_inside_a_loop(on_server: PostgresJournal) -> None:
    """A caller that runs an event loop of its own can use the journal like any other."""

    async def use(do: Callable[[Journal], int]) -> int:
        return do(on_server)

    def append(journal: Journal) -> int:
        journal.append([Batch("a", 0, several(0, 3))])
        return journal.position()

    assert asyncio.run(use(append)) == 3


ODD_TEXTS = ('"', '","', "\\", "\\0", "\0", "NULL", "{}", "a,b", " ", '\\"', "\n", "'", "$1", "骰")
