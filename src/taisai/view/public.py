"""What everybody at a table sees.

Enters: a table's durable state and its rules. Leaves: a `PublicView`, and the events that are announced to everybody.
The view shows chips on the felt, dice once they are recorded, and results (R11). Nobody's balance is in it: what a
player has in hand is in that player's own `SeatView` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from taisai.table import events as e
from taisai.table.commands import Dice, Purpose
from taisai.table.declared import Audience
from taisai.table.figures import headroom_in
from taisai.table.handlers.shared import deals_virtually
from taisai.table.parts import FixedBet, FlagRaised
from taisai.table.rules import TableRules
from taisai.table.state import PaidLine, PastRound, Player, Round, RoundPhase, SetUpState, TablePhase, TableState

HeadroomView = int | bool
"""How much more a box takes; true where nothing limits it, and never false."""
RESULTS_SHOWN: Final = 50
"""Completed rounds that the view holds for boards."""


class BetRow(Struct, frozen=True, gc=False, array_like=True):
    """A bet as it was fixed at the close, as a row."""

    player: str
    box: str
    stake: int
    at_risk: int


class RaisedView(Struct, frozen=True, kw_only=True):
    """A box that pays more in this round."""

    box: str
    pays: int | str
    """Odds to 1."""


class RoundView(Struct, frozen=True, kw_only=True):
    """The round in play, or the place where the next will be."""

    number: int
    phase: RoundPhase
    opened_at: int
    tumbles: int
    closes_at: int
    """When bets close, as it was fixed when they opened; 0 where the dealer calls the close."""
    commitment: str
    """The house's part in virtual dice, hidden, from before the first bet; empty for dice that people can see."""
    opening: str
    """The house's part, from the close."""
    contributions: tuple[str, ...]
    """What the players brought to virtual dice, sorted, from the close."""
    dice: Dice | None = None
    call: str
    pressed: tuple[int, ...]
    """The last three buttons of the entry terminal."""
    entered: Dice | None = None
    raised: tuple[RaisedView, ...]
    """What boxes pay more in this round, as drawn after the close; odds to 1."""
    lit: tuple[str, ...]
    lights_fault: str
    interrupted: str
    """Why, while the round is interrupted."""
    bets: tuple[BetRow, ...]
    """After the close."""
    flags: tuple[FlagRaised, ...]


class ResultView(Struct, frozen=True, kw_only=True):
    """A completed round as boards show it (R11)."""

    number: int
    dice: Dice | None = None
    call: str
    void: str
    """The book's word for why it is void, or empty."""
    reversed: bool
    """Void after it was settled."""
    clauses: tuple[str, ...]
    """By which it is void."""
    ended_at: int
    commitment: str
    opening: str


class PublicView(Struct, frozen=True, kw_only=True):
    """A table as everybody sees it. Money is in minor units, times are in microseconds since 1970."""

    table: str
    phase: TablePhase
    suspended: str
    """Why, while the table is suspended."""
    purpose: Purpose
    """What the table is for; gaming where nobody has said."""
    virtual_dice: bool
    """Whether the dice are software: for demonstration and training, unless the book admits them (I23)."""
    procedure: str
    """What stands in for equipment that is not mended, as long as it is not."""
    held: tuple[str, ...]
    """Facts that hold the round until a second person says whether they are so."""
    round: RoundView
    seats: dict[str, Player]
    stakes: dict[str, dict[str, int]]
    """Chips on the felt by player and box, while bets are open."""
    totals: dict[str, int]
    """Chips on the felt by box."""
    lines: tuple[PaidLine, ...]
    """Bets settled so far in this round."""
    results: tuple[ResultView, ...]
    """Completed rounds, oldest first."""
    set_up: SetUpState | UnsetType = UNSET
    room: dict[str, HeadroomView] | UnsetType = UNSET
    """How much more each box takes; true where nothing limits it."""


def public_view(rules: TableRules | None, state: TableState) -> PublicView:
    """What everybody may see; `rules` is None before the table is set up."""
    current = state.round
    view = PublicView(
        table=state.table,
        phase=state.phase,
        suspended=state.suspended,
        purpose=state.purpose or Purpose.GAMING,
        virtual_dice=has_virtual_dice(state),
        procedure=state.procedure,
        held=tuple(each.fact for each in state.held),
        round=round_view(current),
        seats=state.players,
        stakes=current.stakes,
        totals=current.totals,
        lines=current.lines,
        results=results_view(state.history),
    )
    if rules is None or state.set_up is None:
        return view
    boxes = rules.book.layouts[state.set_up.layout].boxes
    return replace(view, set_up=state.set_up, room=headroom_view(rules, state, boxes))


def has_virtual_dice(state: TableState) -> bool:
    """Whether the table is dealt with software dice, or this round is."""
    return deals_virtually(state) or bool(state.round.commitment)


def round_view(current: Round) -> RoundView:
    """The public part of a round."""
    return RoundView(
        number=current.number,
        phase=current.phase,
        opened_at=current.opened_at,
        tumbles=current.tumbles,
        commitment=current.commitment,
        closes_at=current.closes_at,
        opening=current.opening,
        contributions=brought(current),
        dice=current.dice,
        call=current.call,
        pressed=current.pressed,
        entered=current.entered,
        raised=raised_view(current),
        lit=current.lit,
        lights_fault=current.lights_fault,
        interrupted=current.interrupted,
        bets=bet_rows(current.bets),
        flags=current.flags,
    )


def raised_view(current: Round) -> tuple[RaisedView, ...]:
    """What the draw of the round raised."""
    return tuple([RaisedView(box=box, pays=pays) for box, pays in current.raised.items()])


def brought(current: Round) -> tuple[str, ...]:
    """What players brought to virtual dice: told once the dice are opened."""
    return tuple(sorted(current.contributions.values())) if current.opening else ()


def bet_rows(bets: Iterable[FixedBet]) -> tuple[BetRow, ...]:
    """Fixed bets without the chips that they were made of."""
    return tuple([BetRow(bet.player, bet.box, bet.stake, bet.at_risk) for bet in bets])


def results_view(history: tuple[PastRound, ...]) -> tuple[ResultView, ...]:
    """The last completed rounds, without anybody's bets or funds."""
    return tuple(
        [
            ResultView(
                number=past.number,
                dice=past.dice,
                call=past.call,
                void=past.void,
                reversed=past.reversed,
                clauses=past.clauses,
                ended_at=past.ended_at,
                commitment=past.commitment,
                opening=past.opening,
            )
            for past in history[-RESULTS_SHOWN:]
        ]
    )


def headroom_view(rules: TableRules, state: TableState, boxes: Iterable[str]) -> dict[str, HeadroomView]:
    """How much more each of these boxes takes."""
    found: dict[str, HeadroomView] = {}
    for box in boxes:
        headroom = headroom_in(rules, state, box).chips
        found[box] = True if headroom is None else headroom
    return found


def public_events(events: Iterable[e.Event]) -> list[dict[str, Any]]:
    """What is announced to everybody: the events that are declared so, without the fields that they withhold."""
    found: list[dict[str, Any]] = []
    for event in events:
        declared = event.what.declared
        if declared.seen_by is Audience.EVERYONE:
            view = msgspec.to_builtins(event.what)
            for name in declared.withheld:
                del view[name]
            found.append(view)
    return found


def is_urgent(events: Iterable[e.Event]) -> bool:
    """Whether watchers hear of it at once; otherwise it is sent with whatever else happens within a moment."""
    return any(event.what.declared.urgent for event in events)
