"""Odds: exact fractions against published house edges and against brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import Shelf
from taisai.core.bets import Bet
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll, roll_of
from taisai.core.limits import make_limits
from taisai.core.money import Chips
from taisai.core.odds import (
    RETURN_FLOOR,
    PayWays,
    RollResult,
    bets_odds,
    box_odds,
    compare,
    flags_of,
    layout_odds,
    percent,
    percent_chance,
    spread_of,
)
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Layout, PayRow, make_layout
from taisai.core.settlement import settle
from tests.core.samples import (
    ALL_BOXES,
    LAYOUT_NAMES,
    PAY_TABLE_CLAUSES,
    SOME,
    bet,
    chips,
    each_layout,
    parse_boxes,
    recounted,
)

# House edges in percent, as Wizard of Odds publishes them, "Sic Bo" (wizardofodds.com/games/sic-bo): its tables give
# the edge of a bet for each payoff that some casino offers, those of Australia being the ones here. The triple and the
# single with 12 to 1 on three dice stand at onlinesicbo.org/odds as well. Each was checked by hand, as the comments
# show: 1 - ways x (pays + 1) / 216. The field bet of Mini Dice is published nowhere we know of; that arithmetic alone
# gives its figure.
PUBLISHED = {
    "small": "2.78",  # 105 x 2 = 210
    "big": "2.78",
    "odd": "2.78",  # 108 less 3 triples = 105
    "even": "2.78",
    "triple": "16.20",  # 1 x 181
    "any-triple": "11.11",  # 6 x 32 = 192
    "double": "11.11",  # 16 x 12 = 192
    "total:4": "12.50",  # 3 x 63 = 189
    "total:5": "11.11",  # 6 x 32 = 192
    "total:6": "12.04",  # 10 x 19 = 190
    "total:7": "9.72",  # 15 x 13 = 195
    "total:8": "12.50",  # 21 x 9 = 189
    "total:9": "7.41",  # 25 x 8 = 200
    "total:10": "12.50",  # 27 x 7 = 189
    "total:11": "12.50",
    "total:12": "7.41",
    "total:13": "12.50",
    "total:14": "9.72",
    "total:15": "12.04",
    "total:16": "11.11",
    "total:17": "12.50",
    "pair": "2.78",  # 30 x 7 = 210
    "single": "3.70",  # 75 x 2 + 15 x 3 + 1 x 13 = 208
    "four": "11.11",  # 24 x 8 = 192
    "three singles": "13.89",  # 6 x 31 = 186
    "double with single at 60": "15.28",  # 3 x 61 = 183
    "double with single at 50": "29.17",  # 3 x 51 = 153
    "field": "3.70",  # 104 x 2 = 208
}


def published(layout: Layout, name: BoxName) -> str:
    """The published edge of a box of a layout."""
    box = ALL_BOXES[name]
    if box.kind == "three":
        if len(set(box.faces)) == 3:
            return PUBLISHED["three singles"]
        return PUBLISHED[
            "double with single at 60" if layout.book_id == "nz-division-9" else "double with single at 50"
        ]
    return PUBLISHED[name if box.kind == "total" else box.kind]


@pytest.mark.parametrize("layout", each_layout(PAY_TABLE_CLAUSES), indirect=True)
def test_house_edges_are_the_published_ones(layout: Layout) -> None:
    """Every box of every layout keeps for the house what is published for its bet and payoff."""
    for name in layout.boxes:
        assert percent(box_odds(layout, name).edge) == f"{published(layout, name)} %", name


@pytest.mark.parametrize(
    ("pays", "ways", "edge"),
    [(30, 6, "13.89"), (150, 1, "30.09"), (10, 16, "18.52"), (5, 30, "16.67"), (60, 3, "15.28"), (50, 3, "29.17")],
)
def test_edges_of_other_casinos_check_the_check(pays: int, ways: int, edge: str) -> None:
    """The same arithmetic gives the edges published for payoffs elsewhere, so the check itself is sound."""
    assert percent(1 - Fraction(ways * (pays + 1), 216)) == f"{edge} %"


def test_box_odds_by_brute_force(layout: Layout) -> None:
    """Ways, probability, return, edge and variance are those of a stake of one over all 216 rolls, exactly."""
    for name, odds in zip(layout.boxes, layout_odds(layout), strict=True):
        results = [recounted(layout.name)[roll.index].get(name, -1) for roll in ALL_ROLLS]
        mean = Fraction(sum(results), 216)
        assert odds == box_odds(layout, name)
        assert odds.box.name == name
        assert odds.ways == sum(result > 0 for result in results)
        assert odds.probability == Fraction(odds.ways, 216)
        assert odds.returned == 1 + mean
        assert odds.edge == -mean
        # 216 times each deviation is a whole number, which is quicker to add up than a fraction.
        assert odds.variance == Fraction(sum((216 * result - sum(results)) ** 2 for result in results), 216**3)
        assert odds.pay_ways == tuple(PayWays(pays, results.count(pays)) for pays in sorted({*results} - {-1}))
        assert isinstance(odds.edge, Fraction)


def test_box_odds_name_their_rows(shelf: Shelf) -> None:
    """The bet's name and its clauses stand beside the figures, each clause once."""
    odds = box_odds(shelf.layout("nz-division-9/1"), BoxName("single:4"))
    assert (odds.bet, odds.clauses) == ("Individual Die Face Values", ("4.1(h)", "4.10"))
    assert odds.pay_ways == ((1, 75), (2, 15), (12, 1))


