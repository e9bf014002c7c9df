"""Limits: what a table may set, and how much room a box has left."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import Shelf, open_shelf
from taisai.core.bets import Bet, totals_by_box
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import (
    OPPOSITE_BOXES,
    OPPOSITE_OF,
    BoxLimits,
    Limits,
    Opposites,
    boxes_named,
    headroom_of,
    make_limits,
    not_by_book,
)
from taisai.core.money import CHIPS_MAX, Chips
from taisai.core.prorata import FlagCode, fix_stakes
from taisai.core.rulebook import Rule, RuleBook
from tests.core.samples import ALL_BOXES, ANYTHING, KINDS, MANY, bet, random_limits, value_or_fault

LAYOUT = open_shelf(environment={}).layout("nz-division-9/2")


def test_limits_are_read() -> None:
    """A kind has its own minimum and maximum, each falling back to the default's; the differential is of a pair."""
    limits = make_limits(
        unit=25,
        default={"min": 100, "max": 50_000},
        kinds={"small": {"max": 500_000}, "triple": {"min": 25, "max": 5_000}, "any-triple": {"min": 50}},
        differential={"big-small": 200_000},
    )
    assert limits.unit == 25
    assert limits.of(BoxName("small"))[:2] == (100, 500_000)
    assert limits.of(BoxName("triple:4"))[:2] == (25, 5_000)
    assert limits.of(BoxName("any-triple"))[:2] == (50, 50_000)
    assert limits.of(BoxName("total:9")) == limits.default == BoxLimits(Chips(100), Chips(50_000))
    assert limits.differential == {Opposites.BIG_SMALL: 200_000}


def test_without_limits_there_are_none() -> None:
    """Nothing given means a unit of one, no minimum, no maximum, no differential."""
    assert make_limits() == make_limits(unit=1, default={}, kinds={}, differential={})
    assert make_limits() == Limits(Chips(1), BoxLimits(Chips(0), None), {}, {})


def test_limits_of_nothing_are_limits() -> None:
    """A maximum, a differential and a minimum of 0 are set, and not the same as none."""
    limits = make_limits(default={"min": 0, "max": 0}, differential={"odd-even": 0})
    assert limits.of(BoxName("odd"))[:2] == (0, 0)
    assert limits.differential == {Opposites.ODD_EVEN: 0}


