"""The second count, held against the books by itself: tables, calls, sharing, whole rounds and what it refuses."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from taisai.audit import recount

DICE = [(one, two, three) for one, two, three in product(range(1, 7), repeat=3)]


def case(layout: str, dice: tuple[int, int, int] | None, *bets: tuple[str, str, int], **more: Any) -> dict[str, Any]:
    """A round in one line: bets are player, box, stake."""
    rows = [{"player": player, "box": box, "stake": stake} for player, box, stake in bets]
    return {"layout": layout, "dice": dice, "bets": rows, **more}


# --- Tables -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "count", "paid"),
    [
        # boxes, and the sum of all odds over all 216 rolls, added up by hand from the pay tables:
        # small and big 210; triples 6 x 180; any triple 6 x 31; doubles 6 x 16 x 11; totals 2 x (3 x 62 + 6 x 31 + 10 x
        # 18 + 15 x 12 + 21 x 8 + 25 x 7 + 27 x 6); pairs 15 x 30 x 6; singles 6 x (75 + 15 x 2 + 12)
        ("nz-division-9/1", 50, 8408),
        # and odd, even 210; three singles 20 x 6 x 30; doubles with a single 30 x 3 x 60; four fours 4 x 24 x 7
        ("nz-division-9/2", 106, 8408 + 210 + 3600 + 5400 + 672),
        ("rws-open-cover-v3/A", 50, 8408),
        # two doubles with a single fewer, at 50
        ("rws-open-cover-v3/B", 104, 8408 + 210 + 3600 + 28 * 150 + 672),
        ("rws-tai-sai-v6/A", 50, 8408),
        ("rws-tai-sai-v6/C", 104, 8408 + 210 + 3600 + 28 * 150 + 672),
        # no doubles, and fifteen fours
        ("rws-tai-sai-v6/E", 107, 8408 - 1056 + 3600 + 28 * 150 + 2520),
        # six singles, and the field on 104 rolls
        ("rws-mini-dice-v3/A", 7, 6 * 117 + 104),
    ],
)
def test_the_tables_add_up(layout: str, count: int, paid: int) -> None:
    """Each layout has its boxes, and all they pay over all rolls comes to the sum worked out by hand."""
    assert layout in recount.LAYOUTS
    assert len(recount.boxes(layout)) == count
    odds = [recount.pays(layout, box, dice) for box in recount.boxes(layout) for dice in DICE]
    assert sum(each for each in odds if each is not None) == paid


def test_there_are_eight_layouts() -> None:
    """No layout is left without a row in the test above."""
    assert len(recount.LAYOUTS) == 8


def test_a_box_typed_twice_is_found() -> None:
    """A slip in typing a pay table is found when the module is read."""
    rows = (recount._Row("total", "4 17", (62,)), recount._Row("total", "17", (62,)))
    with pytest.raises(ValueError, match="box total:17 is typed twice"):
        recount._read(rows)


def test_a_single_has_three_odds() -> None:
    """A single pays by the number of dice that show it."""
    odds = [recount.pays("nz-division-9/1", "single:4", dice) for dice in ((4, 1, 2), (4, 4, 2), (4, 4, 4), (1, 2, 3))]
    assert odds == [1, 2, 12, None]


@pytest.mark.clause("rws-tai-sai-v6 §3.10")
def test_on_a_triple_only_the_five_bets_may_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bet that is none of the five would lose on a triple under the Singapore book, whatever its own rule says."""
    field = {"field": recount._Box("field", (), (1,))}
    monkeypatch.setitem(recount._TABLES, "rws-tai-sai-v6/X", field)
    monkeypatch.setitem(recount._TABLES, "another-book/X", field)
    assert recount.pays("rws-tai-sai-v6/X", "field", (2, 2, 2)) is None
    assert recount.pays("rws-tai-sai-v6/X", "field", (1, 2, 3)) == 1
    assert recount.pays("another-book/X", "field", (2, 2, 2)) == 1


@pytest.mark.clause("rws-tai-sai-v6 §3.10.5")
@pytest.mark.parametrize(("face", "odds"), [(2, 18), (3, 7), (4, 7), (5, 18)])
def test_totals_on_a_triple(face: int, odds: int) -> None:
    """Totals 6, 9, 12 and 15 win by a triple as by any other faces."""
    assert recount.pays("rws-tai-sai-v6/A", f"total:{3 * face}", (face, face, face)) == odds


# --- What it refuses ----------------------------------------------------------------------------------------------


def test_an_unknown_layout_is_refused() -> None:
    """Every way in names the layouts that there are."""
    for ask in (
        lambda: recount.boxes("rws-tai-sai-v6/B"),
        lambda: recount.pays("rws-tai-sai-v6", "small", (1, 2, 3)),
        lambda: recount.settle(case("", (1, 2, 3))),
    ):
        with pytest.raises(LookupError, match=r"unknown layout .*; known are nz-division-9/1, "):
            ask()


