"""Settlement: every cell of every layout, against the books' words and against the second count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.audit import recount
from taisai.books import Shelf, open_shelf
from taisai.core.bets import Bet, merge_bets
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll, roll_of
from taisai.core.faults import InputFault
from taisai.core.money import CHIPS_MAX, Chips
from taisai.core.rulebook import Layout
from taisai.core.settlement import Decision, Totals, decided, drawn_layout, is_established, settle, settle_void
from tests.core.samples import (
    MANY,
    PAY_TABLE_CLAUSES,
    TAI_SAI_LAYOUTS,
    answer_rows,
    bet,
    chips,
    each_layout,
    recounted,
    rolls,
)

Faces = tuple[int, int, int]
TRIPLES = [(face, face, face) for face in range(1, 7)]


def clauses(*names: str) -> pytest.MarkDecorator:
    """The mark of the clauses that a test holds."""
    return pytest.mark.clause(*names)


# --- The pay tables, typed a third time -------------------------------------------------------------------------

TOTALS = {4: 62, 5: 31, 6: 18, 7: 12, 8: 8, 9: 7, 10: 6, 11: 6, 12: 7, 13: 8, 14: 12, 15: 18, 16: 31, 17: 62}
EVERY_FOUR = {"".join(four) for four in combinations("123456", 4)}
SINGLES = {"".join(three) for three in combinations("123456", 3)}
DOUBLES = {a + a + b for a in "123456" for b in "123456" if a != b}
FEWER_DOUBLES = DOUBLES - {"112", "665"}

BASIC: dict[str, tuple[int, ...]] = {
    "small": (1,),
    "big": (1,),
    "any-triple": (31,),
    **{f"triple:{face}": (180,) for face in "123456"},
    **{f"single:{face}": (1, 2, 12) for face in "123456"},
    **{f"total:{total}": (odds,) for total, odds in TOTALS.items()},
    **{f"pair:{a}{b}": (6,) for a, b in combinations("123456", 2)},
}
DOUBLE = {f"double:{face}": (11,) for face in "123456"}
ODD_EVEN = {"odd": (1,), "even": (1,)}
THREE_SINGLES = {f"three:{three}": (30,) for three in SINGLES}
FOUR_BOXES = {f"four:{four}": (7,) for four in ("3456", "2356", "2345", "1234")}
ALTERNATIVE = BASIC | DOUBLE | ODD_EVEN | THREE_SINGLES | FOUR_BOXES

PAY_TABLES: dict[str, dict[str, tuple[int, ...]]] = {
    "nz-division-9/1": BASIC | DOUBLE,
    "nz-division-9/2": ALTERNATIVE | {f"three:{three}": (60,) for three in DOUBLES},
    "rws-open-cover-v3/A": BASIC | DOUBLE,
    "rws-open-cover-v3/B": ALTERNATIVE | {f"three:{three}": (50,) for three in FEWER_DOUBLES},
    "rws-tai-sai-v6/A": BASIC | DOUBLE,
    "rws-tai-sai-v6/C": ALTERNATIVE | {f"three:{three}": (50,) for three in FEWER_DOUBLES},
    "rws-tai-sai-v6/E": {
        **BASIC,
        **THREE_SINGLES,
        **{f"four:{four}": (7,) for four in EVERY_FOUR},
        **{f"three:{three}": (50,) for three in FEWER_DOUBLES},
    },
    "rws-mini-dice-v3/A": {**{f"single:{face}": (1, 2, 12) for face in "123456"}, "field": (1,)},
}


@pytest.mark.parametrize(
    ("name", "table"),
    [pytest.param(name, table, marks=clauses(*PAY_TABLE_CLAUSES[name])) for name, table in PAY_TABLES.items()],
)
def test_the_pay_table_is_the_one_of_its_clause(shelf: Shelf, name: str, table: dict[str, tuple[int, ...]]) -> None:
    """The layout has exactly the boxes of its clause, and each pays a stake of one what the clause prints."""
    layout = shelf.layout(name)
    assert set(layout.boxes) == set(table)
    paid: dict[str, dict[int, set[int]]] = {box: {} for box in table}
    bets = [bet(box, 1) for box in table]
    for roll in ALL_ROLLS:
        for ruling in settle(layout, roll, bets).rulings:
            if ruling.pays is None:
                assert (ruling.winnings, ruling.returned) == (0, 0)
                continue
            assert isinstance(ruling.pays, int)
            assert (ruling.winnings, ruling.returned) == (ruling.pays, ruling.pays + 1)
            box = ruling.bet.box
            on_dice = roll.count(int(box[-1])) if box.startswith("single") else 1
            paid[box].setdefault(on_dice, set()).add(ruling.pays)
    assert paid == {box: {dice: {pays} for dice, pays in enumerate(odds, start=1)} for box, odds in table.items()}


# --- When a wager wins, in the words of the New Zealand book -----------------------------------------------------

Rule = Callable[[str, Faces], bool]


def _not_by(dice: Faces, *triples: int) -> bool:
    return dice not in [(face, face, face) for face in triples]


def _small(dice: Faces) -> bool:
    return sum(dice) in {4, 5, 6, 7, 8, 9, 10} and _not_by(dice, 2, 3)


def _odd(dice: Faces) -> bool:
    return sum(dice) in {5, 7, 9, 11, 13, 15, 17} and _not_by(dice, 3, 5)


def _even(dice: Faces) -> bool:
    return sum(dice) in {4, 6, 8, 10, 12, 14, 16} and _not_by(dice, 2, 4)


def _big(dice: Faces) -> bool:
    return sum(dice) in {11, 12, 13, 14, 15, 16, 17} and _not_by(dice, 4, 5)


class Wager(NamedTuple):
    """A wager of the book: its clause, layouts that offer it, how many boxes, and when one (by its argument) wins."""

    clause: str
    layouts: str
    kind: str
    boxes: int
    wins: Rule


WAGERS = [
    Wager("4.1(a)", "12", "small", 1, lambda _, dice: _small(dice)),
    Wager("4.1(b)", "12", "big", 1, lambda _, dice: _big(dice)),
    Wager("4.1(c)", "12", "triple", 6, lambda face, dice: dice.count(int(face)) == 3),
    Wager("4.1(d)", "12", "double", 6, lambda face, dice: dice.count(int(face)) in {2, 3}),
    Wager("4.1(e)", "12", "any-triple", 1, lambda _, dice: dice in TRIPLES),
    Wager("4.1(f)", "12", "total", 14, lambda total, dice: sum(dice) == int(total)),
    Wager("4.1(g)", "12", "pair", 15, lambda pair, dice: set(map(int, pair)) <= set(dice)),
    Wager("4.1(h)", "12", "single", 6, lambda face, dice: int(face) in dice),
    Wager("4.1(i)", "2", "three", 50, lambda three, dice: sorted(map(int, three)) == sorted(dice)),
    Wager("4.1(j)", "2", "four", 4, lambda four, dice: sum(int(face) in dice for face in four) == 3),
    Wager("4.1(k)", "2", "odd", 1, lambda _, dice: _odd(dice)),
    Wager("4.1(l)", "2", "even", 1, lambda _, dice: _even(dice)),
]


@pytest.mark.parametrize(
    "wager", [pytest.param(wager, id=wager.kind, marks=clauses(f"nz-division-9 §{wager.clause}")) for wager in WAGERS]
)
def test_a_wager_wins_as_its_clause_says(shelf: Shelf, wager: Wager) -> None:
    """The layouts that offer the wager have all its boxes; each wins just when the clause says so, and cites it."""
    for layout in shelf.book("nz-division-9").layouts.values():
        boxes = [box for box in layout.boxes if box.partition(":")[0] == wager.kind]
        assert len(boxes) == (wager.boxes if layout.id in wager.layouts else 0)
        for box, roll in product(boxes, ALL_ROLLS):
            assert (layout.pays(box, roll) is not None) == wager.wins(box.partition(":")[2], roll.faces), (box, roll)
        for box, roll in product(boxes, ALL_COMBINATIONS):
            assert layout.clauses_of(box, roll)[:2] == (wager.clause, "4.10")


@clauses("nz-division-9 §4.1(d)(ii)")
@pytest.mark.parametrize("name", ["nz-division-9/1", "nz-division-9/2"])
def test_a_double_is_paid_once_on_its_triple(shelf: Shelf, name: str) -> None:
    """On its triple a double wins 11 to 1 as on any other double, not more, and the clause is cited."""
    layout = shelf.layout(name)
    for face in range(1, 7):
        box = BoxName(f"double:{face}")
        [ruling] = settle(layout, roll_of([face, face, face]), [bet(box, 100)]).rulings
        assert (ruling.pays, ruling.winnings, ruling.returned) == (11, 1100, 1200)
        assert "4.1(d)(ii)" in layout.clauses_of(box, roll_of([face, face, face]))
        assert "4.1(d)(ii)" not in layout.clauses_of(box, roll_of([face, face, face % 6 + 1]))


@clauses("rws-mini-dice-v3 §1 Field Bet", "rws-mini-dice-v3 §4.1")
def test_the_field_wins_on_its_eight_totals(shelf: Shelf) -> None:
    """Only the total counts for the field bet, so the triples 2-2-2 and 5-5-5 win too (I9)."""
    layout = shelf.layout("rws-mini-dice-v3/A")
    for roll in ALL_ROLLS:
        won = sum(roll.faces) in {5, 6, 7, 8, 13, 14, 15, 16}
        assert layout.pays(BoxName("field"), roll) == (1 if won else None)


# --- Triples under the Singapore book ----------------------------------------------------------------------------


@clauses("rws-tai-sai-v6 §3.10")
@pytest.mark.parametrize("name", TAI_SAI_LAYOUTS)
@pytest.mark.parametrize("face", range(1, 7))
def test_on_a_triple_only_five_bets_win(shelf: Shelf, name: str, face: int) -> None:
    """Its own triple, any triple, its double, its single and a total of 6, 9, 12 or 15 win; nothing else does."""
    layout = shelf.layout(name)
    winning = {f"triple:{face}", "any-triple", f"double:{face}", f"single:{face}", f"total:{3 * face}"}
    assert set(layout.lit(roll_of([face, face, face]))) == winning & set(layout.boxes)


@pytest.mark.parametrize(
    ("box", "face", "pays", "clause"),
    [
        pytest.param(box, face, pays, clause, marks=clauses(f"rws-tai-sai-v6 §{clause}"))
        for kind, pays, clause in (
            ("triple:{}", 180, "3.10.1"),
            ("any-triple", 31, "3.10.2"),
            ("double:{}", 11, "3.10.3"),
            ("single:{}", 12, "3.10.4"),
        )
        for face in range(1, 7)
        for box in [kind.format(face)]
    ]
    + [
        pytest.param(f"total:{3 * face}", face, pays, "3.10.5", marks=clauses("rws-tai-sai-v6 §3.10.5"))
        for face, pays in ((2, 18), (3, 7), (4, 7), (5, 18))
    ],
)
def test_a_bet_that_wins_on_a_triple(shelf: Shelf, box: str, face: int, pays: int, clause: str) -> None:
    """Each of the five pays by the pay table and names its own clause, on every layout that has it."""
    triple = roll_of([face, face, face])
    for name in TAI_SAI_LAYOUTS:
        layout = shelf.layout(name)
        if box in layout.boxes:
            assert layout.pays(BoxName(box), triple) == pays
            assert layout.clauses_of(BoxName(box), triple)[-1] == clause


# --- Two counts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", each_layout(PAY_TABLE_CLAUSES), indirect=True)
def test_both_counts_agree_on_every_cell(layout: Layout) -> None:
    """On every roll each box pays what the second count says, and exactly the boxes it calls winners light."""
    assert set(layout.boxes) == set(recount.boxes(layout.name))
    bets = [bet(box, 100) for box in layout.boxes]
    for roll in ALL_ROLLS:
        odds = recounted(layout.name)[roll.index]
        for ruling in settle(layout, roll, bets).rulings:
            pays = odds.get(ruling.bet.box)
            assert ruling.pays == pays == layout.pays(ruling.bet.box, roll)
            assert ruling.winnings == 100 * (pays or 0)
            assert ruling.returned == (0 if pays is None else 100 + 100 * pays)
        assert layout.lit(roll) == tuple(box for box in layout.boxes if box in odds)


@pytest.mark.parametrize("name", each_layout({"nz-division-9": ["nz-division-9 §3.3(b)"]}))
def test_every_winning_area_lights_and_no_other(shelf: Shelf, name: str) -> None:
    """The lights are those of the second count, whether or not a bet lies there."""
    for roll in ALL_ROLLS[::5]:
        answer = recount.settle({"layout": name, "dice": roll.faces, "bets": []})
        assert sorted(shelf.layout(name).lit(roll)) == answer["lit"]


@pytest.mark.parametrize(
    "book_id",
    [
        pytest.param("nz-division-9", marks=clauses("nz-division-9 §4.2")),
        pytest.param("rws-open-cover-v3", marks=clauses("rws-open-cover-v3 §3.5")),
        pytest.param("rws-tai-sai-v6", marks=clauses("rws-tai-sai-v6 §3.8")),
        pytest.param("rws-mini-dice-v3"),
    ],
)
def test_the_faces_decide_and_not_the_order_of_the_dice(shelf: Shelf, book_id: str) -> None:
    """However the same three faces lie, the same boxes win at the same odds; other faces change what wins."""
    for layout in shelf.book(book_id).layouts.values():
        for roll in ALL_ROLLS:
            for faces in set(permutations(roll.faces)):
                assert layout.pay_table[roll_of(faces).index] == layout.pay_table[roll.index]
        assert len({layout.lit(roll) for roll in ALL_ROLLS}) > 1


# --- Money --------------------------------------------------------------------------------------------------------


@st.composite
def risked_bets(draw: st.DrawFn) -> tuple[list[Bet], list[Chips]]:
    """Bets of any size, each with what is at risk of it."""
    stakes = draw(st.lists(st.integers(0, 10**30), max_size=8))
    boxes = [draw(st.sampled_from(sorted(recount.boxes("nz-division-9/2")))) for _ in stakes]
    bets = [bet(box, stake, f"p{place}") for place, (box, stake) in enumerate(zip(boxes, stakes, strict=True))]
    return bets, [Chips(draw(st.integers(0, stake))) for stake in stakes]


@MANY
@given(risked_bets(), rolls)
def test_money_is_exact(shelf: Shelf, risked: tuple[list[Bet], list[Chips]], roll: Roll) -> None:
    """Winnings are what is at risk times the odds, a loser loses what is at risk, and sums are those of the bets."""
    bets, at_risk = risked
    settlement = settle(shelf.layout("nz-division-9/2"), roll, bets, at_risk)
    odds = recounted("nz-division-9/2")[roll.index]
    for each, risk, ruling in zip(bets, at_risk, settlement.rulings, strict=True):
        pays = odds.get(each.box)
        assert (ruling.bet, ruling.at_risk, ruling.pays) == (each, risk, pays)
        assert ruling.winnings == risk * (pays or 0) >= 0
        assert ruling.returned == (each.stake - risk if pays is None else each.stake + ruling.winnings) >= 0
    assert settlement.totals == Totals(
        Chips(sum(each.stake for each in bets)),
        Chips(sum(at_risk)),
        Chips(sum(ruling.winnings for ruling in settlement.rulings)),
        Chips(sum(ruling.returned for ruling in settlement.rulings)),
    )


@MANY
@given(risked_bets(), rolls)
def test_without_shares_every_stake_is_at_risk(shelf: Shelf, risked: tuple[list[Bet], list[Chips]], roll: Roll) -> None:
    """Leaving the shares out is the same as putting every stake at risk whole."""
    layout = shelf.layout("nz-division-9/2")
    plain = settle(layout, roll, risked[0])
    whole = settle(layout, roll, risked[0], [each.stake for each in risked[0]])
    assert plain.rulings == whole.rulings
    assert plain.totals == whole.totals


def test_the_largest_stake_wins_to_the_last_unit(shelf: Shelf) -> None:
    """No amount passes through a float: the largest stake less one wins 180 times itself."""
    [ruling] = settle(shelf.layout("rws-tai-sai-v6/A"), roll_of([6, 6, 6]), [bet("triple:6", CHIPS_MAX - 1)]).rulings
    assert ruling.winnings == 179_999_999_999_999_820
    assert ruling.returned == 180_999_999_999_999_819


def test_nothing_at_risk_wins_and_loses_nothing(shelf: Shelf) -> None:
    """A winner with no share at risk wins nothing, a loser keeps all."""
    layout = shelf.layout("rws-tai-sai-v6/A")
    settlement = settle(layout, roll_of([1, 2, 4]), [bet("small", 20), bet("big", 30)], chips(0, 0))
    assert [ruling.pays for ruling in settlement.rulings] == [1, None]
    assert settlement.totals == (50, 0, 0, 50)


@MANY
@given(st.lists(st.tuples(st.sampled_from(["ann", "bob"]), st.integers(1, 10**9)), min_size=1), rolls)
def test_stacks_are_settled_as_one_bet(shelf: Shelf, stacks: list[tuple[str, int]], roll: Roll) -> None:
    """A player's stacks in a box are one bet of their sum, as in the second count (I13)."""
    bets = [{"player": player, "box": "single:4", "stake": stake} for player, stake in stacks]
    answer = recount.settle({"layout": "rws-tai-sai-v6/A", "dice": roll.faces, "bets": bets})
    merged = merge_bets(bet("single:4", stake, player) for player, stake in stacks)
    settlement = settle(shelf.layout("rws-tai-sai-v6/A"), roll, merged)
    assert answer_rows(settlement) == answer["bets"]
    assert settlement.totals._asdict() == answer["totals"]


