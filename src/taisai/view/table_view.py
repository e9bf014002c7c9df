"""What people see of a table: the public view, a seat's own, the crew's.

Enters: a table's durable state and its rules. Leaves: plain values for JSON, and the difference between two views as a
JSON merge patch (RFC 7396: what is null goes away, objects are merged, all else is replaced). States share what did not
change, so a difference is found without looking at the rest.

The public view shows what everybody at a table sees: chips on the felt, dice once they are recorded, results. Nobody's
balance is in it; a seat's view holds its own player's alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from taisai.core.boxes import BoxName
from taisai.core.limits import PAIR_OF
from taisai.core.rulebook import Layout
from taisai.table import events as e
from taisai.table.actions import ACTIONS, name_of
from taisai.table.decide import may_begin
from taisai.table.declared import Audience
from taisai.table.handlers.betting import breaches
from taisai.table.handlers.dealing import rulings_of
from taisai.table.ledger import DROP, FLOAT
from taisai.table.people import Person
from taisai.table.recall import chips_for, exposure, recall, room_in, table_result
from taisai.table.rules import TableRules
from taisai.table.state import PastRound, Round, RoundPhase, TablePhase, TableState
from taisai.view.steps import losers, needs, next_step, procedure_view

RESULTS_SHOWN: Final = 50
"""Completed rounds that the view holds for boards."""
_SHOWS_PAYMENTS: Final = frozenset(
    {RoundPhase.UNCOVERED, RoundPhase.ANNOUNCED, RoundPhase.ENTERED, RoundPhase.COLLECTED}
)

View = dict[str, Any]


def plain(value: object) -> Any:
    """A value as JSON knows it."""
    return msgspec.to_builtins(value)


def public_view(rules: TableRules | None, state: TableState) -> View:
    """What everybody may see."""
    view: View = {"table": state.table, "phase": state.phase, "suspended": state.suspended}
    view["round"] = _round_view(state.round)
    view["seats"] = {name: plain(seat) for name, seat in state.players.items()}
    view["stakes"] = {player: dict(boxes) for player, boxes in state.round.stakes.items()}
    view["totals"] = dict(state.round.totals)
    view["lines"] = [plain(line) for line in state.round.lines]
    view["results"] = [_result_view(past) for past in state.history[-RESULTS_SHOWN:]]
    if rules is not None and state.set_up is not None:
        view["set_up"] = plain(state.set_up)
        view["room"] = _room_view(rules, state, rules.book.layouts[state.set_up.layout].boxes)
    return view


def public_patch(rules: TableRules | None, before: TableState, after: TableState) -> View:
    """What changed for everybody between two states of a table."""
    patch: View = {}
    for name in ("phase", "suspended"):
        if getattr(before, name) != getattr(after, name):
            patch[name] = getattr(after, name)
    old, new = before.round, after.round
    if old is not new:
        changed = _merge_patch(_round_view(old), _round_view(new))
        if changed:
            patch["round"] = changed
        if old.stakes is not new.stakes:
            patch["stakes"] = _merge_patch(old.stakes, new.stakes)
        if old.totals is not new.totals:
            patch["totals"] = _merge_patch(old.totals, new.totals)
        if old.lines is not new.lines:
            patch["lines"] = [plain(line) for line in new.lines]
    if before.players is not after.players:
        patch["seats"] = _merge_patch(
            {name: plain(seat) for name, seat in before.players.items()},
            {name: plain(seat) for name, seat in after.players.items()},
        )
    if before.history is not after.history:
        patch["results"] = [_result_view(past) for past in after.history[-RESULTS_SHOWN:]]
    if before.set_up is not after.set_up:
        patch["set_up"] = plain(after.set_up)
    if rules is not None and after.set_up is not None:
        layout = rules.book.layouts[after.set_up.layout]
        boxes = layout.boxes if before.set_up is not after.set_up else _with_opposites(layout, patch.get("totals", ()))
        if boxes:
            patch["room"] = _room_view(rules, after, boxes)
    return {name: value for name, value in patch.items() if value != {}}


def _with_opposites(layout: Layout, changed: Iterable[str]) -> tuple[BoxName, ...]:
    """Boxes whose room changes with these totals."""
    boxes = {BoxName(box) for box in changed}
    boxes |= {PAIR_OF[box][1] for box in boxes if box in PAIR_OF}
    return tuple(box for box in boxes if box in layout.boxes)


def _round_view(current: Round) -> View:
    return {
        "number": current.number,
        "phase": current.phase,
        "opened_at": current.opened_at,
        "tumbles": current.tumbles,
        "commitment": current.commitment,
        "opening": current.opening,
        "dice": None if current.dice is None else list(current.dice),
        "call": current.call,
        "pressed": list(current.pressed),
        "entered": None if current.entered is None else list(current.entered),
        "lit": list(current.lit),
        "lights_fault": current.lights_fault,
        "interrupted": current.interrupted,
        "bets": [[bet.player, bet.box, bet.stake, bet.at_risk] for bet in current.bets],
        "flags": [plain(flag) for flag in current.flags],
    }


def _result_view(past: PastRound) -> View:
    """A completed round as boards show it (R11)."""
    return {
        "number": past.number,
        "dice": None if past.dice is None else list(past.dice),
        "call": past.call,
        "void": past.void,
        "reversed": past.reversed,
        "ended_at": past.ended_at,
        "commitment": past.commitment,
        "opening": past.opening,
    }


def _room_view(rules: TableRules, state: TableState, boxes: Iterable[str]) -> View:
    """How much more each box takes: an amount, or true for no limit but the chips."""
    found: View = {}
    for box in boxes:
        room = room_in(rules, state, box).chips
        found[box] = True if room is None else room
    return found


def seat_view(state: TableState, player: str) -> View:
    """What a player sees of himself: chips in hand, his own lines and last round."""
    seat = state.players.get(player)
    last = next(iter(recall(state, player, 1)), None)
    return {
        "player": player,
        "seated": seat is not None and seat.present,
        "funds": state.funds(player),
        "debt": state.balance(f"debt:{player}"),
        "on_felt": sum(state.round.stakes.get(player, {}).values()) if state.round.phase is RoundPhase.BETTING else
        sum(bet.stake for bet in state.round.bets if bet.player == player),
        "last": None
        if last is None
        else {
            "number": last.past.number,
            "dice": last.past.dice,
            "void": last.past.void,
            "lines": [plain(line) for line in last.lines],
            "funds_before": last.funds_before,
            "funds_after": last.funds_after,
        },
    }  # fmt: skip


def crew_view(rules: TableRules | None, state: TableState, person: Person) -> View:
    """What the crew sees: balances, float, exposure, breaches, what may be done next and why not."""
    view: View = {
        "seq": state.seq,
        "float": state.balance(FLOAT),
        "drop": state.balance(DROP),
        "funds": {player: state.funds(player) for player in state.players},
        "dice_in": state.dice_in,
        "dice_sets": plain(state.dice_sets),
        "checks": plain(state.checks),
        "test_runs": state.test_runs,
        "disputes": plain(state.disputes),
        "meters": plain(state.meters),
        "debts": {name: debt for name in state.players if (debt := state.balance(f"debt:{name}"))},
        "moves": {},
        "needs": {},
    }
    result = table_result(state)
    view["result"] = {**result._asdict(), "hold": None if result.hold is None else float(result.hold)}
    if rules is None:
        return view
    view["moves"] = moves(rules, state, person)
    view["needs"] = needs(state, person)
    view["next"] = next_step(rules, state)
    view["procedure"] = procedure_view(rules)
    view["losers"] = losers(rules, state)
    view["opening"] = [
        {"item": item.item, "summary": item.summary, "clauses": list(item.clauses)}
        for item in rules.book.procedure.opening
    ]
    view["breaches"] = [
        {"box": each.box, "player": each.player, "rule": each.rule, "amount": each.amount, "clauses": each.clauses}
        for each in breaches(rules, state)
    ]
    if state.phase is TablePhase.OPEN:
        worst = exposure(rules, state)
        view["exposure"] = {"staked": worst.staked, "loss": worst.loss, "dice": list(worst.worst.roll.faces)}
    view["payouts"] = payouts(rules, state)
    return view


def moves(rules: TableRules, state: TableState, person: Person) -> dict[str, View | None]:
    """For each action of this person's role: nothing when he may try, else why not."""
    found: dict[str, View | None] = {}
    for action, asked in ACTIONS.items():
        if person.role in asked.roles:
            refusal = may_begin(rules, state, person, action)
            found[name_of(action)] = None if refusal is None else plain(refusal)
    return found