@pytest.mark.parametrize("box", ["odd", "three:123", "Small", "", "total:3"])
def test_an_unknown_box_is_refused(box: str) -> None:
    """A box that the layout does not have is no loser but an error."""
    with pytest.raises(LookupError, match="layout rws-tai-sai-v6/A has no box"):
        recount.pays("rws-tai-sai-v6/A", box, (1, 2, 3))
    with pytest.raises(LookupError, match="layout rws-tai-sai-v6/A has no box"):
        recount.settle(case("rws-tai-sai-v6/A", (1, 2, 3), ("ann", box, 1)))


@pytest.mark.parametrize(
    "dice", [(), (1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7), (1, 2, -1), ("1", 2, 3), (None, 1, 2)]
)
def test_what_is_no_roll_is_refused(dice: Any) -> None:
    """Three faces from 1 to 6 are a roll and nothing else is."""
    for ask in (
        lambda: recount.pays("rws-tai-sai-v6/A", "small", dice),
        lambda: recount.call(dice),
        lambda: recount.settle(case("rws-tai-sai-v6/A", dice)),
    ):
        with pytest.raises(ValueError, match="not three dice of 1 to 6"):
            ask()


@pytest.mark.parametrize(
    ("stakes", "capacity", "minimum", "unit"),
    [([-1], 10, 0, 1), ([1], -1, 0, 1), ([1], 10, -1, 1), ([1], 10, 0, 0), ([1], 10, 0, -1)],
)
def test_what_cannot_be_shared_is_refused(stakes: list[int], capacity: int, minimum: int, unit: int) -> None:
    """Amounts are not negative and the unit is at least one."""
    with pytest.raises(ValueError, match="not below"):
        recount.share_out(stakes, capacity, minimum, unit)


# --- Calls --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("nz-division-9 §6.3")
@pytest.mark.parametrize(
    ("dice", "call"),
    [
        ((6, 3, 1), "1, 3, 6, total 10"),
        ((3, 4, 3), "double 3, 4, total 10"),
        ((4, 4, 3), "3, double 4, total 11"),
        ((5, 5, 5), "triple 5, total 15"),
    ],
)
def test_calls(dice: tuple[int, int, int], call: str) -> None:
    """The forms of call are those of the clause."""
    assert recount.call(dice) == call


# --- Sharing ------------------------------------------------------------------------------------------------------


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.1.2")
@pytest.mark.parametrize(
    ("stakes", "terms", "at_risk"),
    [
        ((8000, 4000), (10000, 100, 1), (6667, 3333)),
        ((8000, 4000), (10000, 100, 25), (6675, 3325)),
        ((5000, 5000, 5000), (10000, 100, 1), (3333, 3333, 3333)),
        ((500, 500, 500), (1000, 100, 100), (300, 300, 300)),
        ((9900, 150, 100, 50), (10000, 100, 1), (9703, 147, 100, 50)),
        ((9000, 120, 1000), (5000, 100, 5), (4410, 100, 490)),
        ((100, 100, 100), (250, 100, 1), (100, 100, 100)),
        ((), (0, 0, 1), ()),
        ((5, 5), (10, 0, 1), (5, 5)),
        ((5, 6), (0, 0, 1), (0, 0)),
        ((40, 30), (60, 50, 1), (40, 30)),
        ((14, 30, 30), (60, 0, 10), (10, 20, 20)),
        ((19, 30), (42, 0, 10), (10, 30)),
        ((9, 7, 4), (10, 0, 1), (4, 3, 2)),
    ],
)
def test_sharing(stakes: tuple[int, ...], terms: tuple[int, int, int], at_risk: tuple[int, ...]) -> None:
    """The worked examples and the corners come out to the unit; terms are capacity, minimum and unit."""
    assert recount.share_out(stakes, *terms) == list(at_risk)


# --- Rounds -------------------------------------------------------------------------------------------------------

BOTH = (("ann", "big", 1000), ("bob", "small", 200))