@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_returns_below_three_quarters_are_marked(shelf: Shelf, name: str) -> None:
    """Only doubles with a single at 50 to 1 return less than 75 %: 153 of 216, or 70.8 %."""
    marked = [odds for odds in layout_odds(shelf.layout(name)) if odds.is_below_floor]
    expected = 28 if name in {"rws-open-cover-v3/B", "rws-tai-sai-v6/C", "rws-tai-sai-v6/E"} else 0
    assert len(marked) == expected
    assert {odds.returned for odds in marked} <= {Fraction(153, 216)}
    assert all(odds.box.kind == "three" and len(set(odds.box.faces)) == 2 for odds in marked)
    assert Fraction(3, 4) == RETURN_FLOOR


def test_a_return_of_just_three_quarters_is_not_marked() -> None:
    """At 53 to 1 a total of 4 returns 162 of 216, which is not below the floor; at 52 to 1 it is."""
    for pays, marked in ((53, False), (52, True)):
        row = PayRow("Total 4", parse_boxes("total: 4"), pays, ("1",))
        layout = make_layout(
            book_id="house", layout_id="X", title="X", clauses=(), triple_clauses=(), rows=(row,), felt=None
        )
        assert box_odds(layout, BoxName("total:4")).is_below_floor == marked
        assert bets_odds(layout, [bet("total:4", 7)]).is_below_floor == marked


# --- Bets together ------------------------------------------------------------------------------------------------

some_bets = st.lists(
    st.builds(bet, st.sampled_from(sorted(recount.boxes("rws-tai-sai-v6/C"))), st.integers(1, 10**12)), max_size=6
)


@SOME
@given(some_bets)
def test_bets_together_by_brute_force(shelf: Shelf, bets: list[Bet]) -> None:
    """Every figure of bets together is that of their sum over all 216 rolls, exactly."""
    odds = bets_odds(shelf.layout("rws-tai-sai-v6/C"), bets)
    staked = sum(each.stake for each in bets)
    nets, hits = [], 0
    for roll in ALL_ROLLS:
        table = recounted("rws-tai-sai-v6/C")[roll.index]
        nets.append(sum(each.stake * table.get(each.box, -1) for each in bets))
        hits += any(each.box in table for each in bets)
    mean = Fraction(sum(nets), 216)
    assert odds.bets == tuple(bets)
    assert odds.staked == staked
    assert [result.net for result in odds.results] == nets
    assert [result.roll for result in odds.results] == list(ALL_ROLLS)
    assert odds.hit_frequency == Fraction(hits, 216)
    assert odds.ahead == Fraction(sum(net > 0 for net in nets), 216)
    assert odds.expected_net == mean
    assert odds.returned == (1 + mean / staked if staked else 1)
    assert odds.edge == 1 - odds.returned
    assert odds.variance == sum((net - mean) ** 2 for net in nets) / Fraction(216)
    assert odds.distribution == tuple((net, nets.count(net)) for net in sorted(set(nets)))
    assert (odds.house_worst.net, odds.house_best.net) == (max(nets), min(nets))
    assert odds.house_worst.roll == ALL_ROLLS[nets.index(max(nets))]
    assert odds.exposure == max(*nets, 0)
    assert odds.is_below_floor == (odds.returned < Fraction(3, 4))


