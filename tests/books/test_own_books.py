"""The four own rule books: what they hold, and how their procedures differ."""

from __future__ import annotations

import pytest

from taisai.books import open_shelf
from taisai.books.duties import Duty
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_ROLLS, parse_roll
from taisai.core.names import result_call
from taisai.core.rulebook import Device, Rule, RuleBook, Step, Tumble
from tests.books.helpers import OWN_IDS, citations_of

SHELF = open_shelf(environment={})
NZ, MINI, OPEN_COVER, V6 = OWN_IDS
EVERY_BOOK = pytest.mark.parametrize("book", [SHELF.book(book_id) for book_id in OWN_IDS], ids=OWN_IDS)


def steps_of(book_id: str) -> list[Step]:
    """The steps of a round, in order."""
    return [each.step for each in SHELF.book(book_id).procedure.steps]


# What the books hold


@pytest.mark.parametrize(
    ("name", "boxes"),
    [
        pytest.param(f"{NZ}/1", 50, marks=pytest.mark.clause("nz-division-9 §App. 1")),
        pytest.param(f"{NZ}/2", 106, marks=pytest.mark.clause("nz-division-9 §App. 2")),
        pytest.param(f"{OPEN_COVER}/A", 50, marks=pytest.mark.clause("rws-open-cover-v3 §App. A")),
        pytest.param(f"{OPEN_COVER}/B", 104, marks=pytest.mark.clause("rws-open-cover-v3 §App. B")),
        pytest.param(f"{V6}/A", 50, marks=pytest.mark.clause("rws-tai-sai-v6 §App. A")),
        pytest.param(f"{V6}/C", 104, marks=pytest.mark.clause("rws-tai-sai-v6 §App. C")),
        pytest.param(f"{V6}/E", 107, marks=pytest.mark.clause("rws-tai-sai-v6 §App. E")),
        pytest.param(f"{MINI}/A", 7, marks=pytest.mark.clause("rws-mini-dice-v3 §App. A")),
    ],
)
def test_each_layout_has_its_boxes(name: str, boxes: int) -> None:
    """Each layout has as many boxes as its appendix shows."""
    assert len(SHELF.layout(name).boxes) == boxes


@pytest.mark.clause(
    "nz-division-9 §3.2", "rws-open-cover-v3 §2.1.1", "rws-tai-sai-v6 §2.1.1", "rws-mini-dice-v3 §2.1.1"
)
def test_each_book_has_its_layouts_and_no_other() -> None:
    """A game is played on the layouts that its book grants, and each cites the clause that grants it."""
    assert {book.id: list(book.layouts) for book in SHELF.books()} == {
        NZ: ["1", "2"],
        MINI: ["A"],
        OPEN_COVER: ["A", "B"],
        V6: ["A", "C", "E"],
    }
    for book in SHELF.books():
        granting = "3.2" if book.id == NZ else "2.1.1"
        for layout in book.layouts.values():
            assert layout.clauses == (granting, f"App. {layout.id}")


def test_each_book_says_whose_it_is() -> None:
    """Operator, jurisdiction and date are those of the documents; the book of New Zealand has no date."""
    assert {book.id: str(book.effective) for book in SHELF.books()} == {
        NZ: "None",
        MINI: "2013-10-22",
        OPEN_COVER: "2017-01-21",
        V6: "2023-10-06 08:00:00",
    }
    assert {book.jurisdiction for book in SHELF.books()} == {"New Zealand", "Singapore"}
    assert {book.title for book in SHELF.books()} == {"Tai-Sai", "Mini Dice", "Tai Sai (Open Cover)", "Tai Sai"}


@EVERY_BOOK
def test_each_clause_is_told(book: RuleBook) -> None:
    """Every clause has a sentence of its own: not a stub, and closed by a full stop."""
    for clause in book.clauses.values():
        # Of an appendix that is a drawing there is no more to tell than which layout it draws.
        assert len(clause.summary) >= (9 if clause.id.startswith("App.") else 15), clause.id
        assert clause.summary.endswith("."), clause.id
        assert clause.effective == book.effective


