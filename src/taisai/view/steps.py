"""What the dealer does next, by the book, and what each action asks of people.

Enters: the rules and the state of a table. Leaves: the next step of the round with the words to say, what lies in
losing boxes, the facts of which the book says what follows, and which actions need a second person or a reason now.
Screens show it and grey out the rest; whether a step is allowed is decided where every command is (`table.decide`).
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from taisai.core.dice import roll_of
from taisai.core.names import result_call
from taisai.core.rulebook import Fact, Step, Then, Tumble
from taisai.table.actions import ACTIONS, name_of
from taisai.table.commands import DealtBy
from taisai.table.handlers.dealing import rulings_of
from taisai.table.people import Person, Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TablePhase, TableState

_ACTION_OF: Final = {Step.PAY: "pay-next"}
"""Steps whose action has another name."""


class NextStep(Struct, frozen=True, kw_only=True):
    """The one step that brings the round forward."""

    do: str
    """The action."""
    say: str | UnsetType = UNSET
    """The dealer's call."""
    bell: bool | UnsetType = UNSET
    """Whether the bell rings with it."""
    times: int | UnsetType = UNSET
    """How often the dice are tumbled at least."""


class Need(Struct, frozen=True):
    """What an action needs besides the person who asks."""

    second: tuple[Role, ...]
    """Roles of which one must authorise it; empty when nobody must."""
    reason: bool


class FactOption(Struct, frozen=True):
    """A fact that the crew may record, and what follows from it; a book that does not name it has it recorded."""

    fact: str
    then: tuple[str, ...]
    summary: str
    clauses: tuple[str, ...]


class ProcedureView(Struct, frozen=True):
    """The part of the book's procedure that a crew's screen shows."""

    device: str
    tumbles_min: int
    terminal: bool
    lights: bool
    steps: tuple[str, ...]
    """The actions of a round, in order."""
    void_call: str
    facts: tuple[FactOption, ...]


class LosingBox(Struct, frozen=True):
    """What is collected from a losing box, and from whom."""

    box: str
    amount: int
    players: tuple[str, ...]


def next_step(rules: TableRules, state: TableState) -> NextStep | None:
    """The crew's step that brings the round forward; None when closed, suspended between rounds, or house-dealt."""
    current, procedure = state.round, rules.book.procedure
    between = current.phase is RoundPhase.BETWEEN
    if state.phase is not TablePhase.OPEN or (state.suspended and between):
        return None
    if state.held:
        return NextStep(do="attest")
    if current.interrupted:
        return NextStep(do="resolve-interruption")
    if state.dealt_by is DealtBy.HOUSE:
        return None
    tumbled = current.tumbles >= procedure.tumbles_min
    tumble = NextStep(do="tumble", times=procedure.tumbles_min)
    match current.phase:
        case RoundPhase.BETWEEN:
            first = procedure.tumble is Tumble.BEFORE_BETS and not tumbled
            return tumble if first else NextStep(do="open-bets", say=procedure.calls.open)
        case RoundPhase.BETTING:
            return NextStep(do="close-bets", say=procedure.calls.close, bell=procedure.calls.bell)
        case RoundPhase.CLOSED:
            to_draw = not current.draw and rules.at(state)[0].draws
            return NextStep(do="draw-odds") if to_draw else NextStep(do="uncover") if tumbled else tumble
        case RoundPhase.UNCOVERED:
            return NextStep(do="announce", say=result_call(procedure.calls, roll_of(current.dice or ())))
        case RoundPhase.ANNOUNCED:
            return NextStep(do="enter" if rules.has_terminal and not current.by_dice else "collect")
        case RoundPhase.ENTERED:
            wrong = sorted(current.entered or ()) != sorted(current.dice or ())
            return NextStep(do="amend-entry" if wrong and not current.by_dice else "collect")
        case RoundPhase.COLLECTED:
            return NextStep(do="pay-next")


def needs(state: TableState, person: Person) -> dict[str, Need]:
    """For each action of this person's role that needs another person or a reason now: what it needs."""
    found: dict[str, Need] = {}
    for action, asked in ACTIONS.items():
        if person.role in asked.roles and asked.alters_in(state.round.phase):
            second = () if person.role in asked.alone else asked.second or ()
            found[name_of(action)] = Need(tuple(role for role in Role if role in second), reason=True)
    return found


def procedure_view(rules: TableRules) -> ProcedureView:
    """What of the book's procedure a crew's screen shows."""
    procedure = rules.book.procedure
    return ProcedureView(
        device=str(procedure.device),
        tumbles_min=procedure.tumbles_min,
        terminal=rules.has_terminal,
        lights=rules.has_lights,
        steps=tuple(
            _ACTION_OF.get(each.step, str(each.step)) for each in procedure.steps if each.step is not Step.LIGHT
        ),
        void_call=procedure.calls.void,
        facts=(*_named(rules), *_unnamed(rules)),
    )


def _named(rules: TableRules) -> tuple[FactOption, ...]:
    return tuple(
        FactOption(str(fact), tuple(map(str, each.then)), each.summary, each.clauses)
        for fact, each in rules.book.procedure.facts.items()
        if fact is not Fact.INTERRUPTED
    )


def _unnamed(rules: TableRules) -> tuple[FactOption, ...]:
    """Facts that can happen at this table and of which its book says nothing: they are recorded."""
    missing = {Fact.INTERRUPTED}
    missing |= set() if rules.has_lights else {Fact.LIGHTS_FAULT}
    missing |= set() if rules.has_terminal else {Fact.TERMINAL_DEAD}
    missing |= set() if rules.book.procedure.tumble is Tumble.AFTER_CLOSE else {Fact.ACTIVATED_BEFORE_CLOSE}
    named = rules.book.procedure.facts
    return tuple(FactOption(str(fact), (str(Then.RECORD),), "", ()) for fact in Fact if fact not in {*named, *missing})


def losers(rules: TableRules, state: TableState) -> tuple[LosingBox, ...]:
    """Losing boxes as they are collected, in the order of the layout."""
    if state.round.phase not in (RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED):
        return ()
    layout, _ = rules.at(state)
    taken: dict[str, int] = {}
    players: dict[str, list[str]] = {}
    for ruling in rulings_of(layout, state.round):
        if ruling.pays is None:
            box = ruling.bet.box
            taken[box] = taken.get(box, 0) + ruling.at_risk
            players.setdefault(box, []).append(ruling.bet.player)
    return tuple(LosingBox(box, amount, tuple(players[box])) for box, amount in taken.items())
