"""Pro rata: the worked examples, thousands of random rounds against the second count, and what must always hold."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import Shelf
from taisai.core.bets import totals_by_box
from taisai.core.boxes import BoxName
from taisai.core.limits import OPPOSITE_BOXES, Limits, make_limits
from taisai.core.money import CHIPS_MAX, Chips
from taisai.core.prorata import Apportionment, FixedStakes, Flag, FlagCode, fix_stakes, share_out
from taisai.core.rulebook import Rule, RuleBook
from tests.core.samples import MANY, answer_rows, bet, case_bets, case_limits, chips, core_round, random_case

clause = pytest.mark.clause

# The worked examples of the project's note on pro rata: stakes, capacity, minimum, unit, at risk, over.
EXAMPLES = [
    ((8000, 4000), 10000, 100, 1, (6667, 3333), 0),
    ((8000, 4000), 10000, 100, 25, (6675, 3325), 0),
    ((5000, 5000, 5000), 10000, 100, 1, (3333, 3333, 3333), 0),
    ((500, 500, 500), 1000, 100, 100, (300, 300, 300), 0),
    ((9900, 150, 100, 50), 10000, 100, 1, (9703, 147, 100, 50), 0),
    ((9000, 120, 1000), 5000, 100, 5, (4410, 100, 490), 0),
    ((100, 100, 100), 250, 100, 1, (100, 100, 100), 50),
]


def shared(stakes: tuple[int, ...], capacity: int, minimum: int, unit: int) -> Apportionment:
    """Share plain numbers out."""
    return share_out(chips(*stakes), Chips(capacity), Chips(minimum), Chips(unit))


@clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.1.2")
@pytest.mark.parametrize(("stakes", "capacity", "minimum", "unit", "at_risk", "over"), EXAMPLES)
def test_worked_examples(  # noqa: PLR0917 - the columns of the table above
    stakes: tuple[int, ...], capacity: int, minimum: int, unit: int, at_risk: tuple[int, ...], over: int
) -> None:
    """Each line of the table comes out to the unit, by both counts."""
    found = shared(stakes, capacity, minimum, unit)
    assert (found.capacity, found.at_risk, found.over) == (capacity, at_risk, over)
    assert recount.share_out(stakes, capacity, minimum, unit) == list(at_risk)


@clause("rws-tai-sai-v6 §5.1.1")
def test_a_worked_example_is_settled(shelf: Shelf) -> None:
    """What is above a share goes back untouched; the share itself wins or loses."""
    bets = [{"player": "ann", "box": "small", "stake": 8000}, {"player": "bob", "box": "small", "stake": 4000}]
    case = {
        "layout": "rws-tai-sai-v6/A",
        "bets": bets,
        "limits": {"default": {"min": 100}, "kinds": {"small": {"max": 10000}}},
    }
    for dice, paid in (((1, 2, 4), [(6667, 14667), (3333, 7333)]), ((5, 6, 4), [(0, 1333), (0, 667)])):
        _, settlement = core_round(shelf, case | {"dice": dice})
        assert [(ruling.winnings, ruling.returned) for ruling in settlement.rulings] == paid


@pytest.mark.parametrize("stakes", [(), (0,), (100,), (60, 40), (99,)])
def test_a_box_within_its_capacity_is_left_alone(stakes: tuple[int, ...]) -> None:
    """Nothing changes up to and including the capacity."""
    found = shared(stakes, 100, 50, 25)
    assert (found.at_risk, found.over) == (stakes, 0)
    assert found.steps == (f"The box holds {sum(stakes)}, within 100.",)


# --- What must always hold ----------------------------------------------------------------------------------------


@st.composite
def boxes_shared(draw: st.DrawFn) -> tuple[tuple[int, ...], int, int, int]:
    """Stakes on and off the unit, a capacity, a minimum and a unit."""
    unit = draw(st.sampled_from([1, 2, 5, 25, 100]))
    largest = draw(st.sampled_from([unit, 10 * unit, 1000 * unit, CHIPS_MAX]))
    stakes = draw(st.lists(st.integers(0, largest), max_size=8))
    capacity = draw(st.integers(0, 1 + sum(stakes)))
    minimum = unit * draw(st.integers(0, 1 + largest // unit // 2))
    return tuple(stakes), capacity, minimum, unit


@clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.1.2")
@MANY
@given(boxes_shared())
def test_shares_keep_the_clauses(box: tuple[tuple[int, ...], int, int, int]) -> None:
    """No share is above its stake or below the minimum; a stake below that stays whole; the capacity is kept."""
    stakes, capacity, minimum, unit = box
    found = shared(*box)
    at_risk = found.at_risk
    assert list(at_risk) == recount.share_out(stakes, capacity, minimum, unit)
    for stake, risk in zip(stakes, at_risk, strict=True):
        assert 0 <= risk <= stake
        assert risk == stake if stake < minimum else risk >= minimum
    assert found.over == max(sum(at_risk) - capacity, 0)
    if found.over:
        assert all(risk == min(stake, minimum) for stake, risk in zip(stakes, at_risk, strict=True))
    elif sum(stakes) > capacity:
        # What is left over comes from rounding: less than a unit for each player.
        assert capacity - sum(at_risk) < unit * max(len(stakes), 1)


@MANY
@given(boxes_shared())
def test_shares_are_in_proportion(box: tuple[tuple[int, ...], int, int, int]) -> None:
    """Those who share do so in proportion to their stakes, to less than a unit; the larger stake never gets less."""
    stakes, capacity, minimum, unit = box
    at_risk = shared(*box).at_risk
    if sum(stakes) <= capacity:
        return
    sharing = [
        (stake, risk) for stake, risk in zip(stakes, at_risk, strict=True) if stake >= minimum and risk > minimum
    ]
    if sharing:
        rest = capacity - sum(at_risk) + sum(risk for _, risk in sharing)
        rate = Fraction(rest, sum(stake for stake, _ in sharing))
        standing = [stake for stake, risk in zip(stakes, at_risk, strict=True) if minimum <= stake and risk == minimum]
        # Those exactly at the minimum may be sharing as well or stand there; without them the rate is known exactly.
        if not standing:
            assert all(abs(risk - stake * rate) < unit for stake, risk in sharing)
    for stake, risk in zip(stakes, at_risk, strict=True):
        for other, share in zip(stakes, at_risk, strict=True):
            assert risk <= share + unit or stake > other
            if stake % unit == other % unit == 0 and minimum <= stake < other:
                assert risk <= share


@clause("rws-tai-sai-v6 §5.1.1")
@MANY
@given(boxes_shared(), st.randoms(use_true_random=False))
def test_who_came_first_makes_no_difference(box: tuple[tuple[int, ...], int, int, int], chance: random.Random) -> None:
    """In another order each has the same share to the last chip, and equal stakes have equal shares (I6)."""
    stakes, capacity, minimum, unit = box
    order = list(range(len(stakes)))
    chance.shuffle(order)
    turned = tuple(stakes[place] for place in order)
    here = dict(enumerate(shared(stakes, capacity, minimum, unit).at_risk))
    there = dict(zip(order, shared(turned, capacity, minimum, unit).at_risk, strict=True))
    assert here == there
    for stake in set(stakes):
        assert len({here[place] for place in order if stakes[place] == stake}) == 1


@clause("rws-tai-sai-v6 §5.1.1")
def test_equal_remainders_are_treated_alike() -> None:
    """Units that do not reach everybody with the same remainder go to none of them, and to nobody after them (I6)."""
    assert shared((50, 50, 50), 100, 0, 1).at_risk == (33, 33, 33)
    assert shared((50, 50, 50), 101, 0, 1).at_risk == (33, 33, 33)
    # a half, a quarter and a quarter: the larger remainder is reached, the two smaller ones are not
    assert shared((100, 50, 50), 101, 0, 1).at_risk == (51, 25, 25)
    # Different stakes can tie as well: 9 and 7 each have a half over, and one unit is left.
    assert shared((9, 7, 4), 10, 0, 1).at_risk == (4, 3, 2)
    assert shared((7, 9, 4), 10, 0, 1).at_risk == (3, 4, 2)
    # two units reach the two with the larger remainder; the third has none
    assert shared((50, 50, 30), 100, 0, 10).at_risk == (40, 40, 20)


def test_nobody_gets_a_unit_above_their_stake() -> None:
    """A unit left over passes by a stake off the unit that it would exceed, and goes to the next."""
    assert shared((19, 30), 42, 0, 10).at_risk == (10, 30)
    assert shared((14, 30, 30), 60, 0, 10).at_risk == (10, 20, 20)
    assert shared((19, 19, 19), 50, 0, 10).at_risk == (10, 10, 10)


# --- Whole rounds against the second count -------------------------------------------------------------------------


@clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.1.2", "rws-tai-sai-v6 §5.2.1", "rws-tai-sai-v6 §1.3")
@pytest.mark.usefixtures("quick_recount")
@pytest.mark.parametrize("seed", range(20))
def test_random_rounds_agree_with_the_second_count(shelf: Shelf, seed: int) -> None:
    """At risk, winnings, returned and what stays over are the same by both counts, whatever the limits."""
    chance = random.Random(f"round {seed}")
    broken = by_differential = over = 0
    for _ in range(300):
        case = random_case(chance)
        fixed, settlement = core_round(shelf, case)
        answer = recount.settle(case)
        assert answer_rows(settlement) == answer["bets"], case
        assert settlement.totals._asdict() == answer["totals"]
        assert {box: share.over for box, share in fixed.shared.items() if share.over} == answer["over"]
        check_round(case, fixed, answer)
        broken += bool(fixed.shared)
        by_differential += any("differential" in share.steps[0] for share in fixed.shared.values())
        over += bool(answer["over"])
    # The generator does break limits, in every way.
    assert broken > 75
    assert by_differential > 35
    assert over > 3


def check_round(case: Mapping[str, Any], fixed: FixedStakes, answer: Mapping[str, Any]) -> None:
    """What must hold of stakes fixed at the close."""
    limits, bets = case_limits(case), case_bets(case)
    held = totals_by_box(bets)
    risked: dict[BoxName, int] = {}
    for each, risk in zip(bets, fixed.at_risk, strict=True):
        minimum = limits.of(each.box).stake_min
        assert 0 <= risk <= each.stake
        assert risk == each.stake if each.stake < minimum else risk >= minimum
        risked[each.box] = risked.get(each.box, 0) + risk
        if each.box not in fixed.shared:
            assert risk == each.stake
    over = {flag.box: flag.amount for flag in fixed.flags if flag.code is FlagCode.OVER_CAPACITY}
    for box, total in risked.items():
        stake_max = limits.of(box).stake_max
        assert stake_max is None or total <= stake_max + over.get(box, 0)
    for pair, differential in limits.differential.items():
        one, two = (risked.get(box, 0) for box in OPPOSITE_BOXES[pair])
        placed = [held.get(box, 0) for box in OPPOSITE_BOXES[pair]]
        heavier, lighter = (one, two) if placed[0] > placed[1] else (two, one)
        slack = sum(over.get(box, 0) for box in OPPOSITE_BOXES[pair])
        # The heavier side as placed keeps to what is placed opposite; the lighter is cut by its own maximum alone.
        assert heavier <= min(placed) + differential + slack
        for box, amount in zip(OPPOSITE_BOXES[pair], placed, strict=True):
            stake_max = limits.of(box).stake_max
            if amount == min(placed) and (stake_max is None or amount <= stake_max):
                assert risked.get(box, 0) == amount
        assert lighter <= min(placed)
    for box, share in fixed.shared.items():
        assert risked[box] == sum(share.at_risk) <= share.capacity + share.over
    assert flag_codes(fixed.flags) == expected_flags(limits, case, answer)


def flag_codes(flags: tuple[Flag, ...]) -> list[tuple[FlagCode, str | None, str | None]]:
    """Which flags there are, on which box and player."""
    return sorted(((flag.code, flag.box, flag.player) for flag in flags), key=str)


def expected_flags(
    limits: Limits, case: Mapping[str, Any], answer: Mapping[str, Any]
) -> list[tuple[FlagCode, str | None, str | None]]:
    """Which flags there must be, by plain comparison with the limits."""
    wanted: list[tuple[FlagCode, str | None, str | None]] = [
        (FlagCode.UNDER_MINIMUM, each.box, each.player)
        for each in case_bets(case)
        if each.stake < limits.of(each.box).stake_min
    ]
    held = totals_by_box(case_bets(case))
    for box, total in held.items():
        at_risk = sum(each["at_risk"] for each in answer["bets"] if each["box"] == box)
        stake_max = limits.of(box).stake_max
        # Over its maximum, or brought down by the differential, or unable to come down to it.
        if (stake_max is not None and total > stake_max) or at_risk < total or box in answer["over"]:
            wanted.append((FlagCode.PRO_RATA, box, None))
        if box in answer["over"]:
            wanted.append((FlagCode.OVER_CAPACITY, box, None))
    return sorted(wanted, key=str)


@clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §1.3")
@pytest.mark.parametrize(
    ("stakes", "limits", "at_risk"),
    [
        # the heavier side comes down to the lighter plus the differential, whichever it is
        ({"big": 1000, "small": 200}, {"differential": {"big-small": 300}}, {"big": 500, "small": 200}),
        ({"big": 200, "small": 1000}, {"differential": {"big-small": 300}}, {"big": 200, "small": 500}),
        ({"odd": 1000, "even": 200}, {"differential": {"odd-even": 300}}, {"odd": 500, "even": 200}),
        ({"big": 1000}, {"differential": {"big-small": 300}}, {"big": 300}),
        ({"big": 1000}, {"differential": {"odd-even": 300}}, {"big": 1000}),
        ({"big": 500, "small": 200}, {"differential": {"big-small": 300}}, {"big": 500, "small": 200}),
        ({"big": 501, "small": 200}, {"differential": {"big-small": 300}}, {"big": 500, "small": 200}),
        ({"big": 700, "small": 700}, {"differential": {"big-small": 0}}, {"big": 700, "small": 700}),
        # sides weigh what is placed on them, whatever their own maximum leaves of it
        (
            {"big": 900, "small": 800},
            {"kinds": {"small": {"max": 400}}, "differential": {"big-small": 300}},
            {"big": 900, "small": 400},
        ),
        (
            {"big": 90000, "small": 60000},
            {"kinds": {"small": {"max": 100000}, "big": {"max": 30000}}, "differential": {"big-small": 20000}},
            {"big": 30000, "small": 60000},
        ),
        (
            {"big": 900, "small": 900},
            {"kinds": {"big": {"max": 100}}, "differential": {"big-small": 300}},
            {"big": 100, "small": 900},
        ),
        (
            {"big": 900, "small": 800},
            {"default": {"max": 600}, "differential": {"big-small": 0}},
            {"big": 600, "small": 600},
        ),
        (
            {"big": 2000, "small": 400},
            {"kinds": {"big": {"max": 500}}, "differential": {"big-small": 300}},
            {"big": 500, "small": 400},
        ),
        (
            {"big": 2000, "small": 100},
            {"kinds": {"big": {"max": 500}}, "differential": {"big-small": 300}},
            {"big": 400, "small": 100},
        ),
        # one pair does not weigh on the other
        (
            {"big": 1000, "odd": 1000, "even": 900},
            {"differential": {"big-small": 100, "odd-even": 100}},
            {"big": 100, "odd": 1000, "even": 900},
        ),
    ],
)
def test_the_differential(
    tai_sai: RuleBook, stakes: dict[str, int], limits: dict[str, Any], at_risk: dict[str, int]
) -> None:
    """The side that is heavier as placed is held to what is placed opposite and the differential (I6)."""
    bets = [bet(box, stake) for box, stake in stakes.items()]
    fixed = fix_stakes(tai_sai, make_limits(**limits), bets)
    assert dict(zip(stakes, fixed.at_risk, strict=True)) == at_risk
    changed = {box for box in stakes if stakes[box] != at_risk[box]}
    assert set(fixed.shared) == changed == {flag.box for flag in fixed.flags}


@clause("rws-tai-sai-v6 §5.1.1")
def test_the_capacity_of_the_heavier_side_is_the_smaller_of_both(shelf: Shelf) -> None:
    """Shares follow from min(maximum, lighter side + differential), also where the maximum alone would do (I6).

    The maximum of 160 leaves 152 at risk, which is within the reach of 2 + 150. Yet the capacity is 152 and not 160,
    and in units of 10 its shares fall otherwise: the second count found this.
    """
    stakes = {"p0": 12, "p1": 183, "p2": 88}
    bets = [{"player": player, "box": "small", "stake": stake} for player, stake in stakes.items()]
    case = {
        "layout": "rws-tai-sai-v6/A",
        "dice": (1, 2, 3),
        "bets": [*bets, {"player": "x", "box": "big", "stake": 2}],
        "limits": {"unit": 10, "default": {"min": 20, "max": 160}, "differential": {"big-small": 150}},
    }
    fixed, settlement = core_round(shelf, case)
    assert fixed.at_risk == (12, 90, 50, 2)
    assert fixed.shared[BoxName("small")].capacity == 152
    assert answer_rows(settlement) == recount.settle(case)["bets"]


@clause("rws-tai-sai-v6 §5.1.2")
def test_an_exempt_bet_stays_whole_under_the_differential_too(tai_sai: RuleBook) -> None:
    """A bet below the minimum is not pro-rated, whether the maximum or the differential is exceeded (I7)."""
    limits = make_limits(default={"min": 100}, differential={"big-small": 300})
    fixed = fix_stakes(tai_sai, limits, [bet("big", 50), bet("big", 900, "bob"), bet("big", 99, "cyd")])
    assert fixed.at_risk == (50, 151, 99)


@clause("rws-tai-sai-v6 §5.2.1")
def test_a_bet_below_the_minimum_stands(tai_sai: RuleBook) -> None:
    """It is at risk whole, and flagged to the people at the table with its clause."""
    fixed = fix_stakes(tai_sai, make_limits(default={"min": 100}), [bet("small", 99), bet("small", 100, "bob")])
    assert fixed.at_risk == (99, 100)
    [flag] = fixed.flags
    assert (flag.code, flag.box, flag.player, flag.amount) == (FlagCode.UNDER_MINIMUM, "small", "ann", 99)
    assert flag.clauses == ("5.2.1",)
    assert flag.text == "ann has 99 in small, under the minimum of 100: it stands as it lies."


# --- Flags and steps ------------------------------------------------------------------------------------------------


def test_a_shared_box_is_flagged(tai_sai: RuleBook) -> None:
    """The flag names the box, its capacity, the clauses, and tells every step."""
    limits = make_limits(unit=5, default={"min": 100}, kinds={"small": {"max": 5000}})
    bets = [bet("small", 9000), bet("small", 120, "bob"), bet("small", 50, "cyd"), bet("small", 1000, "dan")]
    fixed = fix_stakes(tai_sai, limits, bets)
    under, pro_rata = fixed.flags
    assert under.code is FlagCode.UNDER_MINIMUM
    assert (pro_rata.code, pro_rata.box, pro_rata.player, pro_rata.amount) == (FlagCode.PRO_RATA, "small", None, 5000)
    assert pro_rata.clauses == ("5.1.1", "I6")
    share = fixed.shared[BoxName("small")]
    assert pro_rata.text == "small: " + " ".join(share.steps)
    assert share.steps == (
        "The box holds 10170, over its limit of 5000 by 5170.",
        "Stakes below the minimum of 100 stay whole: 50; 4950 is left for the others.",
        "A share below the minimum is set to 100 (stakes of 120); 4850 is left.",
        "4850 is shared among 10000 in proportion, in units of 5: 9000 → 4365, 1000 → 485.",
    )


def test_units_left_over_are_told() -> None:
    """When units are left over after rounding, the steps say how many went by largest remainder, and what stays."""
    assert shared((8000, 4000), 10000, 100, 1).steps == (
        "The box holds 12000, over its limit of 10000 by 2000.",
        "10000 is shared among 12000 in proportion, in units of 1: 8000 → 6667, 4000 → 3333.",
        "Of these, 1 got a unit of 1 left over, by largest remainder.",
    )
    assert shared((5000, 5000, 5000), 10000, 100, 1).steps == (
        "The box holds 15000, over its limit of 10000 by 5000.",
        "10000 is shared among 15000 in proportion, in units of 1: 5000 → 3333, 5000 → 3333, 5000 → 3333.",
        "1 stays undistributed: it does not reach all who have an equal claim to it.",
    )


def test_no_step_tells_of_less_than_nothing() -> None:
    """Where the minimums take more than there is, nothing is left: a negative amount is nobody's."""
    steps = shared((40, 30, 500), 60, 50, 1).steps
    assert [step.rpartition("; ")[2] for step in steps[1:3]] == ["nothing is left for the others.", "nothing is left."]


