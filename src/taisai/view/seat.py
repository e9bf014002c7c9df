"""What a player sees of their own: chips in hand, chips on the felt, the last round.

Enters: a table's durable state and a player. Leaves: that player's `SeatView`, which nobody else is sent (R26).
"""

from __future__ import annotations

from msgspec import Struct

from taisai.table.commands import Dice
from taisai.table.explanations import recall
from taisai.table.state import PaidLine, RoundPhase, TableState


class LastRound(Struct, frozen=True, kw_only=True):
    """A player's part in the last round they had a bet in."""

    number: int
    dice: Dice | None = None
    void: str
    lines: tuple[PaidLine, ...]
    funds_before: int | None = None
    funds_after: int | None = None


class SeatView(Struct, frozen=True, kw_only=True):
    """A player's own part of a table."""

    player: str
    seated: bool
    funds: int
    """Chips in hand, colour chips included."""
    debt: int
    """Below zero after a reversal, until it is paid."""
    on_felt: int
    last: LastRound | None = None


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
        last=_last_round(state, player),
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
