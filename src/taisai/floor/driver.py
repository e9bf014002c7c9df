"""Drives an automatic table: asks the dealer for the next move, gives the command, waits.

Enters: an `AutomaticDealer`, a live table. Leaves: commands at their time. The dealer reads only the durable state, so
it does not matter who changed it; every change wakes the driver.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from taisai.floor.dealer import AutomaticDealer, Countdown
from taisai.floor.live import LiveTable
from taisai.table.state import Round, RoundPhase, TableState

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
RETRY_S = 1.0
"""How long a refused driver waits before it tries again, unless something changes."""


def _is_over(current: Round) -> bool:
    return current.phase is RoundPhase.BETWEEN and not current.commitment


class Driver:
    """One automatic table."""

    def __init__(self, dealer: AutomaticDealer) -> None:
        self.dealer = dealer
        self._change = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._finishing = False
        self._with_empty = False
        """Whether a round in which nobody has bet is finished too."""
        self._table: LiveTable

    def start(self, floor: Floor, table: LiveTable) -> None:
        """Start dealing."""
        self._table = table
        self._task = asyncio.get_running_loop().create_task(self._deal(floor, table))

    def wake(self) -> None:
        """Look again: something has changed."""
        self._change.set()

    def until(self, state: TableState, now: int) -> Countdown:
        """The next step, and when it is due, for displays."""
        return self.dealer.countdown(state, now)

    def finishes_at(self, now: int) -> int | None:
        """When the round in play will be over if dealing stops after it; None when there is none, or people end it."""
        return self.dealer.over_at(self._table.state, now) if self._has_bets else None

    @property
    def needs_s(self) -> float:
        """How long it takes at most until the round in play is over; 0 when none is, or when people end it."""
        state = self._table.state
        if not self._table.owned or _is_over(state.round) or state.round.interrupted:
            return 0.0
        return self.dealer.round_ms / 1_000

    @property
    def _has_bets(self) -> bool:
        current = self._table.state.round
        return not _is_over(current) and bool(current.stacks or current.bets or self._with_empty)

    async def finish(self, *, with_empty: bool = False) -> None:
        """Finish the round in play and begin no other; one in which nobody has bet only if `with_empty`.

        Among several nodes bets still arrive while a table waits to be handed over, so it is finished there.
        """
        self._finishing, self._with_empty = True, with_empty
        self.wake()
        if self._task is not None:
            await asyncio.wait({self._task})

    def cancel(self) -> None:
        """Stop at once."""
        if self._task is not None:
            self._task.cancel()

    async def _deal(self, floor: Floor, table: LiveTable) -> None:
        refused = False
        while True:
            self._change.clear()
            if self._finishing and not (self._has_bets and table.owned):
                return
            if not table.owned:
                await self._wait(None)  # another node deals it
                continue
            now = floor.clock.now()
            if floor.is_setting_clock(table):
                await self._wait(RETRY_S)  # until the jump is on record, the state's times are by another clock
                continue
            # The table itself refuses what is not allowed; after a refusal the dealer checks first.
            move = self.dealer.next_move(table.state, now, ask=refused)
            if move.command is None:
                await self._wait(None if move.at is None else (move.at - now) / 1e6)
                continue
            answer = await floor.do(table.name, move.command)
            refused = answer.refusal is not None
            if answer.refusal is not None and table.owned:
                LOGGER.warning("table %s: the automatic dealer was refused: %s", table.name, answer.refusal.sentence)
                await self._wait(RETRY_S)

    async def _wait(self, seconds: float | None) -> None:
        """Wait for a change, `seconds` at most."""
        if seconds is None:
            await self._change.wait()
        elif seconds <= 0:
            await asyncio.sleep(0)
        else:
            alarm = asyncio.get_running_loop().call_later(seconds, self._change.set)
            try:
                await self._change.wait()
            finally:
                alarm.cancel()