@EVERY_BOOK
def test_each_clause_that_binds_the_software_is_cited(book: RuleBook) -> None:
    """A clause that is data or rule stands behind some row of the book."""
    binding = {clause for clause, owed in SHELF.duties(book.id).items() if {Duty.DATA, Duty.RULE} & set(owed.duties)}
    assert binding <= citations_of(book)


@EVERY_BOOK
def test_each_citation_exists(book: RuleBook) -> None:
    """Whatever a row cites is a clause or an interpretation of the same book, and every row cites something."""
    assert citations_of(book) <= book.clauses.keys() | book.interpretations.keys()
    assert all(book.rules.values())
    assert all(step.clauses for step in book.procedure.steps)
    assert all(void.clauses for void in book.procedure.facts.values())
    assert all(row.clauses for layout in book.layouts.values() for row in layout.rows)


@EVERY_BOOK
def test_each_interpretation_is_of_this_book(book: RuleBook) -> None:
    """The register names clauses that exist, asks a question and answers it."""
    for entry in book.interpretations.values():
        assert set(entry.clauses) <= book.clauses.keys(), entry.id
        assert entry.question.endswith("?")
        assert entry.reading.endswith(".")
        assert all(entry in book.interpretations_of(clause) for clause in entry.clauses)


def test_the_whole_register_is_there() -> None:
    """Each interpretation of the register stands in some book, and in every book with the same id it asks the same."""
    register = {(entry.id, entry.question) for book in SHELF.books() for entry in book.interpretations.values()}
    assert {name for name, _ in register} == {f"I{number}" for number in range(1, 33)}


# Words


@pytest.mark.clause(
    "rws-tai-sai-v6 §1.1",
    "rws-tai-sai-v6 §1.2",
    "rws-tai-sai-v6 §1.4",
    "rws-tai-sai-v6 §1.5",
    "rws-tai-sai-v6 §1.6",
    "rws-tai-sai-v6 §1.7",
    "rws-tai-sai-v6 §1.8",
)
def test_version_six_defines_its_words() -> None:
    """Each word that version 6 defines leads to its definition, and each definition says what the book says."""
    book = SHELF.book(V6)
    words = ("bet", "dealer", "differential", "house", "pit employee", "player", "round of play", "total sum", "void")
    assert book.terms == {word: (f"1.{number}",) for number, word in enumerate(words, start=1)}
    told = {word: book.clauses[clause].summary for word, (clause,) in book.terms.items()}
    assert "wager" in told["bet"]
    assert "deals" in told["dealer"]
    assert "operator" in told["house"]
    assert all(post in told["pit employee"] for post in ("dealer", "pit supervisor", "pit manager"))
    assert "places a bet" in told["player"]
    assert {"1.2", "1.5"} <= set(book.clauses_for(Rule.ROLES))


@pytest.mark.clause("rws-tai-sai-v6 §1.7")
def test_a_round_runs_from_the_opening_call_to_the_last_payment() -> None:
    """Under version 6 a round begins with the opening of bets and ends when everybody is paid."""
    steps = steps_of(V6)
    assert (steps[0], steps[-1]) == (Step.OPEN_BETS, Step.PAY)
    assert SHELF.book(V6).procedure.calls.open == "Place your Bets, please"


@pytest.mark.clause("rws-tai-sai-v6 §1.8")
def test_the_total_sum_is_that_of_the_three_faces() -> None:
    """A box on a total wins exactly when the three uppermost faces add up to it."""
    for layout in SHELF.book(V6).layouts.values():
        for roll in ALL_ROLLS:
            won = {box for box in layout.lit(roll) if box.startswith("total:")}
            assert won == ({BoxName(f"total:{sum(roll.faces)}")} if 4 <= sum(roll.faces) <= 17 else set())


@pytest.mark.clause("rws-mini-dice-v3 §1 Single Dice Bet")
def test_a_single_dice_bet_is_on_one_face() -> None:
    """Mini Dice has one single box for each face from 1 to 6, and every row of it cites the definition."""
    layout = SHELF.layout(f"{MINI}/A")
    singles = {name: box for name, box in layout.boxes.items() if name != "field"}
    assert [box.faces for box in singles.values()] == [(face,) for face in range(1, 7)]
    assert all("1 Single Dice Bet" in row.clauses for name in singles for row in layout.rows_of(name))