@pytest.mark.clause("rws-tai-sai-v6 §1.3", "rws-tai-sai-v6 §5.1.1")
@pytest.mark.parametrize(
    ("limits", "at_risk", "over"),
    [
        (None, [1000, 200], {}),
        ({}, [1000, 200], {}),
        ({"default": None, "kinds": None, "differential": None, "unit": None}, [1000, 200], {}),
        ({"default": {"max": 500}}, [500, 200], {}),
        ({"default": {"max": 500}, "kinds": {"big": {"max": 800}}}, [800, 200], {}),
        ({"default": {"max": 500}, "kinds": {"big": {"min": 600}}}, [600, 200], {"big": 100}),
        ({"unit": 300, "default": {"max": 700}}, [600, 200], {}),
        ({"differential": {"big-small": 300}}, [500, 200], {}),
        ({"differential": {"big-small": 800}}, [1000, 200], {}),
        ({"differential": {"odd-even": 0}}, [1000, 200], {}),
        ({"default": {"max": 400}, "differential": {"big-small": 300}}, [400, 200], {}),
        ({"default": {"max": 200}, "differential": {"big-small": 0}}, [200, 200], {}),
        ({"default": {"max": 900}, "differential": {"big-small": 300}}, [500, 200], {}),
        ({"default": {"min": 600, "max": 900}, "differential": {"big-small": 300}}, [600, 200], {"big": 100}),
    ],
)
def test_limits_of_a_round(limits: dict[str, Any] | None, at_risk: list[int], over: dict[str, int]) -> None:
    """Each box by its maximum, then the heavier side by the differential; what is left out is no limit."""
    answer = recount.settle(case("rws-tai-sai-v6/A", (6, 5, 4), *BOTH, limits=limits))
    assert [bet["at_risk"] for bet in answer["bets"]] == at_risk
    assert answer["over"] == over
    assert [bet["returned"] for bet in answer["bets"]] == [1000 + at_risk[0], 200 - at_risk[1]]


def test_the_lighter_side_may_be_either() -> None:
    """The differential holds whichever side is heavier, in both pairs."""
    bets = [("ann", "small", 900), ("ann", "big", 100), ("ann", "odd", 50), ("ann", "even", 700)]
    limits = {"differential": {"big-small": 300, "odd-even": 100}}
    answer = recount.settle(case("rws-tai-sai-v6/C", (1, 2, 4), *bets, limits=limits))
    assert [bet["at_risk"] for bet in answer["bets"]] == [400, 100, 50, 150]


@pytest.mark.parametrize("layout", ["nz-division-9/1", "rws-open-cover-v3/A"])
def test_other_books_share_nothing(layout: str) -> None:
    """Only one book has pro rata; in the others limits change nothing at the close."""
    answer = recount.settle(case(layout, (1, 2, 4), *BOTH, limits={"default": {"max": 10}}))
    assert [bet["at_risk"] for bet in answer["bets"]] == [1000, 200]
    assert answer["over"] == {}


@pytest.mark.parametrize(
    ("layout", "limits", "at_risk"),
    [
        ("rws-tai-sai-v6/A", {"default": {"max": 500}}, [500, 200]),
        ("rws-tai-sai-v6/A", None, [1000, 200]),
        ("nz-division-9/1", {"default": {"max": 500}}, [1000, 200]),
    ],
)
def test_what_is_at_risk_can_be_asked_alone(layout: str, limits: dict[str, Any] | None, at_risk: list[int]) -> None:
    """What is at risk of each bet is known before the dice are."""
    stakes = {(player, box): stake for player, box, stake in BOTH}
    assert recount.at_risk(layout, stakes, limits) == dict(zip(stakes, at_risk, strict=True))


def test_a_whole_round() -> None:
    """Stacks are made one, winners and losers settled, lights and call given, and the sums are those of the bets."""
    bets = [("ann", "small", 60), ("bob", "small", 50), ("ann", "small", 40), ("ann", "total:7", 5), ("bob", "big", 9)]
    answer = recount.settle(case("rws-tai-sai-v6/A", (4, 2, 1), *bets))
    rows = [(bet["player"], bet["box"], bet["stake"], bet["pays"], bet["returned"]) for bet in answer["bets"]]
    assert rows == [
        ("ann", "small", 100, 1, 200),
        ("bob", "small", 50, 1, 100),
        ("ann", "total:7", 5, 12, 65),
        ("bob", "big", 9, None, 0),
    ]
    assert answer["totals"] == {"staked": 164, "at_risk": 164, "winnings": 210, "returned": 365}
    assert (answer["total"], answer["call"]) == (7, "1, 2, 4, total 7")
    assert answer["lit"] == sorted(
        ["small", "total:7", "pair:12", "pair:14", "pair:24", "single:1", "single:2", "single:4"]
    )


def test_a_void_round() -> None:
    """Without dice every stake goes back, whatever the limits, and nothing lights or is called."""
    answer = recount.settle(case("rws-tai-sai-v6/A", None, *BOTH, limits={"default": {"max": 10}}))
    assert [(bet["at_risk"], bet["pays"], bet["returned"]) for bet in answer["bets"]] == [
        (0, None, 1000),
        (0, None, 200),
    ]
    assert (answer["total"], answer["call"], answer["lit"], answer["over"]) == (None, None, [], {})
    assert answer["totals"] == {"staked": 1200, "at_risk": 0, "winnings": 0, "returned": 1200}
