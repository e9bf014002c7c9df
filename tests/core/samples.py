"""What the core's tests share: names of layouts, bets in one line, hostile text, random rounds with broken limits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import Shelf
from taisai.books.reader.definitions import standard_definitions
from taisai.core.bets import Bet, PlayerId, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, Roll, roll_of
from taisai.core.faults import InputFault
from taisai.core.limits import Limits, make_limits
from taisai.core.money import Chips
from taisai.core.prorata import FixedStakes, fix_stakes
from taisai.core.settlement import Settlement, settle

ALL_BOXES = standard_definitions().boxes
"""Every box that a book may use by name."""
KINDS = tuple(dict.fromkeys(box.kind for box in ALL_BOXES.values()))
parse_boxes = standard_definitions().named

LAYOUT_NAMES = (
    "nz-division-9/1",
    "nz-division-9/2",
    "rws-open-cover-v3/A",
    "rws-open-cover-v3/B",
    "rws-tai-sai-v6/A",
    "rws-tai-sai-v6/C",
    "rws-tai-sai-v6/E",
    "rws-mini-dice-v3/A",
)
"""Every layout of every book, written out: a layout that goes missing is found out."""

PAY_TABLE_CLAUSES = {
    "nz-division-9/1": ["nz-division-9 §4.10"],
    "nz-division-9/2": ["nz-division-9 §4.10"],
    "rws-open-cover-v3/A": ["rws-open-cover-v3 §4.1.1"],
    "rws-open-cover-v3/B": ["rws-open-cover-v3 §4.1.2"],
    "rws-tai-sai-v6/A": ["rws-tai-sai-v6 §4.1.1", "rws-tai-sai-v6 §3.9"],
    "rws-tai-sai-v6/C": ["rws-tai-sai-v6 §4.1.2", "rws-tai-sai-v6 §3.9"],
    "rws-tai-sai-v6/E": ["rws-tai-sai-v6 §4.1.3", "rws-tai-sai-v6 §3.9"],
    "rws-mini-dice-v3/A": ["rws-mini-dice-v3 §4.1"],
}
"""By which clauses each layout pays."""

TAI_SAI_LAYOUTS = ("rws-tai-sai-v6/A", "rws-tai-sai-v6/C", "rws-tai-sai-v6/E")

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(_PATIENT, max_examples=150)
"""For properties of input from outside."""
SOME = settings(_PATIENT, max_examples=25)
"""For properties that cost a settlement of every roll."""

Value = TypeVar("Value")


def bet(box: str, stake: int, player: str = "ann") -> Bet:
    """A bet in one line."""
    return Bet(PlayerId(player), BoxName(box), Chips(stake))


def chips(*amounts: int) -> tuple[Chips, ...]:
    """Amounts as chips."""
    return tuple(Chips(amount) for amount in amounts)


quick_pays = cache(recount.pays)
"""The second count's own odds, each cell worked out once."""


@cache
def recounted(layout_name: str) -> tuple[Mapping[str, int], ...]:
    """By roll index: the boxes that win by the second count, and what each pays."""
    table = []
    for roll in ALL_ROLLS:
        odds = {box: quick_pays(layout_name, box, roll.faces) for box in recount.boxes(layout_name)}
        table.append({box: pays for box, pays in odds.items() if pays is not None})
    return tuple(table)


def each_layout(held: Mapping[str, Sequence[str]]) -> list[object]:
    """Every layout as a parameter, marked with the clauses that `held` has for it or for its book."""
    params: list[object] = []
    for name in LAYOUT_NAMES:
        clauses = held.get(name, held.get(name.partition("/")[0], ()))
        params.append(pytest.param(name, marks=[pytest.mark.clause(*clauses)] if clauses else []))
    return params


def value_or_fault(read: Callable[[], Value]) -> Value | InputFault:
    """What was read, or the fault; a fault is one short line. Any other exception fails the test."""
    try:
        return read()
    except InputFault as fault:
        line = str(fault)
        assert line
        assert "\n" not in line
        assert len(line) < 500
        return fault


_MARKS = "".join(sorted({*"0123456789 ,-=:;.+_\x00\n", *"".join(ALL_BOXES), "٣", "³", "６", "\u202e"}))