def test_the_differential_is_told(tai_sai: RuleBook) -> None:
    """The steps begin with the differential and what lies opposite."""
    fixed = fix_stakes(tai_sai, make_limits(differential={"big-small": 300}), [bet("big", 1000), bet("small", 200)])
    assert fixed.shared[BoxName("big")].steps[:2] == (
        "The big-small differential is 300 and 200 was placed on small: big stands for at most 500.",
        "The box holds 1000, over its limit of 500 by 500.",
    )


def test_only_what_binds_is_told(tai_sai: RuleBook) -> None:
    """Where the differential leaves no less than the maximum, the maximum alone is told of."""
    limits = make_limits(kinds={"big": {"max": 500}}, differential={"big-small": 300})
    [step, _] = fix_stakes(tai_sai, limits, [bet("big", 1000), bet("small", 200)]).shared[BoxName("big")].steps
    assert step == "The box holds 1000, over its limit of 500 by 500."


def test_a_share_of_just_the_minimum_is_a_share() -> None:
    """Whoever comes to exactly the minimum shares like the others and is not told that they were raised."""
    assert shared((300, 100), 200, 50, 1).at_risk == (150, 50)
    assert not any("minimum" in step for step in shared((300, 100), 200, 50, 1).steps)


@clause("rws-tai-sai-v6 §5.1.1")
def test_minimums_that_do_not_fit_are_flagged(tai_sai: RuleBook) -> None:
    """Nobody is put below the minimum; the box stays over, and that is flagged, not hidden."""
    limits = make_limits(default={"min": 100, "max": 250})
    fixed = fix_stakes(tai_sai, limits, [bet("odd", 100, name) for name in ("ann", "bob", "cyd")])
    assert fixed.at_risk == (100, 100, 100)
    assert [flag.code for flag in fixed.flags] == [FlagCode.PRO_RATA, FlagCode.OVER_CAPACITY]
    over = fixed.flags[1]
    assert (over.box, over.amount, over.clauses) == ("odd", 50, ("5.1.1", "I6"))
    assert over.text == "odd stays over its limit of 250 by 50: nobody is put below the minimum."
    assert fixed.shared[BoxName("odd")].steps[-1] == "The minimums do not fit: the box stays over its limit by 50."


