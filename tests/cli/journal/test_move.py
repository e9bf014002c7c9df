"""`taisai move`, and the other commands on a journal on PostgreSQL."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from taisai.books import open_shelf
from taisai.cli import main
from taisai.journal import Batch, Journal, SqliteJournal, open_journal
from taisai.journal.opening import shown_address
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from taisai.streams.house_events import HOUSE_STREAM, HouseEventBody, JournalMoved, game_tables, read_house
from tests.audit.bot import Bot, deal
from tests.cli.running import printed, refused
from tests.journal.samples import NOON, Content, content, edit, fill, new, sign_checkpoint
from tests.postgres import journal_url, schema_of, server
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of one table, dealt for a while, signed, with a key-value entry."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        keeper = TableKeeper(opened, shelf.book, "T1", snapshot_every=60)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 8, trouble=0.15)), 200):
            pass
        sign_checkpoint(opened, keeper.state.at)
        opened.put("setting/house", b"harbour")
    return file


def as_bytes(journal: Journal) -> list[tuple[object, ...]]:
    """Every record, field by field."""
    return journal.rows(0, journal.position(), journal.position())  # type: ignore[return-value]  # a row is a tuple


@pytest.mark.postgres
def test_there_and_back(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A file moved to PostgreSQL and back has the same records, byte for byte, and everything else that it had.

    Each move adds one record of the house at the end, which says where the journal came from.
    """
    url, back = journal_url(tmp_path), tmp_path / "back.db"
    shown = printed(capfd, "move", str(journal), url)
    with SqliteJournal(journal, read_only=True) as source:
        records, standing = as_bytes(source), standing_words(source)
        wanted, length = content(source), source.position()
    assert f"{standing} and 1 key-value entries: copied to postgresql://" in shown
    assert "and proven" in shown
    assert f"put {journal}.key at {tmp_path / 'house.key'}" in shown
    with PostgresJournal(url, read_only=True) as there:
        assert as_bytes(there)[:length] == records
        assert without_house(there) == wanted
        assert moves(there) == [JournalMoved(str(journal), length)]
        assert there.position() == length + 1
        moved = as_bytes(there)
    assert "and proven" in printed(capfd, "move", url, str(back))
    with SqliteJournal(back, read_only=True) as again:
        assert as_bytes(again)[: length + 1] == moved
        assert without_house(again) == wanted
        assert moves(again) == [JournalMoved(str(journal), length), JournalMoved(shown_address(url), length + 1)]
        assert again.position() == length + 2
        assert list(verify(again)) == []
        with SqliteJournal(journal, read_only=True) as source:
            assert again.public_key() == source.public_key()


def moves(journal: Journal) -> list[HouseEventBody]:
    """What the house's stream says, all of it by the one at the console."""
    events = [event for _, event in read_house(journal)]
    assert {event.by for event in events} == {"console"}
    return [event.what for event in events]


def without_house(journal: Journal) -> Content:
    """Everything that can be read from a journal except the house's stream."""
    records, _, heads, snapshots, checkpoints, entries = content(journal)
    tables = game_tables(journal)
    return (
        [record for record in records if record.table != HOUSE_STREAM],
        [list(journal.read(table)) for table in tables],
        {table: heads[table] for table in tables},
        snapshots,
        checkpoints,
        entries,
    )


def standing_words(journal: Journal) -> str:
    """What there is in a journal, in the words of the command."""
    standing = journal.standing()
    return f"{standing.position:,} records of {len(standing.heads):,} tables, {standing.checkpoint:,} checkpoints"


@pytest.mark.postgres
def test_signing_goes_on_when_the_key_is_there(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path
) -> None:
    """After a move the next checkpoint is signed with the old key, put where the command says."""
    url = journal_url(tmp_path)
    printed(capfd, "move", str(journal), url)
    (tmp_path / "house.key").write_bytes(Path(f"{journal}.key").read_bytes())
    with PostgresJournal(url) as there:
        there.append([Batch("T2", 0, [new()])])
        sign_checkpoint(there, NOON)
        assert list(verify(there)) == []


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_target_that_is_not_empty(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path, kind: str
) -> None:
    """A journal that has anything in it is refused, and left as it is; an empty one is taken."""
    target = journal_url(tmp_path) if kind == "postgresql" else str(tmp_path / "target.db")
    with open_journal(target) as there:
        there.put("setting", b"mine")
    assert "is not empty (0 records, 0 checkpoints, 1 entries)" in refused(capfd, "move", str(journal), target)
    with open_journal(target) as there:
        there.put("setting", None)
        there.append([Batch("a", 0, [new()])])
    assert "TARGET" in refused(capfd, "move", str(journal), target)
    with open_journal(target, read_only=True) as there:
        assert there.tables() == ["a"]
    (tmp_path / "empty").mkdir()
    empty = journal_url(tmp_path / "empty") if kind == "postgresql" else str(tmp_path / "empty.db")
    open_journal(empty).close()
    assert "and proven" in printed(capfd, "move", str(journal), empty)


