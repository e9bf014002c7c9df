"""Irregularities for dealers in training: what happens, and what the book says then.

Enters: a rule book. Leaves: the cases that it answers, each with the right outcome and the clauses behind it. A case
comes from a void reason or a rule: a book without it does not ask the question.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from taisai.core.explain import clauses_behind_void
from taisai.core.rulebook import Fact, Rule, RuleBook, Then


class Outcome(StrEnum):
    """What a dealer can do about an irregularity."""

    VOID = "void"
    VOID_AFFECTED = "void-affected"
    AGAIN = "again"
    BY_DICE = "by-dice"
    BY_LIGHTS = "by-lights"
    CONCLUDE = "conclude"
    REFUSE = "refuse"
    ACCEPT = "accept"
    REJECT_EXCESS = "reject-excess"
    PRO_RATA = "pro-rata"
    WHOLE = "whole"
    ADVISE = "advise"
    RETURN = "return"
    AMEND = "amend"
    SUSPEND = "suspend"
    STANDS = "stands"
    CORRECT = "correct"
    RULED = "ruled"


OUTCOME_TEXTS: Final[dict[Outcome, str]] = {
    Outcome.VOID: "Announce it: the round is void and all bets are returned.",
    Outcome.VOID_AFFECTED: "Every affected round is void, earlier ones included.",
    Outcome.AGAIN: "Tumble again; the bets stay.",
    Outcome.BY_DICE: "Settle by the dice.",
    Outcome.BY_LIGHTS: "Settle by what is lit.",
    Outcome.CONCLUDE: "Conclude the round from the dice as they lie.",
    Outcome.REFUSE: "Refuse it.",
    Outcome.ACCEPT: "Accept it.",
    Outcome.REJECT_EXCESS: "Reject what is over the limit.",
    Outcome.PRO_RATA: "Settle the box pro rata; the rest is returned.",
    Outcome.WHOLE: "Settle everything there in full.",
    Outcome.ADVISE: "Tell the player, who may raise or withdraw it.",
    Outcome.RETURN: "Give the bet back.",
    Outcome.AMEND: "Have the supervisor amend the entry, then settle.",
    Outcome.SUSPEND: "Play no further round until it is repaired or a sound procedure is in force.",
    Outcome.STANDS: "It stands, and wins or loses as it lies.",
    Outcome.CORRECT: "The supervisor may have it put back before it is settled.",
    Outcome.RULED: "The shift manager, or someone more senior, decides.",
}
"""What a dealer chooses from."""


class _Question(NamedTuple):
    """A case without a book: what happens, what is right, and what else would not be wrong."""

    text: str
    right: Outcome
    never: tuple[Outcome, ...] = ()
    """Outcomes that are not offered, because they are too close to the right one."""


_AS_IT_LIES: Final = (Outcome.BY_DICE, Outcome.CONCLUDE, Outcome.WHOLE, Outcome.STANDS)
"""Different words for settling the bets as they are: never two of them in one question."""

_VOIDS: Final[dict[Fact, _Question]] = {
    Fact.EXPOSED: _Question('The cover lifts before "No more bets". What now?', Outcome.VOID),
    Fact.NOT_FLAT: _Question("One die leans against the wall of the tumbler. What now?", Outcome.VOID),
    Fact.DICE_STACKED: _Question("One die has come to rest on another. What now?", Outcome.VOID),
    Fact.TOO_FEW_TUMBLES: _Question("The dice tumbled only twice. What now?", Outcome.VOID),
    Fact.TUMBLER_FAULT: _Question("The tumbler was started and stalls. What now?", Outcome.VOID),
    Fact.NOT_ACTIVATED: _Question("Bets were taken, but nobody started the tumbler. What now?", Outcome.VOID),
    Fact.ACTIVATED_BEFORE_CLOSE: _Question('The tumbler runs before "No more bets". What now?', Outcome.VOID),
    Fact.DAMAGED_DICE: _Question("A corner is chipped off one die. What now?", Outcome.VOID),
}
"""Interruptions are among the rules: they depend on which dice can be read."""

_RULES: Final[dict[Rule, _Question]] = {
    Rule.NO_CHANGE_AFTER_CLOSE: _Question(
        'After "No more bets" a player adds a chip to their stack. What now?', Outcome.REFUSE, (Outcome.RETURN,)
    ),
    Rule.NO_BET_BEFORE_PAID: _Question(
        "Winners of the last spin are still being paid, and a player bets on the next. What now?",
        Outcome.REFUSE,
        (Outcome.RETURN,),
    ),
    Rule.NO_TOUCHING_LOSERS: _Question(
        "A player reaches for a bet that has lost. What now?", Outcome.REFUSE, (Outcome.STANDS,)
    ),
    Rule.CALL_BET_NEEDS_CHIPS: _Question(
        "A player calls out a bet and puts no chips down. What now?", Outcome.REFUSE, (Outcome.RETURN, Outcome.ADVISE)
    ),
    Rule.DICE_DECIDE_OVER_LIGHTS: _Question(
        "The dice and the call are right, but the wrong areas light up. How is the round settled?",
        Outcome.BY_DICE,
        (Outcome.AMEND, Outcome.SUSPEND, *_AS_IT_LIES),
    ),
    Rule.SUSPENDED_AFTER_MALFUNCTION: _Question(
        "The lights failed, and the round was settled by the dice. What about the next round?",
        Outcome.SUSPEND,
        (Outcome.BY_DICE, Outcome.RULED),
    ),
    Rule.ENTRY_AMENDED: _Question(
        "The entry button was pressed with a wrong number; nothing is settled yet. What now?",
        Outcome.AMEND,
        (Outcome.BY_DICE, Outcome.CORRECT),
    ),
    Rule.INTERRUPTION_CONCLUDED: _Question(
        "The power fails after the tumble. One die has been read. What now?",
        Outcome.CONCLUDE,
        (Outcome.SUSPEND, *_AS_IT_LIES),
    ),
    Rule.INTERRUPTION_VOID: _Question(
        "The power fails, and no die can be read. What now?", Outcome.VOID, (Outcome.SUSPEND, Outcome.RETURN)
    ),
    Rule.EXCESS_REJECTED: _Question(
        'Before "No more bets" you see that a box is over its maximum. What now?',
        Outcome.REJECT_EXCESS,
        (Outcome.RETURN, Outcome.REFUSE, Outcome.ADVISE),
    ),
    Rule.PRO_RATA: _Question(
        'Only after "No more bets" do you see that a box is over its maximum. How is it settled?',
        Outcome.PRO_RATA,
        (Outcome.REJECT_EXCESS, Outcome.BY_DICE, Outcome.CONCLUDE),
    ),
    Rule.UNDER_MINIMUM_EXEMPT: _Question(
        "A box is settled pro rata. One bet in it is below the minimum. What happens to that bet?",
        Outcome.WHOLE,
        (Outcome.ACCEPT, *_AS_IT_LIES),
    ),
    Rule.UNDER_MINIMUM_ADVISED: _Question(
        'Before "No more bets" you see a bet below the minimum. What now?',
        Outcome.ADVISE,
        (Outcome.REFUSE, Outcome.RETURN),
    ),
    Rule.UNDER_MINIMUM_STANDS: _Question(
        'Only after "No more bets" do you see a bet below the minimum. What happens to it?',
        Outcome.STANDS,
        (Outcome.ACCEPT, *_AS_IT_LIES),
    ),
    Rule.WALK_AWAY_SETTLED: _Question(
        "A player walks away and leaves a bet on the felt. What happens to it?",
        Outcome.STANDS,
        (Outcome.ACCEPT, *_AS_IT_LIES),
    ),
    Rule.MOVED_WAGER_CORRECTED: _Question(
        "While collecting you push a winning bet into the next box. What now?",
        Outcome.CORRECT,
        (Outcome.RULED, Outcome.AMEND, *_AS_IT_LIES),
    ),
    Rule.LATER_ROUND_UNTOUCHED: _Question(
        "In the middle of a round you find a wrong payment in the last one. What happens to the round in play?",
        Outcome.STANDS,
        (Outcome.CORRECT, Outcome.RULED, Outcome.ACCEPT, *_AS_IT_LIES),
    ),
    Rule.SHIFT_MANAGER_DECIDES: _Question(
        "Something happens that the rules do not settle. What now?",
        Outcome.RULED,
        (Outcome.SUSPEND, Outcome.CORRECT),
    ),
}


class Case(NamedTuple):
    """An irregularity as one book answers it."""

    id: str
    text: str
    right: Outcome
    wrong: tuple[Outcome, ...]
    """Every outcome that would be wrong, to choose from."""
    clauses: tuple[str, ...]
    """The clauses behind the outcome, the most specific last."""


CASE_TEXTS: Final[dict[str, str]] = {str(name): each.text for name, each in (*_VOIDS.items(), *_RULES.items())}
"""Every case of any book, by the name of its void reason or rule."""


def cases_of(book: RuleBook) -> tuple[Case, ...]:
    """Every case that a book answers, in a fixed order."""
    cases = []
    for reason, question in _VOIDS.items():
        rule = book.procedure.facts.get(reason)
        if rule is not None and rule.voids:
            affected = Then.VOID_ROUNDS_OF_SET in rule.then
            right = Outcome.VOID_AFFECTED if affected else question.right
            # Voiding all affected rounds voids this one too: the two are not offered together.
            never = (Outcome.VOID, Outcome.VOID_AFFECTED, Outcome.RETURN, Outcome.SUSPEND, Outcome.RULED)
            cases.append(_case(str(reason), question, right, never, clauses_behind_void(book, rule)))
    for name, question in _RULES.items():
        if book.has(name):
            cases.append(_case(str(name), question, question.right, question.never, book.clauses_for(name)))
    return tuple(cases)


def _case(name: str, question: _Question, right: Outcome, never: tuple[Outcome, ...], clauses: tuple[str, ...]) -> Case:
    if right is Outcome.VOID:
        never = (*never, Outcome.VOID_AFFECTED)
    wrong = tuple(each for each in Outcome if each is not right and each not in never)
    return Case(name, question.text, right, wrong, clauses)
