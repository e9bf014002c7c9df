"""Marking a drill: what was right, what was wrong, and why.

Enters: a drill's book, layout, level and seed, and a dealer's answers. Leaves: marks, with the sentence and the clauses
behind each. The engine that settles real rounds finds what is right: `settle`, `fix_stakes`, `result_call`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from taisai.core.bets import Bet, box_on
from taisai.core.dice import Roll
from taisai.core.explain import clauses_behind, over_limit, why
from taisai.core.faults import InputFault, shown
from taisai.core.money import chips_of, written
from taisai.core.names import result_call
from taisai.core.prorata import FixedStakes, fix_stakes
from taisai.core.rulebook import Layout, Rule, RuleBook
from taisai.core.settlement import Ruling, settle
from taisai.table.figures import chips_for
from taisai.training.cases import OUTCOME_TEXTS
from taisai.training.drills import MadeDrill, make

PASS_PERCENT: Final = 90


class Payment(Struct, frozen=True, forbid_unknown_fields=True):
    """What the dealer gives a player for one bet."""

    player: str
    box: str
    amount: int


class Answers(Struct, frozen=True, forbid_unknown_fields=True):
    """What a dealer did."""

    call: str = ""
    collected: tuple[str, ...] = ()
    payments: tuple[Payment, ...] = ()
    situations: dict[str, str] = {}
    seconds: int = 0


class CallMark(Struct, frozen=True):
    """The call marked."""

    given: str
    right: str
    correct: bool
    clauses: tuple[str, ...]


class BoxMark(Struct, frozen=True):
    """Whether a box was rightly collected or left."""

    box: str
    loses: bool
    collected: bool
    correct: bool
    clauses: tuple[str, ...]


class PaymentMark(Struct, frozen=True):
    """One bet: what was due, what was given, and why."""

    player: str
    box: str
    stake: int
    at_risk: int
    pays: int | str | None
    winnings: int
    returned: int
    due: int
    """Winnings of a winner; of a loser what was not at risk."""
    given: int
    correct: bool
    chips: dict[int, int]
    """The fewest chips for what was due."""
    why: str
    clauses: tuple[str, ...]


class SituationMark(Struct, frozen=True):
    """An irregularity marked."""

    id: str
    given: str
    right: str
    text: str
    correct: bool
    clauses: tuple[str, ...]


class ShareMark(Struct, frozen=True):
    """How a box over its limit was shared out."""

    box: str
    capacity: int
    steps: tuple[str, ...]
    clauses: tuple[str, ...]


class Marks(Struct, frozen=True):
    """A drill marked."""

    right: int
    asked: int
    percent: int
    passed: bool
    seconds: int
    par_s: int
    in_time: bool
    lit: tuple[str, ...]
    call: CallMark
    boxes: tuple[BoxMark, ...]
    payments: tuple[PaymentMark, ...]
    situations: tuple[SituationMark, ...]
    shares: tuple[ShareMark, ...]


def mark_drill(book: RuleBook, layout: Layout, level: int, seed: str, answers: Answers) -> Marks:
    """Mark the answers to the drill of a seed. `InputFault` for answers about bets or cases that it does not have."""
    made = make(book, layout, level, seed)
    fixed = fix_stakes(book, made.limits, made.bets)
    settlement = settle(layout, made.roll, made.bets, fixed.at_risk if fixed.shared else None)
    call = _mark_call(book, made.roll, answers.call)
    boxes = _mark_boxes(book, layout, made, answers)
    payments = _mark_payments(book, layout, made, fixed, settlement.rulings, answers)
    situations = _mark_situations(made, answers)
    counted = [each for each in payments if each.due or each.given]
    verdicts = [call.correct, *(each.correct for each in boxes), *(each.correct for each in counted)]
    verdicts += [each.correct for each in situations]
    right, asked = sum(verdicts), len(verdicts)
    percent = 100 * right // asked
    return Marks(
        right=right,
        asked=asked,
        percent=percent,
        passed=percent >= PASS_PERCENT,
        seconds=answers.seconds,
        par_s=made.drill.par_s,
        in_time=answers.seconds <= made.drill.par_s,
        lit=tuple(map(str, layout.lit(made.roll))),
        call=call,
        boxes=boxes,
        payments=payments,
        situations=situations,
        shares=tuple(
            ShareMark(box, share.capacity, share.steps, book.clauses_for(Rule.PRO_RATA))
            for box, share in fixed.shared.items()
        ),
    )


def _words(call: str) -> list[str]:
    """The words of a call: case and punctuation do not matter."""
    return "".join(each if each.isalnum() else " " for each in call.casefold()).split()


def _mark_call(book: RuleBook, roll: Roll, given: str) -> CallMark:
    calls = book.procedure.calls
    right = result_call(calls, roll)
    return CallMark(given, right, _words(given) == _words(right), calls.clauses)


def _mark_boxes(book: RuleBook, layout: Layout, made: MadeDrill, answers: Answers) -> tuple[BoxMark, ...]:
    occupied = dict.fromkeys(bet.box for bet in made.bets)
    collected = set()
    for place, name in enumerate(answers.collected):
        box = box_on(layout, name, f"collected[{place}]")
        if box not in occupied:
            raise InputFault(f"collected[{place}]", f"there are no chips in {box}")
        collected.add(box)
    won = layout.winners[made.roll.index]
    marks = []
    for box in occupied:
        clauses = dict.fromkeys((*book.clauses_for(Rule.COLLECT_THEN_PAY), *layout.clauses_of(box, made.roll)))
        loses = box not in won
        marks.append(BoxMark(box, loses, box in collected, loses == (box in collected), tuple(clauses)))
    return tuple(marks)


def _mark_payments(  # noqa: PLR0917 - the parts of one round, each made by the step before
    book: RuleBook,
    layout: Layout,
    made: MadeDrill,
    fixed: FixedStakes,
    rulings: Sequence[Ruling],
    answers: Answers,
) -> tuple[PaymentMark, ...]:
    paid = _paid(made.bets, answers.payments)
    money = partial(written, currency=made.drill.currency)
    marks = []
    for ruling in rulings:
        bet = ruling.bet
        over = None if made.limits is None else over_limit(made.limits, bet.box, fixed.capacity_of(bet.box))
        under_minimum = made.limits is not None and bet.stake < made.limits.of(bet.box).stake_min
        due = ruling.returned if ruling.pays is None else ruling.winnings
        given = paid.get((bet.player, bet.box), 0)
        marks.append(
            PaymentMark(
                player=bet.player,
                box=bet.box,
                stake=bet.stake,
                at_risk=ruling.at_risk,
                pays=ruling.pays,
                winnings=ruling.winnings,
                returned=ruling.returned,
                due=due,
                given=given,
                correct=due == given,
                chips=chips_for(due, made.drill.denominations),
                why=why(layout, made.roll, ruling, over, money),
                clauses=clauses_behind(book, layout, made.roll, ruling, over, under_minimum=under_minimum),
            )
        )
    return tuple(marks)


def _paid(bets: Sequence[Bet], payments: Sequence[Payment]) -> Mapping[tuple[str, str], int]:
    """What was paid, by player and box; each once, and only for bets that are on the felt."""
    placed: set[tuple[str, str]] = {(bet.player, bet.box) for bet in bets}
    paid: dict[tuple[str, str], int] = {}
    for place, each in enumerate(payments):
        key = (each.player, each.box)
        if key not in placed:
            raise InputFault(f"payments[{place}]", f"{shown(each.player)} has nothing in {shown(each.box)}")
        if key in paid:
            raise InputFault(f"payments[{place}]", f"{each.player} is paid twice for {each.box}")
        paid[key] = chips_of(each.amount, f"payments[{place}].amount")
    return paid


def _mark_situations(made: MadeDrill, answers: Answers) -> tuple[SituationMark, ...]:
    asked = {case.id for case in made.cases}
    unknown = next((name for name in answers.situations if name not in asked), None)
    if unknown is not None:
        raise InputFault("situations", f"this drill does not ask {shown(unknown)}")
    marks = []
    for case in made.cases:
        given = answers.situations.get(case.id, "")
        marks.append(
            SituationMark(case.id, given, str(case.right), OUTCOME_TEXTS[case.right], given == case.right, case.clauses)
        )
    return tuple(marks)