@st.composite
def _mutilated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A good text with a piece cut out and another put in."""
    text = draw(texts)
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    return text[:start] + draw(st.text(alphabet=_MARKS, max_size=3)) + text[end:]


def hostile_text(good: Iterable[str]) -> st.SearchStrategy[str]:
    """Any text at all, text made of the right characters, and good text spoiled."""
    return st.one_of(st.text(), st.text(alphabet=_MARKS), _mutilated(st.sampled_from(sorted(good))))


ANYTHING: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**15, 10**15 + 1, 10**5000, -(10**5000)]),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.lists(st.integers(), max_size=3),
)
"""Values that are not what was asked for, and some that are."""


def random_case(chance: random.Random) -> dict[str, Any]:
    """A round of `rws-tai-sai-v6` with limits that its bets often break, and stakes that are often off the unit."""
    name = chance.choice(TAI_SAI_LAYOUTS)
    unit = chance.choice((1, 5, 10, 25, 100))
    limits = random_limits(chance, unit)
    on_layout = recount.boxes(name)
    boxes = [box for box in ("big", "small", "odd", "even", "total:9", "single:4") if box in on_layout]
    boxes = chance.sample(boxes, chance.randint(1, len(boxes)))
    whole = chance.random() < 0.4
    bets = []
    for _ in range(chance.randint(1, 9)):
        stake = unit * chance.randint(1, 25) if whole else chance.randint(1, 25 * unit)
        bets.append({"player": f"p{chance.randint(1, 6)}", "box": chance.choice(boxes), "stake": stake})
    return {"layout": name, "dice": chance.choice(ALL_ROLLS).faces, "bets": bets, "limits": limits}


def random_limits(chance: random.Random, unit: int) -> dict[str, Any]:
    """Limits in multiples of the unit: a default, some kinds of their own, a differential as often as not."""

    def some(most: int) -> int:
        return unit * chance.randint(0, most)

    default: dict[str, int] = {}
    if chance.random() < 0.7:
        default["min"] = some(4)
    if chance.random() < 0.7:
        default["max"] = default.get("min", 0) + some(30)
    kinds: dict[str, dict[str, int]] = {}
    for kind in ("big", "small", "odd", "even", "total", "single"):
        if chance.random() < 0.25:
            minimum = some(4)
            kinds[kind] = {"min": minimum, "max": minimum + some(30)}
    # A differential close to the maximum is where the order of the two matters.
    near = default.get("max", 0) - some(2)
    differential = {
        pair: max(near, 0) if chance.random() < 0.4 else some(12)
        for pair in ("big-small", "odd-even")
        if chance.random() < 0.7
    }
    return {"unit": unit, "default": default, "kinds": kinds, "differential": differential}


def case_limits(case: Mapping[str, Any]) -> Limits:
    """The limits of a case, as the core has them."""
    return make_limits(**case["limits"])


def case_bets(case: Mapping[str, Any]) -> tuple[Bet, ...]:
    """The bets of a case, as the core has them."""
    return merge_bets(bet(each["box"], each["stake"], each["player"]) for each in case["bets"])


def core_round(shelf: Shelf, case: Mapping[str, Any]) -> tuple[FixedStakes, Settlement]:
    """A case settled by the core."""
    layout = shelf.layout(case["layout"])
    bets = case_bets(case)
    fixed = fix_stakes(shelf.book(layout.book_id), case_limits(case), bets)
    return fixed, settle(layout, roll_of(case["dice"]), bets, fixed.at_risk)


def answer_rows(settlement: Settlement) -> list[dict[str, Any]]:
    """A settlement in the form in which the second count gives its own."""
    return [
        {
            "player": ruling.bet.player,
            "box": ruling.bet.box,
            "stake": ruling.bet.stake,
            "at_risk": ruling.at_risk,
            "pays": ruling.pays,
            "winnings": ruling.winnings,
            "returned": ruling.returned,
        }
        for ruling in settlement.rulings
    ]


rolls: st.SearchStrategy[Roll] = st.sampled_from(ALL_ROLLS)