def test_no_bets_settle_to_nothing(layout: Layout) -> None:
    """An empty table is settled too."""
    settlement = settle(layout, roll_of([1, 2, 3]), [])
    assert (settlement.rulings, settlement.totals) == ((), (0, 0, 0, 0))


@pytest.mark.parametrize("at_risk", [None, chips(1)])
@pytest.mark.parametrize("box", ["odd", "double:4", "nonsense", "", "x" * 999])
def test_a_bet_off_the_layout_is_a_fault_and_no_loser(shelf: Shelf, box: str, at_risk: Sequence[Chips] | None) -> None:
    """The second count refuses a box that the layout does not have, so the first must not collect it."""
    with pytest.raises(InputFault, match=r"^bets: layout rws-tai-sai-v6/E has no box ") as caught:
        settle(shelf.layout("rws-tai-sai-v6/E"), roll_of([1, 2, 3]), [bet(box, 1)], at_risk)
    assert len(str(caught.value)) < 120
    with pytest.raises(LookupError):
        recount.pays("rws-tai-sai-v6/E", box, (1, 2, 3))


@pytest.mark.parametrize("at_risk", [chips(), chips(1, 1)])
def test_shares_belong_to_bets(shelf: Shelf, at_risk: Sequence[Chips]) -> None:
    """Fewer or more shares than bets are never paired up by chance."""
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is (shorter|longer)"):
        settle(shelf.layout("rws-tai-sai-v6/A"), roll_of([1, 2, 3]), [bet("small", 1)], at_risk)