def test_pairs_are_opposites() -> None:
    """Each box of a pair knows the one opposite, both ways."""
    assert OPPOSITE_BOXES == {"big-small": ("big", "small"), "odd-even": ("odd", "even")}
    assert OPPOSITE_OF == {
        "big": ("big-small", "small"),
        "small": ("big-small", "big"),
        "odd": ("odd-even", "even"),
        "even": ("odd-even", "odd"),
    }


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ({"unit": 0}, "unit: an amount is at least 1, got 0"),
        ({"unit": -5}, "unit: an amount is at least 1, got -5"),
        ({"unit": 0.5}, "unit: an amount is a whole number of minor units, got 0.5"),
        ({"unit": True}, "unit: an amount is a whole number of minor units, got True"),
        ({"unit": CHIPS_MAX + 1}, "unit: an amount is at most 1000000000000000, got 1000000000000001"),
        ({"unit": None}, "unit: an amount is a whole number of minor units, got None"),
        ({"default": {"min": -1}}, "default.min: an amount is at least 0, got -1"),
        ({"default": {"min": 1.5}}, "default.min: an amount is a whole number of minor units, got 1.5"),
        ({"default": {"max": False}}, "default.max: an amount is a whole number of minor units, got False"),
        ({"default": {"max": None}}, "default.max: an amount is a whole number of minor units, got None"),
        ({"default": {"max": 10**16}}, "default.max: an amount is at most 1000000000000000, got 10000000000000000"),
        ({"default": {"min": 2, "max": 1}}, "default: the minimum 2 is above the maximum 1"),
        ({"default": {"mim": 2}}, "default: unknown key 'mim'; write min, max and per"),
        ({"unit": 25, "default": {"min": 110}}, "default.min: 110 is not a multiple of the unit 25"),
        ({"unit": 25, "default": {"max": 110}}, "default.max: 110 is not a multiple of the unit 25"),
        ({"unit": 25, "kinds": {"big": {"max": 1}}}, "kinds.big.max: 1 is not a multiple of the unit 25"),
        ({"unit": 2, "differential": {"odd-even": 3}}, "differential.odd-even: 3 is not a multiple of the unit 2"),
        ({"kinds": {"small": {"min": "1"}}}, "kinds.small.min: an amount is a whole number of minor units, got '1'"),
        ({"kinds": {"small": {"max": -1}}}, "kinds.small.max: an amount is at least 0, got -1"),
        ({"kinds": {"small": {"min": 2, "max": 1}}}, "kinds.small: the minimum 2 is above the maximum 1"),
        (
            {"default": {"min": 100}, "kinds": {"small": {"max": 50}}},
            "kinds.small: the minimum 100 is above the maximum 50",
        ),
        ({"kinds": {"small": {"": 1}}}, "kinds.small: unknown key ''; write min, max and per"),
        ({"kinds": {"tiny": {}}}, f"kinds: unknown kind 'tiny'; kinds are {', '.join(LAYOUT.kinds)}"),
        (
            {"kinds": {"total:3": {}}},
            f"kinds: unknown kind 'total:3'; kinds are {', '.join(LAYOUT.kinds)}, or name a box",
        ),
        ({"differential": {"big": 5}}, "differential: unknown pair 'big'; pairs are big-small, odd-even"),
        ({"differential": {"small-big": 5}}, "differential: unknown pair 'small-big'; pairs are big-small, odd-even"),
        ({"differential": {"big-small": -5}}, "differential.big-small: an amount is at least 0, got -5"),
        ({"differential": {"big-small": True}}, "differential.big-small: an amount is a whole number of minor units"),
    ],
)
def test_wrong_limits_are_refused(raw: dict[str, Any], line: str) -> None:
    """Each fault names its field, down to the kind, and says what is wrong."""
    with pytest.raises(InputFault) as caught:
        make_limits(**raw, layout=LAYOUT)
    assert str(caught.value).startswith(line)


ends = st.dictionaries(st.sampled_from(["min", "max", "most"]), ANYTHING, max_size=2)


@MANY
@given(
    ANYTHING,
    ends,
    st.dictionaries(st.sampled_from([*KINDS, "tiny"]), ends, max_size=2),
    st.dictionaries(st.sampled_from([*Opposites, "up-down"]), ANYTHING, max_size=2),
)
def test_hostile_limits_are_limits_or_a_fault(
    unit: object,
    default: Mapping[str, object],
    kinds: Mapping[str, Mapping[str, object]],
    differential: Mapping[str, object],
) -> None:
    """Whatever the values are, what comes out keeps every rule of limits, or is a fault in one line."""
    found = value_or_fault(
        lambda: make_limits(unit=unit, default=default, kinds=kinds, differential=differential, layout=LAYOUT)
    )
    if isinstance(found, Limits):
        for stake_min, stake_max, _ in [found.default, *found.kinds.values()]:
            assert stake_min % found.unit == 0 == (stake_max or 0) % found.unit
            assert 0 <= stake_min <= (CHIPS_MAX if stake_max is None else stake_max) <= CHIPS_MAX
        assert all(amount % found.unit == 0 for amount in found.differential.values())


# --- Headroom ----------------------------------------------------------------------------------------------------

OTHER_BOOKS = ("nz-division-9", "rws-open-cover-v3", "rws-mini-dice-v3")


def totals(**amounts: int) -> dict[BoxName, Chips]:
    """What lies in some boxes."""
    return {BoxName(box): Chips(amount) for box, amount in amounts.items()}


