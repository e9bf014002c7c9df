"""Words for people: why a bet won, lost or came back, and by which clauses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from taisai.books import Shelf
from taisai.core.bets import Bet
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, Roll, parse_roll
from taisai.core.explain import Over, clauses_behind, clauses_behind_void, over_limit, why, why_void
from taisai.core.limits import make_limits
from taisai.core.money import Chips, written
from taisai.core.prorata import fix_stakes
from taisai.core.rulebook import Fact, Layout, Rule, RuleBook
from taisai.core.settlement import Ruling, settle, settle_void
from tests.core.samples import ALL_BOXES, KINDS, SOME, bet, rolls

ALTERNATIVE = "nz-division-9/2"
LEFT = "The stake of 100 is collected."


def ruling_of(layout: Layout, dice: str, box: str, stake: int = 100) -> tuple[Roll, Ruling]:
    """One bet settled on one roll."""
    roll = parse_roll(dice)
    [ruling] = settle(layout, roll, [bet(box, stake)]).rulings
    return roll, ruling


WON = [
    ("small", "1,3,6", "a total from 4 to 10 without a triple, and 1, 3, 6 makes 10. 100 at 1 to 1 wins 100. 200"),
    ("big", "4,4,6", "a total from 11 to 17 without a triple, and 4, 4, 6 makes 14. 100 at 1 to 1 wins 100. 200"),
    ("odd", "2,2,1", "an odd total without a triple, and 1, 2, 2 makes 5. 100 at 1 to 1 wins 100. 200"),
    ("even", "1,3,6", "an even total without a triple, and 1, 3, 6 makes 10. 100 at 1 to 1 wins 100. 200"),
    ("single:2", "3,4,2", "2 on at least one die, and 2, 3, 4 shows it on one die. 100 at 1 to 1 wins 100. 200"),
    ("single:2", "2,1,2", "2 on at least one die, and 1, 2, 2 shows it on two dice. 100 at 2 to 1 wins 200. 300"),
    (
        "single:2",
        "222",
        "2 on at least one die, and 2, 2, 2 shows it on all three dice. 100 at 12 to 1 wins 1200. 1300",
    ),
    ("double:2", "2,1,2", "2 on at least two dice, and 1, 2, 2 shows it on two dice. 100 at 11 to 1 wins 1100. 1200"),
    (
        "double:2",
        "222",
        "2 on at least two dice, and 2, 2, 2 shows it on all three dice. 100 at 11 to 1 wins 1100. 1200",
    ),
    (
        "triple:2",
        "222",
        "2 on all three dice, and 2, 2, 2 shows it on all three dice. 100 at 180 to 1 wins 18000. 18100",
    ),
    ("any-triple", "222", "the same face on all three dice, and the dice show 2, 2, 2. 100 at 31 to 1 wins 3100. 3200"),
    ("total:6", "222", "a total of 6, and 2, 2, 2 makes 6. 100 at 18 to 1 wins 1800. 1900"),
    ("pair:25", "5,5,2", "both 2 and 5, and the dice show 2, 5, 5. 100 at 6 to 1 wins 600. 700"),
    ("three:221", "1,2,2", "exactly 2, 2, 1, and the dice show 1, 2, 2. 100 at 60 to 1 wins 6000. 6100"),
    ("three:136", "6,3,1", "exactly 1, 3, 6, and the dice show 1, 3, 6. 100 at 30 to 1 wins 3000. 3100"),
    (
        "four:1234",
        "4,1,3",
        "three different faces out of 1, 2, 3, 4, and the dice show 1, 3, 4. 100 at 7 to 1 wins 700. 800",
    ),
]

LOST = [
    ("small", "4,4,6", "a total from 4 to 10 without a triple, but 4, 4, 6 makes 14"),
    ("small", "222", "a total from 4 to 10 without a triple, but 2, 2, 2 is a triple"),
    ("big", "1,3,6", "a total from 11 to 17 without a triple, but 1, 3, 6 makes 10"),
    ("big", "555", "a total from 11 to 17 without a triple, but 5, 5, 5 is a triple"),
    ("odd", "333", "an odd total without a triple, but 3, 3, 3 is a triple"),
    ("even", "221", "an even total without a triple, but 1, 2, 2 makes 5"),
    ("single:2", "1,3,6", "2 on at least one die, but 1, 3, 6 does not show it"),
    ("double:2", "1,3,6", "2 on at least two dice, but 1, 3, 6 does not show it"),
    ("double:2", "1,2,6", "2 on at least two dice, but 1, 2, 6 shows it on one die only"),
    ("triple:2", "1,2,2", "2 on all three dice, but 1, 2, 2 shows it on two dice only"),
    ("any-triple", "1,2,2", "the same face on all three dice, but the dice show 1, 2, 2"),
    ("total:6", "1,2,2", "a total of 6, but 1, 2, 2 makes 5"),
    ("pair:25", "2,2,2", "both 2 and 5, but the dice show 2, 2, 2"),
    ("three:221", "1,1,2", "exactly 2, 2, 1, but the dice show 1, 1, 2"),
    ("four:1234", "1,1,2", "three different faces out of 1, 2, 3, 4, but the dice show 1, 1, 2"),
]


@pytest.mark.parametrize(("box", "dice", "words"), WON)
def test_why_a_bet_wins(shelf: Shelf, box: str, dice: str, words: str) -> None:
    """A winner is told what the box needed, what the dice show, the odds, and what comes back with the stake."""
    layout = shelf.layout(ALTERNATIVE)
    title = layout.bet_name(BoxName(box))
    line = f"{title} wins: it needs {words} goes back to the player, the stake of 100 included."
    assert why(layout, *ruling_of(layout, dice, box)) == line


@pytest.mark.parametrize(("box", "dice", "words"), LOST)
def test_why_a_bet_loses(shelf: Shelf, box: str, dice: str, words: str) -> None:
    """A loser is told what the box needed and what the dice show instead."""
    layout = shelf.layout(ALTERNATIVE)
    title = layout.bet_name(BoxName(box))
    assert why(layout, *ruling_of(layout, dice, box)) == f"{title} loses: it needs {words}. {LEFT}"


def test_why_the_field_wins_and_loses(shelf: Shelf) -> None:
    """For the field only the total is spoken of, on triples too."""
    layout = shelf.layout("rws-mini-dice-v3/A")
    needs = "it needs a total of 5 to 8 or 13 to 16"
    won = "100 at 1 to 1 wins 100. 200 goes back to the player, the stake of 100 included."
    assert why(layout, *ruling_of(layout, "555", "field")) == f"Field Bet wins: {needs}, and 5, 5, 5 makes 15. {won}"
    assert why(layout, *ruling_of(layout, "333", "field")) == f"Field Bet loses: {needs}, but 3, 3, 3 makes 9. {LEFT}"


def test_every_kind_is_explained_both_ways() -> None:
    """The tables above leave no kind out; the field, which is on another layout, has its own test."""
    for table in (WON, LOST):
        assert {ALL_BOXES[BoxName(box)].kind for box, _, _ in table} == {*KINDS} - {"field"}


SENTENCES = re.compile(r"([A-Z0-9][^.:]*(: [^.]*)?\.)( [A-Z0-9][^.:]*(: [^.]*)?\.)*")


@SOME
@given(rolls)
def test_every_explanation_is_sentences(shelf: Shelf, roll: Roll) -> None:
    """On any roll each box of a layout is explained in whole sentences that agree with what was paid."""
    for name in (ALTERNATIVE, "rws-tai-sai-v6/E", "rws-mini-dice-v3/A"):
        layout = shelf.layout(name)
        for ruling in settle(layout, roll, [bet(box, 100) for box in layout.boxes]).rulings:
            text = why(layout, roll, ruling)
            assert SENTENCES.fullmatch(text), text
            assert "  " not in text
            assert (" wins: " in text) == (ruling.pays is not None) == (", and " in text) == (" loses: " not in text)
            assert f" wins {ruling.winnings}. {ruling.returned} goes" in text or ruling.pays is None


# --- Pro rata, exempt, void ---------------------------------------------------------------------------------------


def shared_round(tai_sai: RuleBook, dice: str, bets: list[Bet]) -> list[tuple[Ruling, Over | None]]:
    """Bets in boxes over a limit: Small may hold 10000, Big 10, and Small has a minimum of 100."""
    limits = make_limits(kinds={"small": {"min": 100, "max": 10_000}, "big": {"max": 10}}, unit=5)
    fixed = fix_stakes(tai_sai, limits, bets)
    settlement = settle(tai_sai.layouts["A"], parse_roll(dice), bets, fixed.at_risk)
    return [
        (ruling, over_limit(limits, ruling.bet.box, fixed.capacity_of(ruling.bet.box))) for ruling in settlement.rulings
    ]


OVER = "Small held more than its maximum of 10000"
NEEDS_SMALL = "it needs a total from 4 to 10 without a triple"
NEEDS_BIG = "it needs a total from 11 to 17 without a triple"


def test_why_a_bet_was_shared(tai_sai: RuleBook) -> None:
    """Before the outcome stands what was at risk; after it what the share won or lost and what came back."""
    bets = [bet("small", 11_000), bet("small", 80, "bob")]
    shares = f"{OVER}, and is settled pro rata: 9920 of the 11000 was at risk."
    whole = f"{OVER}, but this stake of 80 stays whole."
    wins = f"Small wins: {NEEDS_SMALL}, and 1, 2, 4 makes 7."
    won = [why(tai_sai.layouts["A"], parse_roll("124"), *each) for each in shared_round(tai_sai, "124", bets)]
    back = "20920 goes back to the player, the stake of 11000 included."
    assert won[0] == f"{shares} {wins} 9920 at 1 to 1 wins 9920. {back}"
    assert won[1] == f"{whole} {wins} 80 at 1 to 1 wins 80. 160 goes back to the player, the stake of 80 included."
    loses = f"Small loses: {NEEDS_SMALL}, but 2, 2, 2 is a triple."
    lost = [why(tai_sai.layouts["A"], parse_roll("222"), *each) for each in shared_round(tai_sai, "222", bets)]
    assert lost[0] == f"{shares} {loses} The 9920 at risk is collected, and 1080 goes back to the player."
    assert lost[1] == f"{whole} {loses} The stake of 80 is collected."
    assert all(SENTENCES.fullmatch(text) for text in won + lost)


@pytest.mark.parametrize(("dice", "words"), [("456", "won"), ("124", "collected")])
def test_why_nothing_moves(tai_sai: RuleBook, dice: str, words: str) -> None:
    """A stake with no whole unit of a share is told so, and not that nothing times odds is nothing."""
    bets = [bet("big", 100), bet("big", 3, "bob")]
    roll = parse_roll(dice)
    _, (ruling, over) = shared_round(tai_sai, dice, bets)
    assert ruling.at_risk == 0
    text = why(tai_sai.layouts["A"], roll, ruling, over)
    assert text.startswith(
        "Big held more than its maximum of 10, and is settled pro rata: none of the 3 was at risk. Big "
    )
    assert NEEDS_BIG in text
    assert text.endswith(f". Nothing is {words}, and 3 goes back to the player.")


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §1.3")
def test_the_limit_that_bound_is_named(tai_sai: RuleBook) -> None:
    """The differential by its amount and what was placed opposite, the maximum where that binds; in the currency."""
    layout, bets = tai_sai.layouts["A"], [bet("big", 9_000), bet("small", 2_000, "bob")]
    limits = make_limits(default={"min": 100, "max": 6_000}, differential={"big-small": 3_000})
    fixed = fix_stakes(tai_sai, limits, bets)
    [ruling, _] = settle(layout, parse_roll("456"), bets, fixed.at_risk).rulings
    over = over_limit(limits, BoxName("big"), fixed.capacity_of(BoxName("big")))
    assert over == Over(Rule.DIFFERENTIAL, Chips(3_000), BoxName("small"), Chips(2_000))
    text = why(layout, parse_roll("456"), ruling, over, lambda amount: written(amount, "SGD"))
    assert text.startswith(
        "Big held more than the differential of SGD 30 allows, with SGD 20 placed on Small, and is settled pro rata: "
        "SGD 50 of the SGD 90 was at risk. Big wins: "
    )
    assert text.endswith("SGD 50 at 1 to 1 wins SGD 50. SGD 140 goes back to the player, the stake of SGD 90 included.")
    assert over_limit(limits, BoxName("big"), Chips(6_000)) == Over(Rule.MAXIMUM, Chips(6_000))
    assert over_limit(limits, BoxName("single:1"), Chips(6_000)) == Over(Rule.MAXIMUM, Chips(6_000))
    assert over_limit(limits, BoxName("big"), None) is None


@pytest.mark.parametrize("book_id", ["nz-division-9", "rws-open-cover-v3", "rws-tai-sai-v6", "rws-mini-dice-v3"])
def test_why_a_round_is_void(shelf: Shelf, book_id: str) -> None:
    """Each reason of each book makes a sentence, and cites that bets come back and then the reason's own clause."""
    book = shelf.book(book_id)
    layout = next(iter(book.layouts.values()))
    [ruling] = settle_void(layout, [bet("single:1", 250)]).rulings
    for rule in book.procedure.voids.values():
        text = why_void(rule, ruling)
        assert text == f"The round is void: {rule.summary}. The whole stake of 250 goes back to the player."
        assert SENTENCES.fullmatch(text)
        cited = clauses_behind_void(book, rule)
        assert cited[-len(rule.clauses) :] == rule.clauses
        assert len(set(cited)) == len(cited)


