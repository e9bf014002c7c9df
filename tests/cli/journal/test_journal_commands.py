"""audit, report, replay, explain, backup and restore, as people use them on a journal's file."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from taisai.books import open_shelf
from taisai.cli import main
from taisai.journal import open_journal
from taisai.journal.signing import public_path
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of one table, dealt for a while and signed."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        keeper = TableKeeper(opened, shelf.book, "T1", snapshot_every=60)
        for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", 8, trouble=0.15)), 300):
            pass
        opened.sign_checkpoint(keeper.state.at)
    return file


def tamper(file: Path) -> None:
    """Change one byte of one bet, where it is kept."""
    with closing(sqlite3.connect(file)) as database:
        (body,) = database.execute("SELECT body FROM record WHERE kind = 'bet-placed' LIMIT 1").fetchone()
        place = body.index(b'"amount":') + 9
        other = body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]
        (guard,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'record_is_final'").fetchone()
        database.execute("DROP TRIGGER record_is_final")
        database.execute("UPDATE record SET body = ? WHERE body = ?", (other, body))
        database.execute(guard)
        database.commit()


def printed(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What the command prints."""
    assert main(words) == code
    return capfd.readouterr().out


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refused command."""
    assert main(words) == 2
    captured = capfd.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    return captured.err


def test_audit_of_a_good_journal(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A good journal has no finding and exit code 0, with its own key or one that is given."""
    assert "no finding" in printed(capfd, "audit", str(journal))
    words = ("audit", str(journal), "--public-key", str(public_path(journal)), "--json")
    found = json.loads(printed(capfd, *words))
    assert found["findings"] == []
    assert found["tables"]["T1"]["rounds"] > 5


def test_audit_of_a_tampered_journal(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """One flipped byte of a bet is found, named, and gives exit code 1."""
    copy = tmp_path / "copy.db"
    shutil.copy(journal, copy)
    tamper(copy)
    found = json.loads(printed(capfd, "audit", str(copy), "--json", code=1))
    assert any(finding["code"] == "record-altered" and finding["table"] == "T1" for finding in found["findings"])
    assert "findings" in printed(capfd, "audit", str(copy), code=1)


def test_report_shows_days_and_writes_files(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A report on the screen, as JSON, as CSV, and as a page."""
    assert "Significant events" in printed(capfd, "report", str(journal))
    rows = json.loads(printed(capfd, "report", str(journal), "--by", "life", "--json"))["rows"]
    assert rows[0]["table"] == "T1"
    assert printed(capfd, "report", str(journal), "--csv").startswith("title,")
    page, sheet = tmp_path / "day.html", tmp_path / "day.csv"
    printed(capfd, "report", str(journal), "--zone", "Asia/Singapore", "-o", str(page))
    printed(capfd, "report", str(journal), "-o", str(sheet))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sheet.read_text(encoding="utf-8").startswith("title,")
    assert "No Activity" in printed(capfd, "report", str(journal), "--table", "T9")
    assert "--zone" in refused(capfd, "report", str(journal), "--zone", "Moon/Base")
    assert "--output" in refused(capfd, "report", str(journal), "-o", str(tmp_path / "x.pdf"))


def test_replay_tells_a_round(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A round is told from its call to its end, who did what and why."""
    shown = printed(capfd, "replay", str(journal), "--table", "T1", "--round", "2")
    assert "Place your bets" in shown
    assert "No more bets" in shown
    assert "dan" in shown
    last = json.loads(printed(capfd, "replay", str(journal), "--table", "T1", "--json"))
    assert last["events"][-1]["event"] in ("round-concluded", "round-voided")
    assert "--round" in refused(capfd, "replay", str(journal), "--table", "T1", "--round", "99999")
    assert "T1" in refused(capfd, "replay", str(journal), "--table", "T2")


def test_explain_tells_a_players_bets(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A player's last rounds, marked as replay, with funds before and after and the clauses of each bet."""
    shown = printed(capfd, "explain", str(journal), "--table", "T1", "--player", "p1")
    assert "(replay)" in shown
    assert "§4.10" in shown or "§7.1" in shown
    found = json.loads(printed(capfd, "explain", str(journal), "--table", "T1", "--player", "p1", "--json"))
    first = found["rounds"][0]
    assert first["replay"] is True
    assert first["funds_before"] is not None
    assert all(hand["by"] == "p1" for bet in first["bets"] for hand in bet["placed"])
    assert all(sum(hand["amount"] for hand in bet["placed"]) >= bet["stake"] > 0 for bet in first["bets"])
    number = str(first["round"])
    words = ("explain", str(journal), "--table", "T1", "--player", "p1", "--round", number, "--json")
    assert json.loads(printed(capfd, *words))["rounds"] == [first]
    assert "--player" in refused(capfd, "explain", str(journal), "--table", "T1", "--player", "nobody")
    assert "--table" in refused(capfd, "explain", str(journal), "--table", "T9", "--player", "p1")
    assert "--round" in refused(capfd, "explain", str(journal), "--table", "T1", "--player", "p1", "--round", "99999")


def test_backup_and_restore(capfd: pytest.CaptureFixture[str], journal: Path, tmp_path: Path) -> None:
    """A backup audits clean, comes back only when it is sound, and overwrites only by force."""
    copy, target = tmp_path / "copy.db", tmp_path / "restored.db"
    assert "records copied" in printed(capfd, "backup", str(journal), str(copy))
    assert "is sound" in printed(capfd, "restore", str(copy), str(target))
    assert "no finding" in printed(capfd, "audit", str(target))
    assert refused(capfd, "restore", str(copy), str(target))
    assert refused(capfd, "backup", str(journal), str(copy))
    tamper(copy)
    assert refused(capfd, "restore", str(copy), str(tmp_path / "other.db"))


def test_a_missing_journal_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is not there, or is no journal, is one clear line."""
    missing, foreign = tmp_path / "none.db", tmp_path / "foreign.db"
    foreign.write_text("hello", encoding="utf-8")
    for command in (("report",), ("replay", "--table", "T1"), ("explain", "--table", "T1", "--player", "p")):
        for file in (missing, foreign):
            assert str(file) in refused(capfd, command[0], str(file), *command[1:])
    assert str(missing) in refused(capfd, "audit", str(missing))