@pytest.mark.clause("rws-tai-sai-v6 §3.4", "rws-tai-sai-v6 §3.5")
@pytest.mark.parametrize(("held", "room"), [(0, 1000), (1, 999), (999, 1), (1000, 0), (1200, 0)])
def test_room_by_maximum(tai_sai: RuleBook, held: int, room: int) -> None:
    """What all players together leave free under the maximum is anyone's to take, and the displayed limit is named."""
    limits = make_limits(default={"max": 1000})
    found = headroom_of(tai_sai, limits, totals(small=held), BoxName("small"))
    assert found == (room, Rule.MAXIMUM, ("3.3", "3.4"))


@pytest.mark.clause("rws-tai-sai-v6 §1.3", "rws-tai-sai-v6 §3.5")
@pytest.mark.parametrize(
    ("box", "here", "opposite", "room"),
    [
        ("big", 0, 0, 300),
        ("big", 300, 0, 0),
        ("big", 400, 0, 0),
        ("big", 0, 200, 500),
        ("big", 100, 200, 400),
        ("small", 100, 200, 400),
        ("odd", 50, 0, 250),
        ("even", 50, 0, 250),
    ],
)
def test_room_by_differential(tai_sai: RuleBook, box: str, here: int, opposite: int, room: int) -> None:
    """Big and Small, Odd and Even, may differ by no more than the differential, whichever is the heavier."""
    limits = make_limits(differential={"big-small": 300, "odd-even": 300})
    other = {"big": "small", "small": "big", "odd": "even", "even": "odd"}[box]
    found = headroom_of(tai_sai, limits, totals(**{box: here, other: opposite}), BoxName(box))
    assert found == (room, Rule.DIFFERENTIAL, ("1.3", "3.3", "3.4"))


def test_the_tighter_limit_binds(tai_sai: RuleBook) -> None:
    """The room is by the maximum or by the differential, whichever leaves less; at a tie the maximum is named."""
    limits = make_limits(default={"max": 1000}, differential={"big-small": 300})
    assert headroom_of(tai_sai, limits, totals(small=500), BoxName("big"))[:2] == (800, Rule.DIFFERENTIAL)
    assert headroom_of(tai_sai, limits, totals(small=700), BoxName("big"))[:2] == (1000, Rule.MAXIMUM)
    assert headroom_of(tai_sai, limits, totals(small=900), BoxName("big"))[:2] == (1000, Rule.MAXIMUM)
    assert headroom_of(tai_sai, limits, {}, BoxName("odd"))[:2] == (1000, Rule.MAXIMUM)
    assert headroom_of(tai_sai, limits, {}, BoxName("total:9"))[:2] == (1000, Rule.MAXIMUM)


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §1.3")
def test_room_is_against_all_that_is_placed_opposite(tai_sai: RuleBook) -> None:
    """While betting is open the differential is reckoned as at the close: by what is placed on both sides (I6)."""
    limits = make_limits(kinds={"small": {"max": 1000}}, differential={"big-small": 300})
    assert headroom_of(tai_sai, limits, totals(small=5000), BoxName("big"))[:2] == (5300, Rule.DIFFERENTIAL)
    assert headroom_of(tai_sai, limits, totals(big=5000), BoxName("small"))[:2] == (1000, Rule.MAXIMUM)


def test_a_box_without_limits_takes_anything(tai_sai: RuleBook) -> None:
    """Without a maximum and a differential there is no end of room."""
    for box in ALL_BOXES:
        assert headroom_of(tai_sai, make_limits(), totals(small=10**15), box).chips is None
    assert headroom_of(tai_sai, make_limits(differential={"odd-even": 5}), {}, BoxName("big")).chips is None


@pytest.mark.parametrize("book_id", OTHER_BOOKS)
def test_other_books_have_a_maximum_only(shelf: Shelf, book_id: str) -> None:
    """Where the book knows no differential, one in the limits binds nothing (I16)."""
    book = shelf.book(book_id)
    limits = make_limits(default={"max": 1000}, differential={"big-small": 300})
    assert headroom_of(book, limits, totals(big=400), BoxName("big")) == (600, Rule.MAXIMUM, ("I16",))


