"""Marking: drills are solvable on every layout, and marked as the recount would settle."""

from __future__ import annotations

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.training.drills import LEVELS, make_drill
from taisai.training.marking import Answers, Payment, mark_drill
from tests.training.solving import LAYOUTS, SEEDS, book_and_layout, recounted, solved


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_drill_is_solved_by_the_recount(name: str, level: int) -> None:
    """On every layout, level and seed the answers of the second settlement get full marks."""
    book, layout = book_and_layout(name)
    for seed in SEEDS:
        drill = make_drill(book, layout, level, seed)
        marks = mark_drill(book, layout, level, seed, solved(book, drill))
        assert (marks.percent, marks.passed, marks.in_time) == (100, True, True), (seed, marks)
        assert sorted(marks.lit) == recounted(drill)["lit"]
        assert marks.call.clauses
        assert all(each.clauses for each in marks.boxes)
        assert all(each.clauses for each in marks.payments)
        assert all(each.clauses for each in marks.situations)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_missing_answer_is_a_mistake(name: str) -> None:
    """A missing answer is never right: nothing is paid, nothing is collected, nothing is called."""
    book, layout = book_and_layout(name)
    for seed in SEEDS:
        marks = mark_drill(book, layout, 3, seed, Answers())
        assert not marks.call.correct
        assert [each.correct for each in marks.boxes] == [not each.loses for each in marks.boxes]
        assert [each.correct for each in marks.payments] == [each.due == 0 for each in marks.payments]
        assert not any(each.correct for each in marks.situations)
        assert not marks.passed


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1")
def test_the_fourth_level_shares_out_pro_rata() -> None:
    """Under a book with pro rata every drill of level 4 has a box over its limit, explained step by step."""
    for name in ("rws-tai-sai-v6/A", "rws-tai-sai-v6/C", "rws-tai-sai-v6/E"):
        book, layout = book_and_layout(name)
        exempt = 0
        for seed in SEEDS:
            marks = mark_drill(book, layout, 4, seed, Answers())
            assert marks.shares
            assert all("5.1.1" in share.clauses for share in marks.shares)
            partly = [each for each in marks.payments if each.at_risk < each.stake]
            assert partly
            assert all("5.1.1" in each.clauses for each in partly)
            exempt += any("5.1.2" in each.clauses for each in marks.payments)
        assert exempt


def test_a_wrong_payment_is_explained() -> None:
    """A payment that is too large is wrong; the marks say what was due, in which chips, why and by which clause."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    drill = make_drill(book, layout, 2, "monday")
    right = solved(book, drill)
    due = next(each for each in right.payments if each.amount)
    wrong = [msgspec.structs.replace(each, amount=each.amount + 100 * (each is due)) for each in right.payments]
    marks = mark_drill(book, layout, 2, "monday", msgspec.structs.replace(right, payments=tuple(wrong)))
    (mark,) = (each for each in marks.payments if not each.correct)
    assert (mark.player, mark.box, mark.given, mark.due) == (due.player, due.box, due.amount + 100, due.amount)
    assert sum(chip * count for chip, count in mark.chips.items()) == due.amount
    assert "4.1.1" in mark.clauses
    assert "wins" in mark.why
    assert marks.right == marks.asked - 1


@pytest.mark.parametrize(
    ("given", "correct"),
    [
        ("double 3, 4, total 10", True),
        (" Double 3 4 TOTAL 10.", True),
        ("4, double 3, total 10", False),
        ("3, 3, 4, total 10", False),
        ("double 3, 4, total 11", False),
        ("", False),
    ],
)
def test_a_call_is_marked_by_its_words(given: str, correct: bool) -> None:
    """Case and punctuation do not matter; order, words and total do."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    assert mark_drill(book, layout, 2, "monday", Answers(call=given)).call.correct is correct


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        (Answers(collected=("nothing",)), "collected[0]"),
        (Answers(collected=("triple:1",)), "collected[0]"),
        (Answers(payments=(Payment("Zoe", "small", 1),)), "payments[0]"),
        (Answers(situations={"rain": "void"}), "situations"),
    ],
)
def test_answers_to_another_drill_are_refused(answers: Answers, field: str) -> None:
    """An answer about a bet or case that the drill does not have is refused with its field."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    with pytest.raises(InputFault) as caught:
        mark_drill(book, layout, 1, "monday", answers)
    assert caught.value.field == field


def test_payments_are_whole_and_made_once() -> None:
    """A bet is paid once, and no payment is negative."""
    book, layout = book_and_layout("rws-tai-sai-v6/A")
    bet = make_drill(book, layout, 1, "monday").bets[0]
    twice = Answers(payments=(Payment(bet.player, bet.box, 1), Payment(bet.player, bet.box, 1)))
    with pytest.raises(InputFault, match="paid twice"):
        mark_drill(book, layout, 1, "monday", twice)
    with pytest.raises(InputFault, match=r"payments\[0\].amount"):
        mark_drill(book, layout, 1, "monday", Answers(payments=(Payment(bet.player, bet.box, -1),)))