@SOME
@given(some_bets)
def test_expectation_is_the_sum_of_the_parts(shelf: Shelf, bets: list[Bet]) -> None:
    """Expected results add up bet by bet, and the return is the stakes' weighted mean of the boxes' returns."""
    layout = shelf.layout("rws-tai-sai-v6/C")
    odds = bets_odds(layout, bets)
    parts = [-each.stake * box_odds(layout, each.box).edge for each in bets]
    assert odds.expected_net == sum(parts)
    for each in bets:
        alone = bets_odds(layout, [each])
        single = box_odds(layout, each.box)
        assert (alone.returned, alone.edge, alone.hit_frequency) == (single.returned, single.edge, single.probability)
        assert alone.variance == single.variance * each.stake**2


def test_bets_that_cover_each_other(shelf: Shelf) -> None:
    """Big and Small together leave the house only triples: it cannot lose, and the player loses both on six rolls."""
    odds = bets_odds(shelf.layout("rws-tai-sai-v6/A"), [bet("big", 100), bet("small", 100)])
    assert odds.distribution == ((-200, 6), (0, 210))
    assert odds.exposure == odds.ahead == 0
    assert odds.hit_frequency == Fraction(210, 216)
    assert odds.returned == Fraction(210, 216)
    assert odds.house_best == RollResult(roll_of([1, 1, 1]), Chips(-200))
    assert odds.house_worst == RollResult(roll_of([1, 1, 2]), Chips(0))
    # The variance is far below that of two bets that know nothing of each other.
    assert odds.variance < 2 * 100**2 * box_odds(shelf.layout("rws-tai-sai-v6/A"), BoxName("big")).variance


def test_exposure_of_a_full_table(layout: Layout) -> None:
    """With one unit in every box the worst roll for the house is the one the second count finds."""
    bets = [bet(box, 1, f"p{place}") for place, box in enumerate(layout.boxes)]
    odds = bets_odds(layout, bets)
    losses = [sum(table.values()) + len(table) - len(bets) for table in recounted(layout.name)]
    assert odds.exposure == max(*losses, 0)
    assert [result.net for result in odds.results] == losses


def test_bets_at_risk_in_part(shelf: Shelf) -> None:
    """What is not at risk neither wins nor loses, in the odds as in the settlement."""
    layout = shelf.layout("rws-tai-sai-v6/A")
    bets = [bet("small", 8000), bet("small", 4000, "bob")]
    at_risk = fix_stakes(shelf.book("rws-tai-sai-v6"), make_limits(default={"max": 10_000}), bets).at_risk
    odds = bets_odds(layout, bets, at_risk)
    assert odds.staked == 12_000
    assert odds.exposure == 10_000
    assert odds.distribution == ((-10_000, 111), (10_000, 105))
    assert odds.edge == Fraction(10_000, 12_000) * Fraction(6, 216)
    for roll in ALL_ROLLS[::9]:
        assert odds.results[roll.index].net == settle(layout, roll, bets, at_risk).totals.returned - 12_000


def test_a_winner_without_a_share_is_no_hit(shelf: Shelf) -> None:
    """A bet with nothing at risk cannot win."""
    odds = bets_odds(shelf.layout("rws-tai-sai-v6/A"), [bet("small", 5)], chips(0))
    assert odds.returned == 1
    assert odds.hit_frequency == odds.variance == odds.exposure == 0


def test_the_smallest_win_is_a_hit(shelf: Shelf) -> None:
    """One unit won on one unit staked counts."""
    odds = bets_odds(shelf.layout("rws-tai-sai-v6/A"), [bet("small", 1)])
    assert odds.hit_frequency == odds.ahead == Fraction(105, 216)


def test_no_bets_have_odds_too(layout: Layout) -> None:
    """Nothing staked returns all of it and costs nobody anything."""
    odds = bets_odds(layout, [])
    assert odds.returned == 1
    assert odds.staked == odds.edge == odds.variance == odds.exposure == 0
    assert odds.distribution == ((0, 216),)
    assert not odds.is_below_floor


def test_a_poor_bet_is_marked(shelf: Shelf) -> None:
    """Bets together are marked by their common return, so a good bet beside it can lift a poor one."""
    layout = shelf.layout("rws-tai-sai-v6/E")
    assert bets_odds(layout, [bet("three:221", 100)]).is_below_floor
    assert not bets_odds(layout, [bet("three:221", 100), bet("small", 100)]).is_below_floor


# --- Two layouts side by side -------------------------------------------------------------------------------------


def test_layouts_that_pay_alike(shelf: Shelf) -> None:
    """Layouts A of the two Singapore books differ in no box."""
    comparison = compare(shelf.layout("rws-open-cover-v3/A"), shelf.layout("rws-tai-sai-v6/A"))
    assert len(comparison) == 50
    assert not any(each.differs for each in comparison)