def test_exempt_stakes_alone_can_exceed_the_capacity() -> None:
    """Where bets below the minimum fill the box, those with the minimum stand at it and nobody shares."""
    found = shared((40, 30, 500), 60, 50, 1)
    assert (found.at_risk, found.over) == ((40, 30, 50), 60)
    found = shared((40, 30), 60, 50, 1)
    assert (found.at_risk, found.over) == ((40, 30), 10)
    assert not any("in proportion" in step for step in found.steps)


def test_without_limits_nothing_is_fixed(tai_sai: RuleBook) -> None:
    """A table without limits puts every stake at risk and flags nothing."""
    bets = [bet("small", 10**15), bet("big", 1)]
    assert fix_stakes(tai_sai, None, bets) == FixedStakes(chips(10**15, 1), {}, ())
    assert fix_stakes(tai_sai, make_limits(), bets) == FixedStakes(chips(10**15, 1), {}, ())
    assert fix_stakes(tai_sai, make_limits(default={"max": 5}), []) == FixedStakes((), {}, ())


@pytest.mark.parametrize("book_id", ["nz-division-9", "rws-open-cover-v3", "rws-mini-dice-v3"])
def test_other_books_change_nothing_and_flag_the_excess(shelf: Shelf, book_id: str) -> None:
    """Without pro rata every stake stays at risk; excess, too small bets and an idle differential are flagged."""
    box, other = ("single:1", "single:2") if book_id == "rws-mini-dice-v3" else ("big", "small")
    limits = make_limits(default={"min": 100, "max": 1000}, differential={"big-small": 100})
    bets = [bet(box, 900), bet(box, 150, "bob"), bet(other, 50), bet(other, 950, "bob")]
    fixed = fix_stakes(shelf.book(book_id), limits, bets)
    assert fixed.at_risk == (900, 150, 50, 950)
    assert fixed.shared == {}
    assert [(flag.code, flag.box, flag.player, flag.amount) for flag in fixed.flags] == [
        (FlagCode.UNDER_MINIMUM, other, "ann", 50),
        (FlagCode.NO_DIFFERENTIAL, None, None, 0),
        (FlagCode.OVER_MAXIMUM, box, None, 50),
    ]
    assert all(flag.clauses == ("I16",) for flag in fixed.flags)
    assert fixed.flags[1].text == "This rule book has no differential: the one in the limits is not applied."
    assert fixed.flags[2].text == (
        f"{box} holds 1050, over its maximum of 1000 by 50: this book has no pro rata, a supervisor rules."
    )


