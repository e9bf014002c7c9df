"""Drills: the same for a seed, solvable on every layout, marked as the recount would settle."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from taisai.audit import recount
from taisai.core.faults import InputFault
from taisai.core.rulebook import Layout, Rule, RuleBook
from taisai.training.cases import CASE_TEXTS, OUTCOME_TEXTS, Outcome, cases_of
from taisai.training.drills import LEVELS, Answers, Drill, Payment, make_drill, mark_drill
from tests.table.driver import shelf

SEEDS = [f"s{number}" for number in range(40)]
LAYOUTS = [layout.name for book in shelf().books() for layout in book.layouts.values()]


def found(name: str) -> tuple[RuleBook, Layout]:
    """A layout and its book."""
    layout = shelf().layout(name)
    return shelf().book(layout.book_id), layout


def recounted(drill: Drill) -> dict[str, Any]:
    """The round of a drill by the second settlement."""
    return recount.settle(
        {
            "layout": f"{drill.book}/{drill.layout}",
            "dice": drill.dice,
            "bets": [{"player": bet.player, "box": bet.box, "stake": bet.stake} for bet in drill.bets],
            "limits": None if drill.limits is None else msgspec.to_builtins(drill.limits),
        }
    )


def solved(book: RuleBook, drill: Drill) -> Answers:
    """The right answers, by the second settlement and the book's own cases."""
    again = recounted(drill)
    right = {case.id: str(case.right) for case in cases_of(book)}
    return Answers(
        call=again["call"],
        collected=tuple(dict.fromkeys(bet["box"] for bet in again["bets"] if bet["pays"] is None)),
        payments=tuple(
            Payment(bet["player"], bet["box"], bet["returned"] if bet["pays"] is None else bet["winnings"])
            for bet in again["bets"]
        ),
        situations={each.id: right[each.id] for each in drill.situations},
        seconds=1,
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_drill_is_solved_by_the_recount(name: str, level: int) -> None:
    """On every layout, level and seed the answers of the second settlement are wholly right."""
    book, layout = found(name)
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
def test_every_answer_left_out_is_a_mistake(name: str) -> None:
    """Silence is never right: what is due is not given, what is lost is not collected, nothing is called."""
    book, layout = found(name)
    for seed in SEEDS:
        marks = mark_drill(book, layout, 3, seed, Answers())
        assert not marks.call.correct
        assert [each.correct for each in marks.boxes] == [not each.loses for each in marks.boxes]
        assert [each.correct for each in marks.payments] == [each.due == 0 for each in marks.payments]
        assert not any(each.correct for each in marks.situations)
        assert not marks.passed


def test_a_drill_says_nothing_of_its_answers() -> None:
    """The drill has no field of winners, payments or right choices; the right call and choice are among the others."""
    book, layout = found("rws-tai-sai-v6/C")
    for seed in SEEDS:
        drill = make_drill(book, layout, 4, seed)
        right = solved(book, drill)
        assert set(msgspec.to_builtins(drill)) == {
            "book", "layout", "digest", "level", "seed", "currency", "denominations", "limits", "players", "bets",
            "dice", "calls", "situations", "par_s",
        }  # fmt: skip
        assert right.call in drill.calls
        assert len(set(drill.calls)) == len(drill.calls) == 4
        for each in drill.situations:
            ids = [choice.id for choice in each.choices]
            assert right.situations[each.id] in ids
            assert len(set(ids)) == 4


def test_a_seed_is_a_drill() -> None:
    """One seed gives one drill; other seeds, levels and layouts give others; the first never changes."""
    book, layout = found("rws-tai-sai-v6/A")
    drill = make_drill(book, layout, 2, "monday")
    assert drill == make_drill(book, layout, 2, "monday")
    others = [make_drill(book, layout, 2, seed).bets for seed in SEEDS]
    assert len(set(others)) == len(SEEDS)
    assert drill.bets != make_drill(book, layout, 3, "monday").bets
    assert drill.dice == (4, 3, 3)


def test_levels_ask_what_they_say() -> None:
    """Level 1 plays even money, level 2 singles and totals too; level 4 has colours, or limits that are broken."""
    even = {"small", "big", "odd", "even"}
    for name in LAYOUTS:
        book, layout = found(name)
        kinds: dict[int, set[str]] = {level: set() for level in LEVELS}
        for level in LEVELS:
            for seed in SEEDS:
                drill = make_drill(book, layout, level, seed)
                kinds[level] |= {bet.box.partition(":")[0] for bet in drill.bets}
                assert (drill.limits is not None) == (level == 4 and book.has(Rule.PRO_RATA))
                coloured = level == 4 and book.has(Rule.COLOUR_CHIPS)
                assert all(bool(player.colour) == coloured for player in drill.players)
                worth = {player.name: player.value for player in drill.players}
                assert all(bet.stake == bet.chips * worth[bet.player] for bet in drill.bets if coloured)
        if book.id != "rws-mini-dice-v3":
            assert kinds[1] <= even
            assert kinds[2] <= even | {"single", "total"}
            assert kinds[2] >= {"single", "total"}
        assert kinds[3] == {str(kind) for kind in layout.kinds}


@pytest.mark.clause("rws-tai-sai-v6 §5.1.1")
def test_the_fourth_level_shares_out_pro_rata() -> None:
    """Under the book with pro rata every drill of level 4 has a box over its limit, explained step by step."""
    for name in ("rws-tai-sai-v6/A", "rws-tai-sai-v6/C", "rws-tai-sai-v6/E"):
        book, layout = found(name)
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
    """A payment that is too large is wrong, and the marks say what was due, in which chips, why and by which clause."""
    book, layout = found("rws-tai-sai-v6/A")
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
def test_a_call_is_marked_as_it_is_heard(given: str, correct: bool) -> None:
    """Case and punctuation do not matter; order, words and total do."""
    book, layout = found("rws-tai-sai-v6/A")
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
def test_answers_to_another_drill_are_faults(answers: Answers, field: str) -> None:
    """An answer about what this drill does not have names its field."""
    book, layout = found("rws-tai-sai-v6/A")
    with pytest.raises(InputFault) as caught:
        mark_drill(book, layout, 1, "monday", answers)
    assert caught.value.field == field


def test_payments_are_whole_and_made_once() -> None:
    """A bet is paid once, and nothing negative is handed over."""
    book, layout = found("rws-tai-sai-v6/A")
    bet = make_drill(book, layout, 1, "monday").bets[0]
    twice = Answers(payments=(Payment(bet.player, bet.box, 1), Payment(bet.player, bet.box, 1)))
    with pytest.raises(InputFault, match="paid twice"):
        mark_drill(book, layout, 1, "monday", twice)
    with pytest.raises(InputFault, match=r"payments\[0\].amount"):
        mark_drill(book, layout, 1, "monday", Answers(payments=(Payment(bet.player, bet.box, -1),)))


@pytest.mark.parametrize(
    ("level", "seed", "field"),
    [(0, "a", "level"), (5, "a", "level"), (1, " ", "seed"), (1, "a" * 41, "seed"), (1, "a\n", "seed")],
)
def test_a_drill_that_cannot_be_made_names_the_field(level: int, seed: str, field: str) -> None:
    """A level or seed out of bounds is a fault."""
    book, layout = found("rws-tai-sai-v6/A")
    with pytest.raises(InputFault) as caught:
        make_drill(book, layout, level, seed)
    assert caught.value.field == field


def test_cases_come_from_the_book() -> None:
    """Each book asks about its own void reasons and rules, cites its own clauses, and leaves wrong answers to offer."""
    seen = set()
    for book in shelf().books():
        cases = cases_of(book)
        known = {*book.clauses, *book.interpretations}
        assert len({case.id for case in cases}) == len(cases)
        for case in cases:
            assert case.clauses
            assert set(case.clauses) <= known
            assert len(case.wrong) >= 3
            assert case.right not in case.wrong
        asked = {case.id for case in cases}
        assert {str(reason) for reason in book.procedure.voids} - {"interrupted"} <= asked
        seen |= asked
    assert seen == set(CASE_TEXTS)
    assert set(OUTCOME_TEXTS) == set(Outcome)


@pytest.mark.parametrize(
    ("book", "case", "right", "clause"),
    [
        ("rws-tai-sai-v6", "exposed", "void", "5.5.3"),
        ("nz-division-9", "exposed", "void", "7.1(c)"),
        ("rws-open-cover-v3", "activated-before-close", "void", "5.1.4"),
        ("rws-mini-dice-v3", "dice-stacked", "void", "5.1.2"),
        ("rws-tai-sai-v6", "damaged-dice", "void-affected", "5.6"),
        ("rws-open-cover-v3", "damaged-dice", "void", "5.1.1"),
        ("nz-division-9", "entry-amended", "amend", "7.2"),
        ("rws-tai-sai-v6", "pro-rata", "pro-rata", "5.1.1"),
    ],
)
def test_the_same_mishap_is_judged_by_each_book(book: str, case: str, right: str, clause: str) -> None:
    """What is right, and the clause that says so, are the book's own."""
    (found_case,) = (each for each in cases_of(shelf().book(book)) if each.id == case)
    assert found_case.right == right
    assert clause in found_case.clauses