@pytest.mark.clause("rws-tai-sai-v6 §5.12")
def test_clauses_of_a_void_round(tai_sai: RuleBook) -> None:
    """A void round under the Singapore book cites what void means, that bets are returned, and why."""
    rule = tai_sai.procedure.voids[Fact.NOT_FLAT]
    assert clauses_behind_void(tai_sai, rule) == ("1.9", "5.12", "5.5.2")


# --- Clauses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dice", "box", "clauses"),
    [
        ("rws-tai-sai-v6/A", "1,3,6", "small", ("3.9", "4.1.1")),
        ("rws-tai-sai-v6/A", "4,4,6", "small", ("3.9", "4.1.1")),
        ("rws-tai-sai-v6/C", "1,3,6", "even", ("3.9", "4.1.2")),
        ("rws-tai-sai-v6/E", "2,2,2", "small", ("3.9", "4.1.3", "3.10")),
        ("rws-tai-sai-v6/E", "2,2,2", "triple:3", ("3.9", "4.1.3", "3.10")),
        ("rws-tai-sai-v6/E", "2,2,2", "triple:2", ("3.9", "4.1.3", "3.10.1")),
        ("rws-tai-sai-v6/E", "2,2,2", "any-triple", ("3.9", "4.1.3", "3.10.2")),
        ("rws-tai-sai-v6/C", "2,2,2", "double:2", ("3.9", "4.1.2", "3.10.3")),
        ("rws-tai-sai-v6/E", "2,2,2", "single:2", ("3.9", "4.1.3", "3.10.4")),
        ("rws-tai-sai-v6/E", "2,2,2", "total:6", ("3.9", "4.1.3", "3.10.5")),
        ("rws-tai-sai-v6/E", "2,2,2", "total:9", ("3.9", "4.1.3", "3.10")),
        ("nz-division-9/1", "2,2,2", "double:2", ("6.5", "4.1(d)", "4.10", "4.1(d)(ii)")),
        ("nz-division-9/1", "2,2,1", "double:2", ("6.5", "4.1(d)", "4.10")),
        ("nz-division-9/2", "3,3,3", "odd", ("6.5", "4.1(k)", "4.10")),
        ("rws-open-cover-v3/B", "2,2,2", "small", ("4.1.2",)),
        ("rws-mini-dice-v3/A", "2,2,2", "field", ("1 Field Bet", "4.1")),
    ],
)
def test_clauses_of_a_plain_bet(shelf: Shelf, name: str, dice: str, box: str, clauses: tuple[str, ...]) -> None:
    """The general clause comes first, then the pay table, then the clause of the triple for losers and for winners."""
    layout = shelf.layout(name)
    book = shelf.book(layout.book_id)
    assert clauses_behind(book, layout, *ruling_of(layout, dice, box), None, under_minimum=False) == clauses