def payouts(rules: TableRules, state: TableState) -> list[View]:
    """Every bet settled by the dice as they lie, in the order of payment, with the chips to hand over."""
    if state.round.phase not in _SHOWS_PAYMENTS or state.set_up is None or state.round.dice is None:
        return []
    layout, _ = rules.at(state)
    paid = {(line.player, line.box) for line in state.round.lines}
    chips = state.set_up.denominations
    return [
        {
            "player": ruling.bet.player,
            "box": ruling.bet.box,
            "stake": ruling.bet.stake,
            "at_risk": ruling.at_risk,
            "pays": ruling.pays,
            "winnings": ruling.winnings,
            "returned": ruling.returned,
            "chips": {str(chip): count for chip, count in chips_for(ruling.returned, chips).items()},
            "done": (ruling.bet.player, ruling.bet.box) in paid,
        }
        for ruling in rulings_of(layout, state.round)
    ]


def told(events: Iterable[e.Event]) -> list[View]:
    """What happened, for everybody: the calls, the close, the dice, payments done, voids. No balance is in it."""
    found: list[View] = []
    for event in events:
        declared = event.what.declared
        if declared.seen_by is Audience.EVERYONE:
            view = plain(event.what)
            for name in declared.withheld:
                del view[name]
            found.append(view)
    return found


def is_urgent(events: Iterable[e.Event]) -> bool:
    """Whether everybody should hear of it at once, rather than with what else is placed in a moment."""
    return any(event.what.declared.urgent for event in events)


def _merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> View:
    patch: View = {}
    for name, value in after.items():
        old = before.get(name)
        if old is value:
            continue
        if isinstance(value, Mapping):
            inner = _merge_patch(old, value) if isinstance(old, Mapping) else dict(value)
            if inner or not isinstance(old, Mapping):
                patch[name] = inner
        elif old != value:
            patch[name] = value
    for name in before:
        if name not in after:
            patch[name] = None
    return patch


def merge(view: View, patch: Mapping[str, Any]) -> View:
    """A view with a patch applied: what every client does."""
    for name, value in patch.items():
        if value is None:
            view.pop(name, None)
        elif isinstance(value, Mapping):
            inner = view.get(name)
            view[name] = merge(dict(inner) if isinstance(inner, Mapping) else {}, value)
        else:
            view[name] = value
    return view
