"""What a dealer does next, by the book, and what each action asks of people.

Enters: the rules and the state of a table. Leaves: the next step of the round with the words to say, what lies in
losing boxes, the reasons that void a round, and which actions need a second person or a reason now. A screen shows it
and greys the rest; whether a step is allowed is decided where every command is (`table.decide`).
"""

from __future__ import annotations

from typing import Any, Final

from taisai.core.calls import result_call
from taisai.core.dice import roll_of
from taisai.core.rulebook import Step, Tumble
from taisai.table.actions import ACTIONS, name_of
from taisai.table.handlers.dealing import rulings_of
from taisai.table.people import Person, Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TablePhase, TableState

View = dict[str, Any]
_ACTION_OF: Final = {Step.PAY: "pay-next"}
"""Steps whose action has another name."""


def next_step(rules: TableRules, state: TableState) -> View | None:
    """The one step that brings the round further; None while the table is closed, or suspended between rounds."""
    current, procedure = state.round, rules.book.procedure
    between = current.phase is RoundPhase.BETWEEN
    if state.phase is not TablePhase.OPEN or (state.suspended and between):
        return None
    if current.interrupted:
        return {"do": "resolve-interruption"}
    tumbled = current.tumbles >= procedure.tumbles_min
    tumble = {"do": "tumble", "times": procedure.tumbles_min}
    match current.phase:
        case RoundPhase.BETWEEN:
            first = procedure.tumble is Tumble.BEFORE_BETS and not tumbled
            return tumble if first else {"do": "open-bets", "say": procedure.calls.open}
        case RoundPhase.BETTING:
            return {"do": "close-bets", "say": procedure.calls.close, "bell": procedure.calls.bell}
        case RoundPhase.CLOSED:
            return {"do": "uncover"} if tumbled else tumble
        case RoundPhase.UNCOVERED:
            return {"do": "announce", "say": result_call(procedure.calls, roll_of(current.dice or ()))}
        case RoundPhase.ANNOUNCED:
            return {"do": "enter"} if rules.has_terminal else {"do": "collect"}
        case RoundPhase.ENTERED:
            wrong = sorted(current.entered or ()) != sorted(current.dice or ())
            return {"do": "amend-entry"} if wrong else {"do": "collect"}
        case RoundPhase.COLLECTED:
            return {"do": "pay-next"}


def needs(state: TableState, person: Person) -> dict[str, View]:
    """For each action of this person's role that needs another person or a reason now: who, and whether why."""
    found: dict[str, View] = {}
    for action, asked in ACTIONS.items():
        if person.role in asked.roles and asked.reason and state.round.phase in asked.alters:
            found[name_of(action)] = {"second": [role for role in Role if role in (asked.second or ())], "reason": True}
    return found


def procedure_view(rules: TableRules) -> View:
    """What of the book's procedure a crew's screen shows."""
    procedure = rules.book.procedure
    return {
        "device": str(procedure.device),
        "tumbles_min": procedure.tumbles_min,
        "terminal": rules.has_terminal,
        "lights": rules.has_lights,
        "steps": [_ACTION_OF.get(each.step, str(each.step)) for each in procedure.steps if each.step is not Step.LIGHT],
        "void_call": procedure.calls.void,
        "voids": [
            {"reason": str(each.reason), "summary": each.summary, "clauses": list(each.clauses)}
            for each in procedure.voids.values()
        ],
    }


def losers(rules: TableRules, state: TableState) -> list[View]:
    """Losing boxes as they are collected, in the order of the layout: what is taken from each, and from whom."""
    if state.round.phase not in (RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED):
        return []
    layout, _ = rules.at(state)
    found: dict[str, View] = {}
    for ruling in rulings_of(layout, state.round):
        if ruling.pays is None:
            box = found.setdefault(ruling.bet.box, {"box": ruling.bet.box, "amount": 0, "players": []})
            box["amount"] += ruling.at_risk
            box["players"].append(ruling.bet.player)
    return list(found.values())
