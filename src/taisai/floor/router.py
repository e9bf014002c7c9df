"""Routing commands between nodes: each goes to the node that holds its table.

Enters: commands, and who holds which table. Leaves: their answers, from this node or from the holder, also when the
table moves meanwhile. Forwarding gives up after `PATIENCE_S`.
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
"""How long a command waits for a table that no node holds."""
RETRY_S: Final = 0.5
"""How often a waiting command tries the presumed holder again, if nothing changes."""


class Forward(Protocol):
    """Sends a command to another node."""

    async def __call__(self, address: str, table: str, command: Command) -> Answer:
        """The other node's answer; an exception when the node cannot be reached."""
        ...


def address_of(holder: str) -> str:
    """Where a holder is reached: its name is its address, a `#` and a word of its own."""
    return holder.partition("#")[0]


class Router:
    """Sends commands to the holders of their tables."""

    def __init__(self, floor: Floor, holder: str, forward: Forward, hurry: Callable[[], None]) -> None:
        """`holder` is this node; `hurry` is called while a command waits for a table that no node seems to hold."""
        self._floor = floor
        self._holder = holder
        self.forward = forward
        self._hurry = hurry
        self.holders: dict[str, str] = {}
        """The holder of each table, as far as this node knows."""
        self._waiting: dict[str, dict[asyncio.Future[None], None]] = {}
        """Futures that wait for a table to change hands, in the order of their arrival."""

    # ------------------------------------------------------------------ who holds what

    def update(self, holders: dict[str, str]) -> None:
        """Replace all that is known about holders."""
        earlier, self.holders = self.holders, holders
        for name in list(self._waiting):
            if holders.get(name) != earlier.get(name):
                self._wake(name)

    def took(self, name: str) -> None:
        """Note that this node holds a table now."""
        self.holders[name] = self._holder
        self._wake(name)

    def forget(self, name: str) -> None:
        """Note that no node holds a table, or that it is not known which one does."""
        self.holders.pop(name, None)

    # ------------------------------------------------------------------ commands

    def submit(self, table: LiveTable, command: Command, reply: Reply) -> None:
        """Carry a command out here when this node holds its table; otherwise forward it to the holder."""
        if not table.owned:
            self._floor.background(self._route(table, command, reply))
            return

        def on_answer(answer: Answer) -> None:
            if answer.refusal is not None and answer.refusal.code == HouseCode.NOT_HELD:
                self._floor.background(self._route(table, command, reply))
            else:
                reply(answer)

        table.submit(command, on_answer)

    async def _route(self, table: LiveTable, command: Command, reply: Reply) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_S
        while loop.time() < deadline:
            if table.owned:
                self.submit(table, command, reply)
                return
            holder = self.holders.get(table.name)
            if holder is not None and holder != self._holder:
                answer = await self._ask(holder, table, command, deadline)
                if answer is not None:
                    reply(answer)
                    return
                if self.holders.get(table.name, holder) != holder:
                    continue  # it has changed hands meanwhile: ask the new holder at once
            self._hurry()
            await self._change(table.name, RETRY_S)
        sentence = "The table is changing hands; it is not known whether this was recorded."
        refusal = Refusal(HouseCode.TRY_AGAIN, sentence, allowed="repeat it with the same id")
        reply(Answer(table.state.seq, refusal=refusal))

    async def _ask(self, holder: str, table: LiveTable, command: Command, deadline: float) -> Answer | None:
        """The holder's answer; None when it cannot be reached, or does not hold the table any more.

        A frozen node does not answer: the wait ends when the table changes hands, or at the deadline.
        """
        loop = asyncio.get_running_loop()
        asking = loop.create_task(self._forward(address_of(holder), table, command))
        change = self._change(table.name, deadline - loop.time())
        asking.add_done_callback(lambda _asking: _resolve(change))
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
        """A future that resolves when a table changes hands, or after `seconds`."""
        loop = asyncio.get_running_loop()
        change: asyncio.Future[None] = loop.create_future()
        waiting = self._waiting.setdefault(name, {})
        waiting[change] = None
        alarm = loop.call_later(seconds, _resolve, change)

        def ended(_change: asyncio.Future[None]) -> None:
            alarm.cancel()
            waiting.pop(change, None)
            if not waiting and self._waiting.get(name) is waiting:
                del self._waiting[name]

        change.add_done_callback(ended)
        return change

    def _wake(self, name: str) -> None:
        for change in list(self._waiting.get(name, ())):
            _resolve(change)

    async def _forward(self, address: str, table: LiveTable, command: Command) -> Answer | None:
        try:
            return await self.forward(address, table.name, command)
        except (OSError, TimeoutError) as error:
            LOGGER.debug("%s cannot be reached: %s", address, error)
            return None


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