# --- Void and interrupted rounds ----------------------------------------------------------------------------------


@clauses("rws-tai-sai-v6 §5.12")
@MANY
@given(st.lists(st.integers(0, 10**18), max_size=6))
def test_a_void_round_returns_every_bet(shelf: Shelf, stakes: list[int]) -> None:
    """Nothing was at risk, nothing is won, every stake goes back, as in the second count."""
    bets = [bet("small", stake, f"p{place}") for place, stake in enumerate(stakes)]
    settlement = settle_void(shelf.layout("rws-tai-sai-v6/A"), bets)
    answer = recount.settle({"layout": "rws-tai-sai-v6/A", "dice": None, "bets": [each._asdict() for each in bets]})
    assert settlement.roll is None
    assert answer_rows(settlement) == answer["bets"]
    assert settlement.totals == (sum(stakes), 0, 0, sum(stakes))


INTERRUPTION = {"rws-tai-sai-v6": ["rws-tai-sai-v6 §5.4", "rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2"]}


def brute_force(layout_name: str, known: Sequence[int]) -> dict[str, Decision]:
    """What is certain when some of the dice, whichever they be, show these faces."""
    possible = [
        set(recounted(layout_name)[roll.index])
        for roll in ALL_ROLLS
        if any(list(shown) == list(known) for shown in permutations(roll.faces, len(known)))
    ]
    always, ever = set.intersection(*possible), set.union(*possible)
    return {
        box: Decision.WON if box in always else Decision.OPEN if box in ever else Decision.LOST
        for box in recount.boxes(layout_name)
    }


