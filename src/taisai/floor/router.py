"""Commands for tables that other nodes hold, and who holds which.

Enters: commands, and word of who holds a table. Leaves: their answers, from here or from the node that holds the
table, wherever it goes in the meantime. Nobody waits longer than he has patience.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import LiveTable, Reply
from taisai.table.commands import Command
from taisai.table.refusals import Refusal

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
PATIENCE_S: Final = 8.0
"""How long a command waits for a table that nobody holds."""
AGAIN_S: Final = 0.5
"""How often a command that waits for its table tries the node that should hold it, if nothing changes."""


class Forward(Protocol):
    """Hands a command on to another node."""

    async def __call__(self, address: str, table: str, command: Command) -> Answer:
        """What became of it there; an exception when the node cannot be reached."""
        ...


def address_of(holder: str) -> str:
    """Where a holder is reached: its name is its address and a word of its own."""
    return holder.partition("#")[0]


class Handing:
    """What is handed on from one node."""

    def __init__(self, floor: Floor, holder: str, forward: Forward, hurry: Callable[[], None]) -> None:
        """`holder` is this node; `hurry` is called when somebody waits for a table that nobody seems to hold."""
        self._floor = floor
        self._holder = holder
        self.forward = forward
        self._hurry = hurry
        self.holders: dict[str, str] = {}
        """Who holds each table, as far as is known."""
        self._waiting: dict[str, dict[asyncio.Future[None], None]] = {}
        """Those who wait for a change of hands, by table, in the order in which they came."""

    # ------------------------------------------------------------------ who holds what

    def know(self, holders: dict[str, str]) -> None:
        """Who holds which table, of all."""
        earlier, self.holders = self.holders, holders
        for name in list(self._waiting):
            if holders.get(name) != earlier.get(name):
                self._wake(name)

    def held(self, name: str) -> None:
        """A table is this node's."""
        self.holders[name] = self._holder
        self._wake(name)

    def unheld(self, name: str) -> None:
        """Nobody holds a table, or nobody knows who."""
        self.holders.pop(name, None)

    # ------------------------------------------------------------------ commands

    def submit(self, table: LiveTable, command: Command, reply: Reply) -> None:
        """Carry a command out, here or at the node that holds its table."""
        if not table.owned:
            self._floor.background(self._hand_on(table, command, reply))
            return

        def heard(answer: Answer) -> None:
            if answer.refusal is not None and answer.refusal.code == HouseCode.NOT_HELD:
                self._floor.background(self._hand_on(table, command, reply))
            else:
                reply(answer)

        table.submit(command, heard)

    async def _hand_on(self, table: LiveTable, command: Command, reply: Reply) -> None:
        loop = asyncio.get_running_loop()
        patience = loop.time() + PATIENCE_S
        while loop.time() < patience:
            if table.owned:
                self.submit(table, command, reply)
                return
            holder = self.holders.get(table.name)
            if holder is not None and holder != self._holder:
                answer = await self._asked(holder, table, command, patience)
                if answer is not None:
                    reply(answer)
                    return
            self._hurry()
            await self._change(table.name, AGAIN_S)
        sentence = "The table is changing hands; it is not known whether this was recorded."
        reply(
            Answer(
                table.state.seq, refusal=Refusal(HouseCode.TRY_AGAIN, sentence, allowed="repeat it with the same id")
            )
        )

    async def _asked(self, holder: str, table: LiveTable, command: Command, patience: float) -> Answer | None:
        """What became of a command at another node; None when it is not reached, or does not hold the table any more.

        A frozen node does not answer: nobody waits for it longer than it holds the table, or than he has patience.
        """
        loop = asyncio.get_running_loop()
        asking = loop.create_task(self._forwarded(address_of(holder), table, command))
        change = self._change(table.name, patience - loop.time())
        asking.add_done_callback(lambda _asking: _end(change))
        try:
            await change
            if not asking.done():
                return None
        finally:
            asking.cancel()
        answer = asking.result()
        is_elsewhere = answer is None or (answer.refusal is not None and answer.refusal.code == HouseCode.NOT_HELD)
        return None if is_elsewhere else answer

    def _change(self, name: str, seconds: float) -> asyncio.Future[None]:
        """Done when a table has changed hands, or after so long."""
        loop = asyncio.get_running_loop()
        change: asyncio.Future[None] = loop.create_future()
        waiting = self._waiting.setdefault(name, {})
        waiting[change] = None
        alarm = loop.call_later(seconds, _end, change)

        def ended(_change: asyncio.Future[None]) -> None:
            alarm.cancel()
            waiting.pop(change, None)
            if not waiting and self._waiting.get(name) is waiting:
                del self._waiting[name]

        change.add_done_callback(ended)
        return change

    def _wake(self, name: str) -> None:
        for change in list(self._waiting.get(name, ())):
            _end(change)

    async def _forwarded(self, address: str, table: LiveTable, command: Command) -> Answer | None:
        try:
            return await self.forward(address, table.name, command)
        except (OSError, TimeoutError) as error:
            LOGGER.debug("%s cannot be reached: %s", address, error)
            return None


def _end(change: asyncio.Future[None]) -> None:
    if not change.done():
        change.set_result(None)