@pytest.mark.postgres
def test_what_cannot_be_moved(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A missing source, the same place twice, memory, and a wrong password are one clear line."""
    assert "onto itself" in refused(capfd, "move", str(journal), str(journal))
    assert "memory" in refused(capfd, "move", str(journal), "memory:")
    assert "there is no journal" in refused(capfd, "move", str(tmp_path / "none.db"), str(tmp_path / "new.db"))
    assert not (tmp_path / "new.db").exists()
    said = refused(capfd, "move", str(journal), journal_url(tmp_path, user="house:hush-hush"))
    assert "refuses the user or the password" in said
    assert "hush-hush" not in said


@pytest.mark.postgres
def test_a_house_that_is_running(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A journal that somebody writes to is not moved: a file that is held, or a server with a lease that is valid."""
    with SqliteJournal(tmp_path / "floor.db") as running:
        fill(running)
        assert "is writing to" in refused(capfd, "move", str(tmp_path / "floor.db"), str(tmp_path / "new.db"))
    url = journal_url(tmp_path)
    with PostgresJournal(url) as running:
        running.append([Batch("T1", 0, [new()])])
        running.leases.take(["T1"], "node 1", 60)
        assert "table 'T1' is being dealt by node 1" in refused(capfd, "move", url, str(tmp_path / "new.db"))
        running.leases.release("T1", "node 1")
        assert "and proven" in printed(capfd, "move", url, str(tmp_path / "new.db"))


@pytest.mark.postgres
def test_somebody_writes_meanwhile(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the source has grown during the copying, the copy is not called good."""
    url = journal_url(tmp_path)
    with PostgresJournal(url) as running:
        fill(running)

        def late(
            self: PostgresJournal, prefix: str = "", *, after: str = "", count: int | None = None
        ) -> dict[str, bytes]:
            running.append([Batch("late", running.head("late").seq, [new(running.position())])])
            return entries(self, prefix, after=after, count=count)

        entries = PostgresJournal.entries
        monkeypatch.setattr(PostgresJournal, "entries", late)
        assert "somebody wrote to" in refused(capfd, "move", url, str(tmp_path / "new.db"))


def test_a_tampered_journal_is_not_moved(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Records that do not come out the same, and signatures that do not fit, are told; the copy is not called good."""
    for name, sql, code in (
        ("record", "UPDATE record SET at = at + 1 WHERE position = 5", 2),
        ("checkpoint", "UPDATE checkpoint SET signature = zeroblob(64) WHERE number = 1", 1),
    ):
        file, target = tmp_path / f"{name}.db", tmp_path / f"{name}-copy.db"
        with SqliteJournal(file) as source:
            fill(source)
        edit(file, sql)
        assert main(("move", str(file), str(target))) == code
        shown = capfd.readouterr()
        assert ("is incomplete: remove it" if code == 2 else "do not use it") in shown.out
        assert "and proven" not in shown.out


@pytest.mark.postgres
def test_another_key_beside_the_target(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A place beside which another journal's public key lies is refused before anything is copied."""
    with SqliteJournal(tmp_path / "other.db") as other:
        fill(other)
    (tmp_path / "house.pub").write_bytes((tmp_path / "other.db.pub").read_bytes())
    assert "the public key of another journal" in refused(capfd, "move", str(journal), journal_url(tmp_path))
    with PostgresJournal(journal_url(tmp_path)) as target:
        assert target.position() == 0


@pytest.mark.postgres
def test_every_command_reads_a_journal_on_postgresql(
    capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path
) -> None:
    """Audit, report, replay, explain and backup give for a journal on a server what they give for the file."""
    url = journal_url(tmp_path)
    printed(capfd, "move", str(journal), url)
    for words in (
        ("replay", "--table", "T1", "--json"),
        ("explain", "--table", "T1", "--player", "p1", "--json"),
    ):
        assert printed(capfd, words[0], url, *words[1:]) == printed(capfd, words[0], str(journal), *words[1:])
    rows = [json.loads(printed(capfd, "report", each, "--json"))["rows"] for each in (url, str(journal))]
    assert rows[0] == rows[1]
    assert "no finding" in printed(capfd, "audit", url)
    printed(capfd, "backup", url, str(tmp_path / "backup.db"))
    assert "no finding" in printed(capfd, "audit", str(tmp_path / "backup.db"))
    server().execute(
        f"SET search_path = {schema_of(tmp_path)}; SET session_replication_role = replica;"
        " UPDATE record SET at = at + 1 WHERE position = 9"
    )
    found = json.loads(printed(capfd, "audit", url, "--json", code=1))
    assert {finding["code"] for finding in found["findings"]} >= {"record-altered"}
    assert found["journal"].startswith("postgresql://postgres@")
    assert "there is no journal at" in refused(capfd, "audit", journal_url(tmp_path / "none"))