def test_other_books_flag_nothing_else(shelf: Shelf) -> None:
    """At the minimum, at the maximum and without one there is nothing to flag."""
    book = shelf.book("nz-division-9")
    limits = make_limits(default={"min": 100}, kinds={"small": {"max": 100}})
    assert fix_stakes(book, limits, [bet("small", 100), bet("big", 10**9)]).flags == ()


def test_a_book_with_pro_rata_but_no_differential(tai_sai: RuleBook) -> None:
    """A book may know pro rata alone: then the maximum is shared out and the differential is flagged as idle."""
    rules: dict[Rule, tuple[str, ...]] = {
        rule: cited for rule, cited in tai_sai.rules.items() if rule is not Rule.DIFFERENTIAL
    }
    limits = make_limits(kinds={"big": {"max": 500}}, differential={"big-small": 100})
    fixed = fix_stakes(replace(tai_sai, rules=rules), limits, [bet("big", 800), bet("big", 200, "bob")])
    assert fixed.at_risk == (400, 100)
    assert [flag.code for flag in fixed.flags] == [FlagCode.NO_DIFFERENTIAL, FlagCode.PRO_RATA]


# --- Maxima for each player, and what stands whole ---------------------------------------------------------------


def test_a_maximum_for_each_player_cuts_each_alone(shelf: Shelf) -> None:
    """Who is over their own maximum stands for it; who is within is left whole, whatever the box holds."""
    book = shelf.book("rws-tai-sai-v6")
    limits = make_limits(default={"min": 10, "max": 500, "per": "player"})
    bets = [bet("small", 800, "ann"), bet("small", 450, "bob"), bet("small", 500, "cas"), bet("big", 90, "ann")]
    fixed = fix_stakes(book, limits, bets)
    assert fixed.at_risk == (500, 450, 500, 90)
    assert (fixed.capacity_of(BoxName("small")), fixed.capacity_of(BoxName("big"))) == (500, None)
    assert [flag.text for flag in fixed.flags] == ["small: Each player stands for at most 500: 800 → 500."]