@pytest.mark.clause("rws-tai-sai-v6 §3.10", "rws-tai-sai-v6 §3.9")
@pytest.mark.parametrize("name", ["rws-tai-sai-v6/A", "rws-tai-sai-v6/C", "rws-tai-sai-v6/E"])
def test_a_triple_cites_its_clauses_for_every_box(shelf: Shelf, name: str) -> None:
    """On a triple losers cite 3.10 and winners one of 3.10.1 to 3.10.5; on no other roll is either cited."""
    layout, book = shelf.layout(name), shelf.book("rws-tai-sai-v6")
    bets = [bet(box, 1) for box in layout.boxes]
    for roll in ALL_COMBINATIONS:
        for ruling in settle(layout, roll, bets).rulings:
            clauses = clauses_behind(book, layout, roll, ruling, None, under_minimum=False)
            assert clauses[0] == "3.9"
            if roll.is_triple:
                won = ruling.pays is not None
                assert re.fullmatch(r"3\.10\.[1-5]" if won else r"3\.10", clauses[-1])
            else:
                assert len(clauses) == 2


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1", "rws-tai-sai-v6 §5.1.2", "rws-tai-sai-v6 §5.2.1")
def test_clauses_of_shared_and_exempt_bets(tai_sai: RuleBook) -> None:
    """A share cites pro rata, an exempt bet its exemption, and a bet below the minimum elsewhere that it stands."""
    layout = tai_sai.layouts["A"]
    roll = parse_roll("124")
    (ruling, over), _ = shared_round(tai_sai, "124", [bet("small", 11_000), bet("small", 80, "bob")])
    assert clauses_behind(tai_sai, layout, roll, ruling, over, under_minimum=False) == ("3.9", "4.1.1", "5.1.1", "I6")
    assert clauses_behind(tai_sai, layout, roll, ruling, over, under_minimum=True) == ("3.9", "4.1.1", "5.1.2", "I7")
    assert clauses_behind(tai_sai, layout, roll, ruling, None, under_minimum=True) == ("3.9", "4.1.1", "5.2.1")


