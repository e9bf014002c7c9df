"""Routing commands between nodes: each goes to the node that holds its table.

Enters: commands, and who holds which table. Leaves: their answers, from this node or from the holder, also when the
table moves meanwhile. Forwarding gives up after `PATIENCE_S`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final, Protocol

from taisai.floor.answers import Answer, HouseCode
from taisai.floor.live import LiveTable, Reply
from taisai.journal import Journal
from taisai.table.commands import Command
from taisai.table.refusals import Refusal

if TYPE_CHECKING:
    from taisai.floor.floor import Floor

LOGGER = logging.getLogger("taisai.floor")
PATIENCE_S: Final = 4.5
"""How long a command waits for a table that no node holds."""
RETRY_S: Final = 0.5
"""How often a waiting command tries the presumed holder again, if nothing changes."""


class Forward(Protocol):
    """Sends a command to another node."""

    async def __call__(self, address: str, table: str, command: Command) -> Answer:
        """The other node's answer; an exception when the node cannot be reached."""
        ...


class NotAccepted(ConnectionError):
    """The other node does not take this one for a node of its house."""


class Greet(Protocol):
    """Opens the way to another node."""

    async def __call__(self, address: str) -> str:
        """The holder that answers there, or nothing when its version does not say; an exception when none does."""
        ...


def address_of(holder: str) -> str:
    """Where a holder is reached: its name is its address, a `#` and a word of its own."""
    return holder.partition("#")[0]


def others_of(journal: Journal) -> list[str]:
    """The addresses of the nodes that hold leases of this journal now."""
    leases = {} if journal.leases is None else journal.leases.current()
    return sorted({address_of(lease.holder) for lease in leases.values() if lease.seconds_left > 0})


class Greetings:
    """Which of the other nodes this one has reached, and which have reached it.

    Until both have happened once with every node that is alive, this one is not ready: a wrong address or secret shows
    before a command is lost between two nodes. What breaks later is logged, and does not make it unready again.
    """

    def __init__(self, own: str, greet: Greet | None) -> None:
        self._own = own
        self._greet = greet
        self._failures: dict[str, str] = {}
        self._reached: dict[str, str] = {}
        """What each node that was reached said it was."""
        self.heard: set[str] = set()
        """The holders that have reached this node."""
        self.is_refused = False
        """Whether a node has refused this one's secret."""
        self._is_complete = greet is None

    async def meet(self, holders: Collection[str]) -> None:
        """Greet the nodes that are alive and were not reached yet."""
        if self._greet is None:
            return
        for known in (self._failures, self._reached):
            for gone in known.keys() - set(holders):
                del known[gone]
        new = sorted(set(holders) - self._reached.keys())
        await asyncio.gather(*(self._reach(holder, self._greet) for holder in new))
        self._is_complete = self._is_complete or not self._missing()

    async def _reach(self, holder: str, greet: Greet) -> None:
        address, found = address_of(holder), ""
        try:
            found = await greet(address)
            reason = "" if found in ("", holder) else f"{address} is answered by {found}, not by {holder}"
        except NotAccepted:
            reason = f"{address} refuses this node: node.secret must be the same on every node"
            self.is_refused = True
        except (OSError, TimeoutError) as error:
            reason = f"{address} cannot be reached ({str(error) or type(error).__name__})"
        if not reason:
            self._failures.pop(holder, None)
            self._reached[holder] = found
        elif self._failures.get(holder) != reason:
            self._failures[holder] = reason
            LOGGER.warning("%s", reason)

    def _missing(self) -> list[str]:
        silent = [each for each, found in self._reached.items() if found and each not in self.heard]
        own = address_of(self._own)
        unheard = [f"{address_of(each)} has not reached this node at node.address ({own})" for each in sorted(silent)]
        return [*self._failures.values(), *unheard]

    @property
    def unmet(self) -> list[str]:
        """Why this node cannot work with the others yet, a sentence each."""
        return [] if self._is_complete else self._missing() or ["the other nodes are not greeted yet"]


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
        self._closed = False
        self.forwarded = 0
        """Commands that another node has answered."""
        self.is_last = False
        """Whether this node stops and there is no other: nobody will take a table that it has released."""

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

    def close(self) -> None:
        """Nobody tells this node any more who holds what: whatever waits is answered now, and whatever comes."""
        self._closed = True
        for name in list(self._waiting):
            self._wake(name)

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
        while loop.time() < deadline and not (self._closed or (self.is_last and not table.owned)):
            if table.owned:
                self.submit(table, command, reply)
                return
            holder = self.holders.get(table.name)
            if holder is not None and holder != self._holder:
                answer = await self._ask(holder, table, command, deadline)
                if answer is not None:
                    self.forwarded += 1
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