@pytest.mark.parametrize(
    ("per", "at_risk"), [("player", (286, 214, 100)), ("box", (320, 180, 100))], ids=["each", "together"]
)
def test_a_differential_shares_what_stands(shelf: Shelf, per: str, at_risk: tuple[int, ...]) -> None:
    """What is over a player's maximum is no part of what the differential then shares out."""
    limits = make_limits(default={"max": 600, "per": per}, differential={"big-small": 400})
    bets = [bet("small", 800, "ann"), bet("small", 450, "bob"), bet("big", 100, "cas")]
    assert fix_stakes(shelf.book("rws-tai-sai-v6"), limits, bets).at_risk == at_risk


def test_a_differential_that_the_maxima_keep_shares_nothing_more(shelf: Shelf) -> None:
    """Once each player stands for their maximum, the side may be within the differential."""
    limits = make_limits(default={"max": 200, "per": "player"}, differential={"big-small": 400})
    bets = [bet("small", 800, "ann"), bet("small", 150, "bob")]
    assert fix_stakes(shelf.book("rws-tai-sai-v6"), limits, bets).at_risk == (200, 150)


@pytest.mark.parametrize("stands", [False, True])
def test_what_is_over_a_limit_is_flagged_and_stands(shelf: Shelf, *, stands: bool) -> None:
    """Without pro rata nothing is cut; where the book says that an accepted bet stands whole, nobody need rule."""
    sample = shelf.book("rws-tai-sai-v6")
    rules = dict(sample.rules)
    del rules[Rule.PRO_RATA]
    if stands:
        rules[Rule.EXCESS_STANDS] = ("5.1",)
    book = replace(sample, rules=rules)
    limits = make_limits(
        default={"max": 500}, kinds={"odd": {"per": "player"}}, differential={"big-small": 100, "odd-even": 900}
    )
    bets = [bet("small", 400, "ann"), bet("small", 200, "bob"), bet("odd", 700, "ann"), bet("odd", 100, "bob")]
    fixed = fix_stakes(book, limits, bets)
    assert fixed.at_risk == (400, 200, 700, 100)
    then = "what was accepted stands whole." if stands else "this book has no pro rata, a supervisor rules."
    assert [(flag.code, flag.box, flag.amount, flag.text) for flag in fixed.flags] == [
        (FlagCode.OVER_MAXIMUM, "small", 100, f"small holds 600, over its maximum of 500 by 100: {then}"),
        (FlagCode.OVER_MAXIMUM, "odd", 200,
         f"odd holds stakes over the maximum of 500 for each player, by 200: {then}"),
        (FlagCode.OVER_DIFFERENTIAL, "small", 500,
         f"small is 600 ahead, over the big-small differential of 100 by 500: {then}"),
    ]  # fmt: skip
    if stands:
        assert {flag.clauses for flag in fixed.flags} == {("5.1",)}


