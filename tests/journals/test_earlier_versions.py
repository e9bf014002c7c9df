"""A journal of version 0.1.0 goes on under today's software and today's books.

Its seven tables pin the digests by which version 0.1.0 knew the four rule books. `report.json` is what
`taisai report JOURNAL --json` of that version printed, without the time at which it was made.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Final

import pytest

from taisai.books import open_shelf
from taisai.history.payouts import payouts
from taisai.history.schema import rules_key
from taisai.journal import open_journal
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE_STREAM
from taisai.streams.loading import load
from taisai.table.evolve import replay
from taisai.table.rules import set_up_of
from taisai.table.state import TableState
from tests.audit.bot import Bot
from tests.cli.running import printed
from tests.streams.keeper import TableKeeper

KEPT: Final = Path(__file__).parent / "0.1.0"
DEALT: Final = ("T1", "T2", "T3", "T4", "T5")
"""Tables dealt by a crew, at least one under each book; most were left in the middle of a round."""
SHELF: Final = open_shelf(environment={})


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """The journal that version 0.1.0 wrote, as a file that may be changed."""
    path = tmp_path / "journal.db"
    path.write_bytes(gzip.decompress((KEPT / "journal.db.gz").read_bytes()))
    return path


def audit(capfd: pytest.CaptureFixture[str], journal: Path) -> str:
    """What the audit says of a journal in which it must find nothing."""
    return printed(capfd, "audit", str(journal), "--public-key", str(KEPT / "journal.pub"))


def test_it_opens_and_replays(journal: Path) -> None:
    """Every table comes to the same state from its snapshot as from its first record, under its digest of then."""
    with open_journal(journal) as opened:
        tables = [table for table in opened.tables() if table != HOUSE_STREAM]
        assert tables == ["A1", "A2", *DEALT]
        for table in tables:
            state, _ = load(opened, table)
            assert replay(TableState(table), map(event_of, opened.read(table))) == state
            book = SHELF.book(set_up_of(state).book)
            assert set_up_of(state).digest == book.formerly[0].digest != book.digest


def test_it_audits_without_a_finding(journal: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Chain, signatures, procedure and money hold, and every rule book is known by its digest."""
    assert "1,569 records of 7 tables: no finding" in audit(capfd, journal)


def test_it_gives_the_same_report(journal: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The report has the figures that version 0.1.0 printed."""
    report = json.loads(printed(capfd, "report", str(journal), "--json"))
    del report["made_at"], report["notice"]
    for row in report["rows"]:
        # Version 0.1.0 recorded no spread of a round: it has no interval.
        added = [row.pop(name) for name in ("variance", "farthest", "measured", "return_interval", "outside")]
        assert (added[0], added[1], added[3]) == (0, 0, None)
    assert report == json.loads((KEPT / "report.json").read_text(encoding="utf-8"))


def test_its_bets_are_explained(journal: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A bet of then is explained with its clauses."""
    found = json.loads(printed(capfd, "explain", str(journal), "--table", "T3", "--player", "p1", "--json"))
    bets = [bet for each in found["rounds"] for bet in each["bets"]]
    assert bets
    assert all(bet["why"] and bet["clauses"] for bet in bets)


@pytest.mark.parametrize("table", DEALT)
def test_its_tables_are_dealt_on(table: str, journal: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A table goes on under today's books, from the middle of a round, and the whole still audits."""
    with open_journal(journal) as opened:
        keeper = TableKeeper(opened, SHELF.book, table)
        keeper.restart(keeper.state.at)
        rounds, set_up = keeper.state.round.number, set_up_of(keeper.state)
        bot = Bot(SHELF.book(set_up.book), set_up.layout, seed=7)
        while keeper.state.round.number < rounds + 3:
            assert keeper.do(bot.command(keeper.state)).refusal is None
        assert set_up_of(keeper.state).digest == set_up.digest
    assert "no finding" in audit(capfd, journal)


def test_its_exported_bets_are_settled_again(journal: Path) -> None:
    """Bets exported under a digest of then find the pays of today's book."""
    with open_journal(journal) as opened:
        set_ups = [set_up_of(load(opened, table)[0]) for table in DEALT]
    keys = {rules_key(f"{each.book}/{each.layout}", each.digest) for each in set_ups}
    found = payouts(keys, SHELF)
    assert found.missing == ()
    assert set(found.boxes.column("rules").to_pylist()) == keys