def test_layouts_that_differ(shelf: Shelf) -> None:
    """What only one layout has, and what pays otherwise, differs; the first layout's order comes first."""
    one, two = shelf.layout("nz-division-9/2"), shelf.layout("rws-tai-sai-v6/E")
    comparison = compare(one, two)
    names = [each.name for each in comparison]
    assert names == [*one.boxes, *(box for box in two.boxes if box not in one.boxes)]
    differing = {each.name: each for each in comparison if each.differs}
    lone = {"odd", "even", "three:112", "three:665", *(f"double:{face}" for face in range(1, 7))}
    assert {name for name, each in differing.items() if each.sides[1] is None} == lone
    assert {name for name, each in differing.items() if each.sides[0] is None} == {
        name for name in two.boxes if name.startswith("four:") and name not in one.boxes
    }
    both = [each for each in differing.values() if each.sides[0] is not None and each.sides[1] is not None]
    assert len(both) == 28
    for each in both:
        assert each.sides[0] is not None
        assert each.sides[1] is not None
        assert (each.sides[0].pay_ways, each.sides[1].pay_ways) == (((60, 3),), ((50, 3),))
    assert box_odds(one, BoxName("small")) == next(each.sides[0] for each in comparison if each.name == "small")


def test_a_roll_is_in_its_place(shelf: Shelf) -> None:
    """Results are found under the index of their roll."""
    odds = bets_odds(shelf.layout("nz-division-9/1"), [bet("triple:6", 10)])
    assert odds.results[parse_roll("666").index] == RollResult(roll_of([6, 6, 6]), Chips(1800))


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (Fraction(1, 36), "2.78 %"),
        (Fraction(0), "0.00 %"),
        (Fraction(1, 20_000), "0.01 %"),
        (Fraction(-1, 20_000), "-0.01 %"),
        (Fraction(-1, 10**9), "0.00 %"),
        (Fraction(-5, 4), "-125.00 %"),
        (Fraction(1), "100.00 %"),
    ],
)
def test_percentages_are_exact(share: Fraction, written: str) -> None:
    """Halves go away from zero, and a negative nothing is nothing."""
    assert percent(share) == written


@pytest.mark.parametrize(
    ("chance", "written"),
    [
        (Fraction(0), "0.0000 %"),
        (Fraction(1, 10**9), "under 0.0001 %"),
        (Fraction(1, 2_000_000), "0.0001 %"),
        (Fraction(1, 4), "25.0000 %"),
        (1 - Fraction(1, 10**9), "over 99.9999 %"),
        (Fraction(1), "100.0000 %"),
    ],
)
def test_a_tiny_chance_does_not_read_as_none(chance: Fraction, written: str) -> None:
    """Only what cannot happen reads as 0 %, and only what is certain as 100 %."""
    assert percent_chance(chance) == written


def test_spread_is_that_of_all_rolls(shelf: Shelf) -> None:
    """Deviation and farthest roll are those of the 216 results, rounded up; nothing at risk spreads nothing."""
    layout = shelf.layout("rws-tai-sai-v6/C")
    bets = [bet("small", 100), bet("total:9", 50), bet("triple:1", 7)]
    odds = bets_odds(layout, bets)
    found = spread_of(layout, {each.box: int(each.stake) for each in bets})
    assert (found.deviation - 1) ** 2 < odds.variance <= found.deviation**2
    farthest = max(abs(result.net - odds.expected_net) for result in odds.results)
    assert found.farthest - 1 < farthest <= found.farthest
    assert spread_of(layout, {}) == (0, 0)
    in_parts = replace(layout, whole_pays=None)
    assert spread_of(in_parts, {each.box: int(each.stake) for each in bets}) == found


def test_what_people_should_look_at_is_flagged(shelf: Shelf) -> None:
    """Returns under 75 % and boxes that a layout has most of, but not all, are named; a whole layout has no flag."""
    assert list(flags_of(shelf.layout("rws-tai-sai-v6/A"))) == []
    assert list(flags_of(shelf.layout("rws-tai-sai-v6/C"))) == [
        "less than 75 % is returned by three:113, three:114, three:115, three:116, three:221, three:223 and 22 others",
        "not on the layout: three:112, three:665",
    ]
    layout = shelf.layout("rws-tai-sai-v6/A")
    rows = tuple(row for row in layout.rows if "total:7" not in [box.name for box in row.boxes])
    forgetful = make_layout(book_id="x", layout_id="X", title="X", clauses=(), triple_clauses=(), rows=rows, felt=None)
    assert list(flags_of(forgetful)) == ["not on the layout: total:7, total:14"]