def test_every_clause_cited_is_in_the_book(shelf: Shelf, layout: Layout) -> None:
    """Whatever is cited, on any roll, stands in the book's ledger or register, and no clause twice."""
    book = shelf.book(layout.book_id)
    known = {*book.clauses, *book.interpretations}
    for roll in ALL_COMBINATIONS:
        for ruling in settle(layout, roll, [bet(box, 1) for box in layout.boxes]).rulings:
            clauses = clauses_behind(book, layout, roll, ruling, None, under_minimum=True)
            assert set(clauses) <= known
            assert len(set(clauses)) == len(clauses)


def test_why_a_players_own_maximum_cut_a_bet(tai_sai: RuleBook) -> None:
    """Who was over their maximum is told so; nothing is said to who was within it."""
    layout = tai_sai.layouts["A"]
    limits = make_limits(default={"max": 500, "per": "player"})
    bets = [bet("small", 800), bet("small", 300, "bob")]
    fixed = fix_stakes(tai_sai, limits, bets)
    over = over_limit(limits, BoxName("small"), fixed.capacity_of(BoxName("small")))
    roll = parse_roll("123")
    cut, whole = settle(layout, roll, bets, fixed.at_risk).rulings
    told = "A player may have 500 on Small: 500 of the 800 was at risk. Small wins"
    assert why(layout, roll, cut, over).startswith(told)
    assert why(layout, roll, whole, over).startswith("Small wins")
    shared = [clauses_behind(tai_sai, layout, roll, each, over, under_minimum=False) for each in (cut, whole)]
    assert [set(tai_sai.clauses_for(Rule.PRO_RATA)) <= set(each) for each in shared] == [True, False]