@pytest.mark.usefixtures("quick_recount")
def test_groups_and_maxima_for_each_agree_with_the_second_count(shelf: Shelf) -> None:
    """Random rounds under groups, maxima for each player and differentials come out alike by both counts."""
    book, chance = shelf.book("rws-tai-sai-v6"), random.Random(15)
    boxes, cut = ("small", "big", "odd", "total:4", "total:17", "double:1"), 0
    for _ in range(400):
        limits: dict[str, Any] = {
            "unit": 5,
            "default": {"min": 10, "max": chance.choice([10, 300]), "per": chance.choice(["box", "player"])},
            "kinds": {
                "total:4/17": {"min": 5, "max": 100, "per": chance.choice(["box", "player"])},
                "odd": {"min": 0, "max": chance.choice([0, 200])},
                "small/big/double:1/2": {"max": chance.choice([200, 400]), "per": chance.choice(["box", "player"])},
            },
            "differential": chance.choice([{}, {"big-small": 150}]),
        }
        bets = [
            bet(box, 5 * chance.randint(1, 100), player)
            for player in ("ann", "bob", "cas")
            for box in boxes
            if chance.random() < 0.5
        ]
        stakes = {(str(each.player), str(each.box)): int(each.stake) for each in bets}
        fixed = fix_stakes(book, make_limits(**limits), bets)
        assert dict(zip(stakes, fixed.at_risk, strict=True)) == recount.at_risk("rws-tai-sai-v6/A", stakes, limits)
        cut += bool(fixed.shared)
    assert cut > 200
