"""What a player sees of their own: chips in hand, chips on the felt, the last round.

Enters: a table's durable state and a player. Leaves: that player's `SeatView`, which nobody else is sent (R26).
"""

from __future__ import annotations

from msgspec import Struct

from taisai.core.boxes import BoxName
from taisai.core.limits import Per
from taisai.table.commands import Dice
from taisai.table.explanations import recall
from taisai.table.rules import limits_of
from taisai.table.state import PaidLine, RoundPhase, TableState


class LastRound(Struct, frozen=True, kw_only=True):
    """A player's part in the last round they had a bet in."""

    number: int
    dice: Dice | None = None
    void: str
    lines: tuple[PaidLine, ...]
    funds_before: int | None = None
    funds_after: int | None = None


class Advice(Struct, frozen=True):
    """A bet of which the player was told that it is under the minimum: they may raise or withdraw it."""

    box: str
    stake: int
    minimum: int


class VoidLater(Struct, frozen=True):
    """A settled round of the player's that was void afterwards: what went back, and what is owed."""

    number: int
    why: str
    clauses: tuple[str, ...]
    got: int
    """Chips handed to the player."""
    gave: int
    """Chips taken from the player."""
    owes: int
    """What the player still has to give."""
    is_owed: int
    """What the house still has to give."""


class SeatView(Struct, frozen=True, kw_only=True):
    """A player's own part of a table."""

    player: str
    seated: bool
    funds: int
    """Chips in hand, colour chips included."""
    debt: int
    """Below zero after a reversal, until it is paid."""
    on_felt: int
    contribution: str
    """What they brought to the virtual dice of this round."""
    last: LastRound | None = None
    room: dict[str, int] = {}
    """How much more they may put into boxes that they have chips in, where a maximum is of each player."""
    advice: tuple[Advice, ...] = ()
    void_later: tuple[VoidLater, ...] = ()
    """Newest first."""


def seat_view(state: TableState, player: str) -> SeatView:
    """What this player alone may see."""
    seat, current = state.players.get(player), state.round
    if current.phase is RoundPhase.BETTING:
        on_felt = sum(current.stakes.get(player, {}).values())
    else:
        on_felt = sum(bet.stake for bet in current.bets if bet.player == player)
    return SeatView(
        player=player,
        seated=seat is not None and seat.present,
        funds=state.funds(player),
        debt=state.balance(f"debt:{player}"),
        on_felt=on_felt,
        contribution=current.contributions.get(player, ""),
        last=_last_round(state, player),
        room=_room(state, player),
        advice=_advice(state, player),
        void_later=_void_later(state, player),
    )


def _room(state: TableState, player: str) -> dict[str, int]:
    current = state.round
    if current.phase is not RoundPhase.BETTING or state.set_up is None:
        return {}
    signed = state.set_up.limits
    mine = current.stakes.get(player, {})
    if not mine or all(each.per is Per.BOX for each in (signed.default, *signed.kinds.values())):
        return {}
    limits = limits_of(signed)
    own = [(box, stake, limits.of(BoxName(box))) for box, stake in mine.items()]
    return {
        box: max(limit.stake_max - stake, 0)
        for box, stake, limit in own
        if limit.per is Per.PLAYER and limit.stake_max is not None
    }


def _advice(state: TableState, player: str) -> tuple[Advice, ...]:
    current = state.round
    if current.phase is not RoundPhase.BETTING or state.set_up is None or not current.noticed:
        return ()
    limits = limits_of(state.set_up.limits)
    mine = current.stakes.get(player, {})
    told = [(box, mine.get(box, 0), limits.of(BoxName(box)).stake_min) for who, box in current.noticed if who == player]
    return tuple(Advice(box, stake, minimum) for box, stake, minimum in told if 0 < stake < minimum)


def _void_later(state: TableState, player: str) -> tuple[VoidLater, ...]:
    return tuple(
        VoidLater(past.number, past.void, past.clauses, line.given_back, line.taken, line.owed, line.owing)
        for past in reversed(state.history)
        for line in past.undone
        if line.player == player
    )


def _last_round(state: TableState, player: str) -> LastRound | None:
    for past, lines, funds_before, funds_after in recall(state, player, 1):
        return LastRound(
            number=past.number,
            dice=past.dice,
            void=past.void,
            lines=lines,
            funds_before=funds_before,
            funds_after=funds_after,
        )
    return None