@pytest.mark.parametrize("layout", each_layout(INTERRUPTION), indirect=True)
@pytest.mark.parametrize("count", range(4))
def test_what_known_dice_decide(layout: Layout, count: int) -> None:
    """With none, one, two or three dice known a box is won, lost or open just as all possible rolls agree."""
    for known in product(range(1, 7), repeat=count):
        truth = brute_force(layout.name, known)
        assert decided(layout, known) == truth
        assert is_established(layout, known) == any(each is not Decision.OPEN for each in truth.values())


@pytest.mark.parametrize("layout", each_layout({"rws-tai-sai-v6": ["rws-tai-sai-v6 §5.4.1"]}), indirect=True)
def test_from_the_first_die_a_round_is_concluded(layout: Layout) -> None:
    """Once any die is read at least one box is won or lost, on every layout (I5)."""
    for count in (1, 2, 3):
        assert all(is_established(layout, known) for known in product(range(1, 7), repeat=count))
    assert decided(layout, [4])[BoxName("single:4")] is Decision.WON


@pytest.mark.parametrize("layout", each_layout({"rws-tai-sai-v6": ["rws-tai-sai-v6 §5.4.2"]}), indirect=True)
def test_with_no_die_read_the_round_is_void(layout: Layout) -> None:
    """With no die known every box is open, so nothing is established (I5)."""
    assert set(decided(layout, []).values()) == {Decision.OPEN}
    assert not is_established(layout, [])