@pytest.mark.clause("rws-mini-dice-v3 §1 Spin")
def test_a_spin_is_a_turn_of_the_cage() -> None:
    """Mini Dice, and no other of the books, tumbles its dice in a cage; its spin is defined."""
    assert {book.id for book in SHELF.books() if book.procedure.device is Device.CAGE} == {MINI}
    assert SHELF.book(MINI).terms["spin"] == ("1 Spin",)
    assert "1 Spin" in SHELF.book(MINI).clauses_for(Rule.TUMBLE_COUNT)


# Procedures


@pytest.mark.clause("nz-division-9 §6.1", "rws-open-cover-v3 §3.4", "rws-tai-sai-v6 §3.7", "rws-mini-dice-v3 §3.4")
def test_the_books_tumble_at_different_times() -> None:
    """New Zealand tumbles before bets, open cover and Mini Dice after the close, version 6 at either time."""
    assert {book.id: book.procedure.tumble for book in SHELF.books()} == {
        NZ: Tumble.BEFORE_BETS,
        MINI: Tumble.AFTER_CLOSE,
        OPEN_COVER: Tumble.AFTER_CLOSE,
        V6: Tumble.EITHER,
    }
    assert steps_of(NZ)[:3] == [Step.TUMBLE, Step.OPEN_BETS, Step.CLOSE_BETS]
    for book_id in (MINI, OPEN_COVER, V6):
        assert steps_of(book_id)[:4] == [Step.OPEN_BETS, Step.CLOSE_BETS, Step.TUMBLE, Step.UNCOVER]
    assert {book.procedure.tumbles_min for book in SHELF.books()} == {3}


@pytest.mark.clause("nz-division-9 §6.4")
def test_only_some_tables_have_lights() -> None:
    """The entry at a terminal is a step in New Zealand only; lights are one there and under version 6."""
    assert [book_id for book_id in OWN_IDS if Step.ENTER in steps_of(book_id)] == [NZ]
    assert [book_id for book_id in OWN_IDS if Step.LIGHT in steps_of(book_id)] == [NZ, V6]


@pytest.mark.clause("nz-division-9 §6.5", "rws-tai-sai-v6 §3.9")
def test_losers_are_collected_before_winners_are_paid() -> None:
    """Every round ends with the collection of losing bets and then the payment of winning ones."""
    for book_id in OWN_IDS:
        assert steps_of(book_id)[-2:] == [Step.COLLECT, Step.PAY]


@pytest.mark.clause("nz-division-9 §6.2", "nz-division-9 §3.4(f)")
def test_the_bell_rings_in_new_zealand_only() -> None:
    """Only the book of New Zealand has a bell, and rings it with the closing call."""
    assert [book.id for book in SHELF.books() if book.procedure.calls.bell] == [NZ]
    assert [book.id for book in SHELF.books() if book.has(Rule.BELL)] == [NZ]


def test_only_version_six_has_pro_rata_and_differential() -> None:
    """Pro rata and differential are rules of version 6; the other books know a minimum and a maximum only."""
    for rule in (Rule.PRO_RATA, Rule.DIFFERENTIAL, Rule.UNDER_MINIMUM_EXEMPT):
        assert [book.id for book in SHELF.books() if book.has(rule)] == [V6]
    for book in SHELF.books():
        assert book.has(Rule.MINIMUM)
        assert book.has(Rule.MAXIMUM)
        assert book.id == V6 or book.clauses_for(Rule.MAXIMUM) == ("I16",)


@pytest.mark.clause(
    "nz-division-9 §5.0(a)",
    "nz-division-9 §5.0(b)",
    "nz-division-9 §5.0(c)",
    "nz-division-9 §5.0(d)",
)
def test_only_new_zealand_has_an_opening_check() -> None:
    """The opening check of New Zealand has four items; the other books have none."""
    items = [(item.item, item.clauses) for item in SHELF.book(NZ).procedure.opening]
    assert items == [("power", ("5.0(a)",)), ("test-run", ("5.0(b)",)), ("tumbler", ("5.0(c)",)), ("seal", ("5.0(d)",))]
    assert not any(SHELF.book(book_id).procedure.opening for book_id in (MINI, OPEN_COVER, V6))


