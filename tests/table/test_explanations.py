"""A player's last rounds, and why each bet came out as it did."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.explanations import BetExplained, currency_of, explain_line, recall
from tests.table.driver import (
    LIMITS,
    NZ,
    ONE_OF_EACH_BOOK,
    SUPERVISOR,
    TAI_SAI,
    TAI_SAI_C,
    Deal,
    opened,
    set_up_of,
    shelf,
)

TIGHT = replace(LIMITS, default=c.BoxLimit(50, 300), differential={"big-small": 100})
LOOSE = replace(LIMITS, default=c.BoxLimit(5, 5000))


def explained(deal: Deal) -> dict[tuple[str, str], BetExplained]:
    """The bets of the last round."""
    book = deal.rules.book
    return {(line.player, line.box): explain_line(book, deal.past, line) for line in deal.past.lines}


def test_a_player_recalls_their_last_rounds_with_funds_before_and_after() -> None:
    """Newest first, their own lines only, at most as many as asked for."""
    deal = opened(NZ, ann=1000, bob=1000)
    for number in range(4):
        deal.begin().bet("bob", "big", 10)
        if number != 1:
            deal.bet("ann", "small", 100)
        deal.finish(1, 2, 4)
    mine = recall(deal.state, "ann", 2)
    assert [(each.past.number, each.funds_before, each.funds_after) for each in mine] == [
        (4, 1200, 1300),
        (3, 1100, 1200),
    ]
    assert [line.box for line in mine[0].lines] == ["small"]
    assert [each.past.number for each in recall(deal.state, "ann")] == [4, 3, 1]
    assert recall(deal.state, "eve") == ()


@pytest.mark.parametrize("layout", ONE_OF_EACH_BOOK)
def test_every_bet_of_a_round_explains_itself(layout: str) -> None:
    """Won, lost and void: a sentence and at least one clause each."""
    deal = opened(layout, ann=1000).begin().bet("ann", "single:1", 100).bet("ann", "single:6", 50).finish(1, 2, 4)
    won, lost = (next(line for line in deal.past.lines if line.box == box) for box in ("single:1", "single:6"))
    assert "wins 100" in explain_line(deal.rules.book, deal.past, won).why
    assert "loses" in explain_line(deal.rules.book, deal.past, lost).why
    deal.begin().bet("ann", "single:1", 100).void(Fact.NOT_FLAT)
    void = explain_line(deal.rules.book, deal.past, deal.past.lines[0])
    assert "does not lie flat" in void.why
    assert void.clauses


def test_pro_rata_under_the_minimum_and_a_reversal_are_explained() -> None:
    """The limits that touched a bet, and a reversal afterwards, are part of its story."""
    deal = opened(TAI_SAI, TIGHT, ann=5000, bob=5000).begin().felt("ann", "total:7", 400).felt("bob", "total:7", 10)
    deal.felt("bob", "single:1", 5).finish(1, 2, 4)
    told = {(line.player, line.box): explain_line(deal.rules.book, deal.past, line) for line in deal.past.lines}
    assert "pro rata" in told["ann", "total:7"].why
    assert "5.1.1" in told["ann", "total:7"].clauses
    assert "stays whole" in told["bob", "total:7"].why
    assert "5.1.2" in told["bob", "total:7"].clauses
    assert "5.2.1" in told["bob", "single:1"].clauses
    assert "held more" not in told["bob", "single:1"].why
    deal.damage()
    assert explain_line(deal.rules.book, deal.past, deal.past.lines[0]).why.endswith(
        "void afterwards: a die is damaged; over all bets of the round the player gave back 125."
    )


def test_amounts_are_in_the_currency_of_the_table() -> None:
    """The house speaks of money as the table does, also of what went back after a reversal."""
    deal = opened(TAI_SAI, ann=5000).begin().bet("ann", "single:1", 105).finish(1, 2, 4)
    deal.damage()
    told = explain_line(deal.rules.book, deal.past, deal.past.lines[0], currency_of(deal.state)).why
    assert "NZD 1.05 at 1 to 1 wins NZD 1.05. NZD 2.10 goes back" in told
    assert told.endswith("the player gave back NZD 1.05.")
    assert currency_of(replace(deal.state, set_up=None)) == "XXX"


def test_a_past_bet_is_explained_by_the_limits_of_its_round() -> None:
    """Limits change afterwards: sentences and clauses of the bets that they ruled stay the same."""
    deal = opened(TAI_SAI, TIGHT, ann=5000, bob=5000, cas=5000).begin()
    deal.felt("ann", "total:7", 700).felt("bob", "total:7", 30).felt("cas", "single:1", 20).finish(1, 2, 4)
    before = explained(deal)
    assert before["bob", "total:7"].clauses[-2:] == ("5.1.2", "I7")
    assert before["cas", "single:1"].clauses[-1] == "5.2.1"
    deal.altered(c.SetLimits(LOOSE))
    assert explained(deal) == before


def test_the_limit_in_an_explanation_is_the_one_that_bound() -> None:
    """Where minimums do not fit, more is at risk than the box may hold: its limit is still what the sign says."""
    names = [f"p{number}" for number in range(7)]
    deal = opened(TAI_SAI, TIGHT, **dict.fromkeys(names, 1000)).begin()
    for name in names:
        deal.felt(name, "total:7", 60)
    deal.finish(1, 2, 4)
    assert sum(line.at_risk for line in deal.past.lines) == 350
    told = explained(deal)["p0", "total:7"].why
    assert told.startswith(
        "Total Sum Combination 7 held more than its maximum of 300, and is settled pro rata: 50 of the 60 was at risk."
    )


def test_a_past_bet_is_explained_by_the_layout_of_its_round() -> None:
    """A table that was set up anew with another layout still explains what lay in boxes which it no longer has."""
    deal = opened(TAI_SAI_C, ann=1000).begin().bet("ann", "four:1234", 100).finish(1, 2, 4)
    before = explained(deal)
    deal.do(c.CloseTable({100: deal.state.balance("float") // 100}), SUPERVISOR)
    deal.do(set_up_of(TAI_SAI), SUPERVISOR)
    assert explained(deal) == before


def test_a_round_under_another_book_says_so() -> None:
    """A book explains the rounds that were played under it, and no others."""
    deal = opened(TAI_SAI, ann=1000).begin().bet("ann", "small", 100).finish(1, 2, 4)
    other = explain_line(shelf().book("nz-division-9"), deal.past, deal.past.lines[0])
    assert other == BetExplained("The round was played under another rule book, rws-tai-sai-v6.", ())