def safe_sides(limits: Limits, bets: list[Bet]) -> bool:
    """Whether no bet is under its minimum and no box over its maximum: a table as it may be before a last bet."""
    held = totals_by_box(bets)
    maxima = {box: limits.of(box).stake_max for box in held}
    within = all(stake_max is None or held[box] <= stake_max for box, stake_max in maxima.items())
    return within and all(each.stake >= limits.of(each.box).stake_min for each in bets)


@pytest.mark.clause("rws-tai-sai-v6 §5.1", "rws-tai-sai-v6 §3.5", "rws-tai-sai-v6 §3.4", "rws-tai-sai-v6 §1.3")
@pytest.mark.parametrize("seed", range(4))
def test_what_fits_the_room_is_no_excess_and_one_more_is(tai_sai: RuleBook, seed: int) -> None:
    """A last bet as large as the room leaves nothing to settle pro rata in its box; one unit more is an excess."""
    chance = random.Random(seed)
    fitted = exceeded = 0
    for _ in range(500):
        limits = make_limits(**random_limits(chance, chance.choice((1, 10, 25))))
        boxes = ["big", "small", "odd", "even", "total:9"]
        bets = [
            bet(chance.choice(boxes), limits.unit * chance.randint(1, 20), f"p{place}")
            for place in range(chance.randint(0, 5))
        ]
        if not safe_sides(limits, bets):
            continue
        box = BoxName(chance.choice(boxes))
        headroom = headroom_of(tai_sai, limits, totals_by_box(bets), box).chips
        if headroom is None:
            continue
        for last, is_excess in ((headroom, False), (headroom + limits.unit, True)):
            if last < max(limits.of(box).stake_min, 1):
                continue
            flags = fix_stakes(tai_sai, limits, [*bets, bet(box, last, "last")]).flags
            was_over = any(flag.box == box for flag in fix_stakes(tai_sai, limits, bets).flags)
            assert any(flag.code is FlagCode.PRO_RATA and flag.box == box for flag in flags) == (is_excess or was_over)
            fitted += not is_excess
            exceeded += is_excess
    assert fitted > 100
    assert exceeded > 100


@MANY
@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(0, 2000), st.none() | st.integers(0, 2000))
def test_headroom_is_never_negative_and_never_breaks_a_limit(
    tai_sai: RuleBook, here: int, opposite: int, differential: int, maximum: int | None
) -> None:
    """Taking all the headroom brings a box to just what it may hold, and a box that holds more already has none."""
    default = {} if maximum is None else {"max": maximum}
    limits = make_limits(default=default, differential={"odd-even": differential})
    headroom = headroom_of(tai_sai, limits, totals(odd=here, even=opposite), BoxName("odd")).chips
    assert headroom is not None
    assert headroom >= 0
    reach = opposite + differential
    capacity = reach if maximum is None else min(reach, maximum)
    assert here + headroom == max(here, capacity)


def test_totals_may_have_limits_of_their_own() -> None:
    """A box's own limits come before its kind's, which say what the box does not; the default is for the rest."""
    kinds = {"total:4": {"max": 200}, "total": {"min": 50, "max": 1000}, "total:17": {"max": 200}}
    limits = make_limits(unit=10, default={"min": 10, "max": 5000}, kinds=kinds, layout=LAYOUT)
    assert limits.of(BoxName("total:4"))[:2] == limits.of(BoxName("total:17"))[:2] == (50, 200)
    assert limits.of(BoxName("total:10"))[:2] == (50, 1000)
    assert limits.of(BoxName("small"))[:2] == (10, 5000)
    for box in ("total:4", "total:10", "small"):
        raw = {"unit": 10, "default": {"min": 10, "max": 5000}, "kinds": kinds}
        stakes = {("ann", box): 9000}
        risked = recount.at_risk("rws-tai-sai-v6/A", stakes, raw)
        assert risked["ann", box] == limits.of(BoxName(box)).stake_max