@pytest.mark.parametrize("known", [[0], [7], [1, 2, 3, 4], [True], [1.0], ["1"], [None], [1] * 100_000])
def test_known_faces_are_faces(shelf: Shelf, known: list[int]) -> None:
    """More than three dice, or what is no face, is a fault in one short line."""
    with pytest.raises(InputFault, match=r"^known: at most three faces from 1 to 6, got ") as caught:
        decided(shelf.layout("rws-tai-sai-v6/A"), known)
    assert len(str(caught.value)) < 120


def test_a_round_is_settled_by_the_layout_of_its_draw(layout: Layout) -> None:
    """A layout without draws stands for itself; one that draws odds asks which draw came, and names those it has."""
    assert drawn_layout(layout, None) is layout
    with pytest.raises(
        InputFault, match=r"draw: the draw of the round, one of none, this layout draws no odds; got 'x'"
    ):
        drawn_layout(layout, "x")
    folder = Path(__file__).parents[2] / "examples" / "books"
    drawing = open_shelf([folder], environment={}).layout("multiplier-sic-bo/1")
    for name in drawing.drawn:
        assert drawn_layout(drawing, name) is drawing.drawn[name]
    for missing in (None, "", "x"):
        with pytest.raises(InputFault, match="draw of the round, one of "):
            drawn_layout(drawing, missing)
