"""The PAR sheet: every figure against the definition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt

import pytest

from taisai.analysis.papers import par as sheets
from taisai.analysis.papers.par import bets_line, box_lines, paper_of, rounds_text, sheet_of, traffic_line
from taisai.analysis.risk.chain import chain_of
from taisai.analysis.risk.traffic import Traffic, rules_of
from taisai.analysis.session.exact import Manner, session
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds
from tests.analysis.risk.samples import BIG, BOOK, LAYOUT, SHELF, SMALL, TRAFFICS
from tests.analysis.session.samples import game_on


def test_boxes_that_are_alike_share_a_line() -> None:
    """All boxes of a layout stand on the sheet, each once, with exact return, edge and variance."""
    lines = box_lines(LAYOUT)
    assert sum(line.boxes for line in lines) == len(LAYOUT.boxes)
    small = next(line for line in lines if line.name == "small")
    assert (small.ways, small.pays) == ("105", "1 to 1")
    assert small.edge == Fraction(1, 36)
    assert small.variance == 1 - Fraction(1, 36) ** 2
    assert small.volatility == pytest.approx(1.645 * sqrt(1295) / 36)
    assert small.n0 == pytest.approx(1295)


def test_hold_is_that_of_the_session() -> None:
    """The interval of the hold after a hundred rounds is read off the exact session."""
    line = bets_line(bets_odds(LAYOUT, parse_bets(LAYOUT, "small=100 total:9=50")))
    game = game_on("rws-tai-sai-v6/C", "small=100 total:9=50")
    exact = session(game, Manner(100), exact=True, levels=(Fraction(1, 200), Fraction(199, 200)))
    (_, low), (_, high) = exact.quantiles
    assert (line.holds[0].low, line.holds[0].high) == (-high / 15_000, -low / 15_000)
    assert line.holds[0].computed
    widths = [each.high - each.low for each in line.holds]
    assert widths == sorted(widths, reverse=True)


def test_what_is_too_large_comes_from_the_normal_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the distribution cannot be computed the interval says so, and is near the one that can."""
    computed = bets_line(bets_odds(LAYOUT, parse_bets(LAYOUT, "small=100")))

    def refuse(*_: object) -> None:
        raise InputFault("bets", "too fine")

    monkeypatch.setattr(sheets, "float_weights", refuse)
    normal = bets_line(bets_odds(LAYOUT, parse_bets(LAYOUT, "small=100")))
    assert not normal.holds[2].computed
    assert normal.holds[2].low == pytest.approx(computed.holds[2].low, abs=0.001)


@pytest.mark.parametrize("name", ["flat", "comes and goes", "void", "martingale"])
def test_traffic_has_the_edge_of_its_bets(name: str) -> None:
    """The line of a traffic is of its first round: hold, variance, intervals about the edge."""
    traffic = TRAFFICS[name]
    chain = chain_of(LAYOUT, rules_of(BOOK, traffic.limits, traffic.excess), traffic)
    line = traffic_line("players", chain)
    assert line.edge == chain.mean() / chain.turnover[0]
    assert line.variance == chain.variance() / chain.turnover[0] ** 2
    for each in line.holds:
        assert each.low < line.edge < each.high


def test_a_traffic_without_risk_is_refused() -> None:
    """Nobody there, or everybody refused: no sheet."""
    nobody = Traffic((replace(SMALL, attendance=Fraction(0)), replace(BIG, attendance=Fraction(0))), 2)
    with pytest.raises(InputFault, match="nothing is at risk"):
        traffic_line("nobody", chain_of(LAYOUT, rules_of(BOOK, None), nobody))


@pytest.mark.parametrize("name", ["nz-division-9/2", "rws-mini-dice-v3/A"])
def test_the_paper_says_what_it_is_of(name: str) -> None:
    """Digest, version and every line are on the paper."""
    layout = SHELF.layout(name)
    book = SHELF.book(layout.book_id)
    sheet = sheet_of(book, layout, box_lines(layout), subject="every box", worst="none", software="taisai 9")
    paper = paper_of(sheet, [("made at", "now")])
    facts = dict(paper.facts)
    assert facts["digest of the rule book"] == book.digest
    assert facts["made at"] == "now"
    assert [row[0] for row in paper.sheets[0].rows] == [row[0] for row in paper.sheets[1].rows]
    assert len(paper.sheets[0].rows) == len(sheet.lines)


def test_no_edge_has_no_n0() -> None:
    """A game without an edge never wins one standard deviation by itself."""
    line = replace(box_lines(LAYOUT)[0], edge=Fraction(0))
    assert line.n0 == inf
    assert rounds_text(line.n0) == "none"