# --- Groups of boxes, and maxima for each player -----------------------------------------------------------------


def test_a_group_of_boxes_has_limits_together() -> None:
    """Totals 4 and 17 differ from 10 and 11, and both from the other totals; boxes without a kind group too."""
    limits = make_limits(
        default={"min": 10, "max": 5000},
        kinds={
            "total:4/17": {"max": 200},
            "total:10/11": {"max": 900},
            "total": {"max": 500},
            "big/small": {"min": 20},
        },
        layout=LAYOUT,
    )
    found = {box: limits.of(BoxName(box))[:2] for box in ("total:4", "total:17", "total:11", "total:9", "big", "odd")}
    assert found == {
        "total:4": (10, 200), "total:17": (10, 200), "total:11": (10, 900), "total:9": (10, 500), "big": (20, 5000),
        "odd": (10, 5000),
    }  # fmt: skip
    assert boxes_named("double:1/2/triple:6/big") == ("double:1", "double:2", "triple:6", "big")


@pytest.mark.parametrize(
    ("kinds", "line"),
    [
        ({"total:4/3": {"max": 1}}, "kinds: unknown kind 'total:3'"),
        ({"total:4/17": {"max": 1}, "total:4": {"max": 2}}, "kinds.total:4: total:4 has limits already"),
        ({"total:4/17": {"max": 1}, "total:17/10": {"max": 2}}, "kinds.total:17/10: total:17 has limits already"),
        ({"total": {"max": 1, "per": "seat"}}, "kinds.total.per: box or player, got 'seat'"),
        ({"total": {"max": 1, "per": ["box"]}}, "kinds.total.per: box or player"),
    ],
)
def test_wrong_groups_are_refused(kinds: Mapping[str, Mapping[str, object]], line: str) -> None:
    """A group names boxes of the layout, and each box has limits once."""
    with pytest.raises(InputFault) as caught:
        make_limits(kinds=kinds, layout=LAYOUT)
    assert str(caught.value).startswith(line)


def test_a_maximum_for_each_player_leaves_each_their_own_headroom(shelf: Shelf) -> None:
    """What others have in the box takes nothing away; nobody in particular is limited."""
    book = shelf.book("nz-division-9")
    limits = make_limits(default={"max": 500, "per": "player"}, kinds={"total": {"per": "box"}})
    totals = {BoxName("small"): Chips(900), BoxName("total:9"): Chips(300)}
    assert headroom_of(book, limits, totals, BoxName("small"), mine=200).chips == 300
    assert headroom_of(book, limits, totals, BoxName("small"), mine=0).chips == 500
    assert headroom_of(book, limits, totals, BoxName("small")).chips is None
    assert headroom_of(book, limits, totals, BoxName("total:9"), mine=0).chips == 200


@pytest.mark.clause("rws-tai-sai-v6 §3.5")
def test_limits_keep_to_the_book(shelf: Shelf) -> None:
    """Where any player may take the room left there is no maximum for each; without a rule there is no such limit."""
    tai_sai, nz = shelf.book("rws-tai-sai-v6"), shelf.book("nz-division-9")
    each = make_limits(default={"max": 500}, kinds={"total:4/17": {"per": "player"}})
    why = "under this book a maximum is of all players together"
    assert not_by_book(tai_sai, each) == ("kinds.total:4.per", why, Rule.HEADROOM_OPEN_TO_ALL)
    assert not_by_book(nz, each) is None
    apart = make_limits(default={"min": 5}, differential={"big-small": 100})
    assert not_by_book(tai_sai, apart) is None
    assert not_by_book(nz, apart) == ("differential", "this book has no differential", Rule.MAXIMUM)
    without = replace(tai_sai, rules={rule: cited for rule, cited in tai_sai.rules.items() if rule is not Rule.MINIMUM})
    assert not_by_book(without, apart) == ("default.min", "this book has no minimum: write 0", Rule.MAXIMUM)