def test_what_follows_from_each_fact_is_the_word_of_its_book() -> None:
    """Each book has its own facts with their consequences and clauses; only version 6 reaches back in time."""
    void, void_and_suspend, by_dice = ("void-round",), ("void-round", "suspend"), ("dice-decide", "suspend")
    found = {
        book.id: {str(fact): (rule.then, rule.clauses) for fact, rule in book.procedure.facts.items()}
        for book in SHELF.books()
    }
    assert found == {
        NZ: {
            "not-flat": (void, ("7.1(a)",)),
            "dice-stacked": (void, ("7.1(a)",)),
            "tumbler-fault": (void_and_suspend, ("7.1(b)", "7.4")),
            "exposed": (void, ("7.1(c)",)),
            "not-activated": (void, ("7.1(d)",)),
            "too-few-tumbles": (void, ("7.1(d)", "I30")),
            "damaged-dice": (("suspend",), ("7.4", "I27")),
            "lights-fault": (by_dice, ("7.3", "7.4")),
            "terminal-dead": (by_dice, ("7.3", "7.4")),
            "interrupted": (void, ("I14",)),
        },
        MINI: {
            "too-few-tumbles": (void, ("5.1.1",)),
            "dice-stacked": (void, ("5.1.2",)),
            "damaged-dice": (void, ("5.1.3", "I26")),
            "not-flat": (void, ("5.1.4",)),
            "interrupted": (void, ("I14",)),
        },
        OPEN_COVER: {
            "damaged-dice": (void, ("5.1.1", "I26")),
            "too-few-tumbles": (void, ("5.1.2",)),
            "not-flat": (void, ("5.1.3",)),
            "dice-stacked": (void, ("5.1.3",)),
            "activated-before-close": (void, ("5.1.4",)),
            "interrupted": (void, ("I14",)),
        },
        V6: {
            "interrupted": (void, ("5.4.2",)),
            "too-few-tumbles": (void, ("5.5.1",)),
            "not-flat": (void, ("5.5.2",)),
            "dice-stacked": (void, ("5.5.2",)),
            "exposed": (void, ("5.5.3",)),
            "damaged-dice": (("void-rounds-of-set",), ("5.6", "I11")),
            "lights-fault": (("dice-decide",), ("5.10",)),
        },
    }


@pytest.mark.clause(
    "nz-division-9 §6.1",
    "nz-division-9 §6.2",
    "nz-division-9 §6.3",
    "rws-open-cover-v3 §3.1",
    "rws-open-cover-v3 §3.2",
    "rws-tai-sai-v6 §3.2",
    "rws-tai-sai-v6 §3.6",
    "rws-mini-dice-v3 §3.1",
    "rws-mini-dice-v3 §3.2",
)
def test_the_dealer_speaks_the_words_of_the_book() -> None:
    """Opening, closing and void calls are those of each document; the result is called in one form everywhere."""
    calls = {book.id: book.procedure.calls for book in SHELF.books()}
    assert {book_id: (each.open, each.close, each.void) for book_id, each in calls.items()} == {
        NZ: ("Place your bets", "No more bets", "No spin"),
        MINI: ("Place your bets, please", "No more bets", "Void"),
        OPEN_COVER: ("Place your bets, please", "No more bets", "Void"),
        V6: ("Place your Bets, please", "No more Bets", "Void"),
    }
    for each in calls.values():
        assert result_call(each, parse_roll("3,1,6")) == "1, 3, 6, total 10"
        assert result_call(each, parse_roll("3,4,3")) == "double 3, 4, total 10"
        assert result_call(each, parse_roll("4,3,4")) == "3, double 4, total 11"
        assert result_call(each, parse_roll("5,5,5")) == "triple 5, total 15"
