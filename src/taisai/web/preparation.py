"""Preparing tables: each table of the settings is set up, and an automatic one is opened and dealt.

Enters: the tables that the settings name, when the house starts and whenever this node comes to hold one. Leaves: the
tables as the settings say, by commands like everybody's. What was done before a restart is not done again.
"""

from __future__ import annotations

import logging

from taisai.books import Shelf
from taisai.floor.dealer import AutomaticDealer, back_to_people, opening_moves
from taisai.floor.dice import DiceSource, VirtualTumbler, mischief_every
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.settings.forms import Settings, TableSettings
from taisai.table.state import TablePhase

LOGGER = logging.getLogger("taisai.web")


class Preparation:
    """Prepares the tables of the settings."""

    def __init__(self, floor: Floor, settings: Settings, shelf: Shelf) -> None:
        self._floor, self._settings, self._shelf = floor, settings, shelf

    async def prepare_all(self) -> None:
        """Prepare every table, and from now on whatever this node takes over from another one."""
        for table in self._settings.tables:
            await self._prepare(table)
        nodes = self._floor.nodes
        if nodes is not None:
            nodes.on_taken = self._taken_over
            for name in nodes.mine:  # what was taken over while the tables were prepared
                self._taken_over(name)

    async def _prepare(self, table: TableSettings) -> None:
        live = self._floor.table(table.name)
        is_due = live.owned and (live.state.phase is TablePhase.NEW or table.mode == "automatic")
        if is_due and not await self._set_up(table):
            return
        if live.owned:
            await self._give_back(table)
        if table.mode == "automatic":
            dealer = AutomaticDealer(
                self._shelf.book(table.book),
                _dice_of(table),
                table.timing,
                unattended=table.unattended,
                idle_when_empty=table.idle_when_empty,
                minimum_betting_ms=self._settings.house.minimum_betting_ms,
            )
            self._floor.automate(table.name, Driver(dealer))

    async def _set_up(self, table: TableSettings) -> bool:
        """Set a table up, and open it if it is automatic or of the demo; false when a step was refused."""
        live, book = self._floor.table(table.name), self._shelf.book(table.book)
        is_automatic = table.mode == "automatic"
        commands = opening_moves(
            live.state,
            book,
            table.set_up(book),
            table.float_count,
            self._floor.clock.now(),
            opening=is_automatic or self._settings.demo.enabled,
            dice_set="virtual" if is_automatic else "dice-1",
            seal="virtual" if is_automatic else "seal-1",
        )
        for command in commands:
            answer = await self._floor.do(table.name, command)
            if answer.refusal is not None:
                LOGGER.error("%s", answer.refusal.sentence, extra={"table": table.name})
                return False
        return True

    async def _give_back(self, table: TableSettings) -> None:
        """Let people deal a table that was automatic before; an automatic dealer takes its table over by itself."""
        live = self._floor.table(table.name)
        command = None if table.mode == "automatic" else back_to_people(live.state, self._floor.clock.now())
        if command is not None:
            await self._floor.do(table.name, command)

    def _taken_over(self, name: str) -> None:
        """Finish the set-up of a table if the node that held it died before it had."""
        state = self._floor.table(name).state
        table = next((each for each in self._settings.tables if each.name == name), None)
        if table is None:
            return
        is_half_open = table.mode == "automatic" and not state.round.number and state.phase is not TablePhase.OPEN
        if state.phase is TablePhase.NEW or is_half_open:
            self._floor.background(self._set_up(table))
        else:
            self._floor.background(self._give_back(table))


def _dice_of(table: TableSettings) -> DiceSource:
    """Virtual dice; at a table for training they misbehave now and then."""
    if table.mischief_every:
        return VirtualTumbler(mischief=mischief_every(table.mischief_every))
    return VirtualTumbler()
