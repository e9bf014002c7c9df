"""A settle case as JSON: answers, and refusals that name the field."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.protocol.case import CASE_BYTES_MAX, answer_case, decode_json, error_answer
from tests import ROOT

SHELF = open_shelf(environment={})
GOOD: dict[str, Any] = {
    "layout": "rws-tai-sai-v6/C",
    "dice": [1, 3, 6],
    "limits": {
        "unit": 1,
        "default": {"min": 100, "max": 1_000_000},
        "kinds": {"small": {"min": 100, "max": 10_000}},
        "differential": {"big-small": 200_000, "odd-even": 200_000},
    },
    "bets": [
        {"player": "p1", "box": "small", "stake": 8000},
        {"player": "p2", "box": "small", "stake": 4000},
        {"player": "p2", "box": "total:10", "stake": 50},
    ],
}


def answered(case: object) -> dict[str, Any]:
    """The answer to a case, through JSON as a caller would get it."""
    made: dict[str, Any] = json.loads(msgspec.json.encode(answer_case(SHELF, case)))
    return made


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.2.1")
def test_an_answer_has_every_field_of_its_form() -> None:
    """Pro rata, a bet under the minimum and a plain winner, with clauses and sentences."""
    answer = answered(GOOD)
    assert list(answer) == ["layout", "dice", "call", "total", "lit", "bets", "flags", "totals"]
    assert answer["call"] == "1, 3, 6, total 10"
    assert [bet["at_risk"] for bet in answer["bets"]] == [6667, 3333, 50]
    assert [bet["returned"] for bet in answer["bets"]] == [14667, 7333, 350]
    assert answer["totals"] == {"staked": 12050, "at_risk": 10050, "winnings": 10300, "returned": 22350}
    assert [flag["code"] for flag in answer["flags"]] == ["under-minimum", "pro-rata"]
    assert "5.1.1" in answer["bets"][0]["clauses"]
    assert "5.2.1" in answer["bets"][2]["clauses"]
    assert "6667 of the 8000" in answer["bets"][0]["why"]
    assert sorted(answer["lit"]) == recount.settle(GOOD)["lit"]


def test_a_lost_bet_pays_null() -> None:
    """A lost bet has null odds, no winnings and nothing returned."""
    bet = answered({**GOOD, "dice": [4, 5, 6], "limits": None})["bets"][0]
    assert (bet["pays"], bet["winnings"], bet["returned"], bet["at_risk"]) == (None, 0, 0, 8000)


@pytest.mark.clause("rws-tai-sai-v6 §5.12", "rws-tai-sai-v6 §1.9")
@pytest.mark.parametrize("reason", ["not-flat", "Not Flat", "not_flat", "5.5.2", "§5.5.2"])
def test_a_void_returns_every_bet(reason: str) -> None:
    """A void by its reason or its clause gives back every stake whole."""
    answer = answered({**GOOD, "dice": None, "void": reason})
    assert (answer["dice"], answer["total"], answer["lit"], answer["void"]) == (None, None, [], "not-flat")
    assert [bet["returned"] for bet in answer["bets"]] == [8000, 4000, 50]
    assert {"5.5.2", "5.12"} <= set(answer["bets"][0]["clauses"])
    assert answer["totals"]["at_risk"] == 0


def test_an_id_is_echoed() -> None:
    """A case may carry an id of its own, which comes back first."""
    assert next(iter(answered({**GOOD, "id": "r-1"}).items())) == ("id", "r-1")


def without(key: str) -> dict[str, Any]:
    """The good case less one key."""
    return {name: value for name, value in GOOD.items() if name != key}


BET = {"player": "p1", "box": "small", "stake": 100}
BAD: list[tuple[object, str]] = [
    ([], ""),
    (3, ""),
    ({}, "layout"),
    (without("layout"), "layout"),
    (without("bets"), "bets"),
    (without("dice"), "dice"),
    ({**GOOD, "dize": 1}, "dize"),
    ({**GOOD, "layout": "rws-tai-sai-v6/B"}, "layout"),
    ({**GOOD, "layout": "nowhere/A"}, "layout"),
    ({**GOOD, "layout": 5}, "layout"),
    ({**GOOD, "dice": [1, 2]}, "dice"),
    ({**GOOD, "dice": [1, 2, 3, 4]}, "dice"),
    ({**GOOD, "dice": [1, 2, 7]}, "dice[2]"),
    ({**GOOD, "dice": [1, 2, "3"]}, "dice[2]"),
    ({**GOOD, "dice": [1, 2.0, 3]}, "dice[1]"),
    ({**GOOD, "dice": "136"}, "dice"),
    ({**GOOD, "dice": None}, "dice"),
    ({**GOOD, "dice": None, "void": "no such"}, "void"),
    ({**GOOD, "dice": None, "void": "tumbler-fault"}, "void"),
    ({**GOOD, "void": "not-flat"}, "void"),
    ({**GOOD, "bets": {}}, "bets"),
    ({**GOOD, "bets": [7]}, "bets[0]"),
    ({**GOOD, "bets": [{**BET, "colour": "red"}]}, "bets[0].colour"),
    ({**GOOD, "bets": [BET, {"player": "p", "box": "small"}]}, "bets[1].stake"),
    ({**GOOD, "bets": [{**BET, "box": "smal"}]}, "bets[0].box"),
    ({**GOOD, "bets": [{**BET, "box": "field"}]}, "bets[0].box"),
    ({**GOOD, "bets": [{**BET, "box": None}]}, "bets[0].box"),
    ({**GOOD, "bets": [{**BET, "player": ""}]}, "bets[0].player"),
    ({**GOOD, "bets": [{**BET, "player": "a\nb"}]}, "bets[0].player"),
    ({**GOOD, "bets": [{**BET, "player": "x" * 201}]}, "bets[0].player"),
    ({**GOOD, "bets": [{**BET, "stake": 0}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": -5}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": 1.5}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": True}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": "100"}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": 10**30}]}, "bets[0].stake"),
    ({**GOOD, "bets": [{**BET, "stake": 10**15}] * 2}, "bets"),
    ({**GOOD, "limits": 5}, "limits"),
    ({**GOOD, "limits": {"unit": 0}}, "limits.unit"),
    ({**GOOD, "limits": {"unit": 25, "default": {"min": 105}}}, "limits.default.min"),
    ({**GOOD, "limits": {"default": {"min": 200, "max": 100}}}, "limits.default"),
    ({**GOOD, "limits": {"default": {"mini": 1}}}, "limits.default"),
    ({**GOOD, "limits": {"kinds": {"smal": {}}}}, "limits.kinds"),
    ({**GOOD, "limits": {"differential": {"big-odd": 1}}}, "limits.differential"),
    ({**GOOD, "id": ""}, "id"),
]


@pytest.mark.parametrize(("case", "field"), BAD, ids=str)
def test_bad_input_names_its_field(case: object, field: str) -> None:
    """Each fault is one line that begins with the field."""
    with pytest.raises(InputFault) as caught:
        answer_case(SHELF, case)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)
    assert error_answer(caught.value, 3).error.line == 3


@pytest.mark.parametrize("data", [b"", b"{", b"[1,", b'"\xff"', b"NaN", b"[" * 100_000, b"{}" + b" " * CASE_BYTES_MAX])
def test_what_is_not_json_is_one_fault(data: bytes) -> None:
    """Broken, deep, foreign or oversize text never raises anything else."""
    with pytest.raises(InputFault):
        decode_json(data)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional={key: JUNK | st.just(value) for key, value in GOOD.items()}) | JUNK)
def test_junk_never_raises_anything_but_a_fault(case: object) -> None:
    """Whatever shape comes in, the answer is an answer or a fault."""
    with suppress(InputFault):
        answer_case(SHELF, case)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p1", "p2", "p3"]),
            st.sampled_from(recount.boxes("rws-tai-sai-v6/E")),
            st.integers(1, 5000),
        ),
        max_size=12,
    ),
    st.tuples(*[st.integers(1, 6)] * 3),
)
def test_money_is_conserved(bets: list[tuple[str, str, int]], dice: tuple[int, int, int]) -> None:
    """What goes back is what was not at risk and, if won, what was at risk and the winnings."""
    rows = [{"player": player, "box": box, "stake": stake} for player, box, stake in bets]
    limits = {"default": {"min": 10, "max": 4000}, "differential": {"big-small": 1000}}
    for bet in answered({"layout": "rws-tai-sai-v6/E", "dice": list(dice), "limits": limits, "bets": rows})["bets"]:
        won = bet["at_risk"] + bet["winnings"] if bet["pays"] is not None else 0
        assert bet["returned"] == bet["stake"] - bet["at_risk"] + won


def test_a_case_names_the_draw_of_its_round() -> None:
    """Where a layout draws odds a case says which; without, or with another name, it is refused, and so elsewhere."""
    books = open_shelf([ROOT / "examples" / "books"], environment={})
    bet = {"player": "ann", "box": "double:2", "stake": 100}
    case = {"layout": "multiplier-sic-bo/1", "dice": [2, 2, 5], "bets": [bet]}
    paid = [answer_case(books, {**case, "draw": draw}).bets[0] for draw in ("plain", "doubles")]
    assert [(each.pays, each.winnings, each.clauses) for each in paid] == [
        (8, 800, ("5", "2")),
        (18, 1800, ("5", "2", "7")),
    ]
    for draw, known in ((None, "plain, four"), ("jackpot", "plain, four")):
        with pytest.raises(InputFault, match=f"^draw: the draw of the round, one of {known}"):
            answer_case(books, {**case, "draw": draw})
    with pytest.raises(InputFault, match="this layout draws no odds"):
        answer_case(books, {**case, "layout": "macau-cussec/1", "draw": "plain"})
