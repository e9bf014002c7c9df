"""Simulated time, and an event loop for each node that runs in it.

Enters: callbacks with their time, from nodes, the server and players. Leaves: the same callbacks, one after another in
one order that the seed alone decides. There is no thread and no real time: what a node has done in a thread
happens at the server a moment later, and the answer comes another moment later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any, Final, TypeVar

from taisai.journal import JournalError
from tests.torture.checks import BROKEN

T = TypeVar("T")
SECOND: Final = 1_000_000
"""Microseconds."""
EPOCH: Final = 1_800_000_000 * SECOND
PAUSE: Final = 0.05
"""How often something else may happen between two turns of a loop that has more to do."""
ASK_EVERY: Final = 16
"""Steps between two looks at whether a simulation is done."""

_set_running: Callable[[asyncio.AbstractEventLoop | None], None] = asyncio._set_running_loop


class Handle(list[Any]):
    """A callback and its arguments; empty when it is cancelled before it runs."""

    __slots__ = ()

    def cancel(self) -> None:
        """Do not run it."""
        self.clear()

    def cancelled(self) -> bool:
        """Whether it does not run any more."""
        return not self


class Timer(Handle):
    """A callback of later."""

    __slots__ = ("at",)

    at: float

    def when(self) -> float:
        """When it runs, in seconds."""
        return self.at


class Time:
    """What happens when: the only clock of a simulation."""

    def __init__(self, chance: Random) -> None:
        self.now = EPOCH
        self.chance = chance
        self.random = chance.random
        self._bits = chance.getrandbits
        self.steps = 0
        self.running: NodeLoop | None = None
        self.heap: list[tuple[int, int, NodeLoop | None, Any, Any]] = []
        """When, which of them, in which process, what, with what; a timer of a process has no more than itself."""
        self.count = 0

    def after(self, delay_us: int, call: Callable[..., object], *args: Any) -> None:
        """Have something called so much later."""
        self.count += 1
        heappush(self.heap, (self.now + delay_us, self.count, None, call, args))

    def below(self, bound: int) -> int:
        """A whole number from 0, less than the bound."""
        return int(self.random() * bound)

    def between(self, first: int, end: int) -> int:
        """A whole number, as `Random.randrange` draws it."""
        width, bits = end - first, self._bits
        length = width.bit_length()
        drawn = bits(length)
        while drawn >= width:
            drawn = bits(length)
        return first + drawn

    def pick(self, things: Sequence[T]) -> T:
        """One of them, as `Random.choice` draws it."""
        count, bits = len(things), self._bits
        length = count.bit_length()
        drawn = bits(length)
        while drawn >= count:
            drawn = bits(length)
        return things[drawn]

    def run(self, end: int, last: int, done: Callable[[], bool] | None) -> None:
        """One thing after another: to a time, a number of steps, or until it is done; `Broken` when something is."""
        heap, pop, found = self.heap, heappop, BROKEN
        now, steps = self.now, self.steps
        try:
            while now < end and steps < last:
                if done is not None and not steps % ASK_EVERY and done():
                    return
                now, _, loop, call, args = pop(heap)
                self.now = now
                steps += 1
                if loop is None:
                    call(*args)
                elif args is not None:
                    loop.step(call, args)
                elif call or loop.is_frozen:  # nobody has cancelled it so far
                    loop.step(_expire, (call,))
                if found:
                    raise found[0]
        finally:
            self.steps = steps

    def end(self) -> None:
        """No loop runs any more."""
        self.running = None
        self.heap.clear()
        _set_running(None)


_Base: Any = asyncio.AbstractEventLoop


class NodeLoop(_Base):  # type: ignore[misc]  # asyncio asks for forty methods more that no floor calls
    """The event loop of one process: it can freeze and wake up, and it ends with the process."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self._random = time.random
        self._ready: list[Handle] = []
        """For the next turn."""
        self._turn: list[Handle] = []
        """What is left of this one."""
        self._awake = False
        """It is in a step, or a turn is on its way."""
        self._due = False
        """A turn is on its way."""
        self._frozen: list[tuple[Callable[..., object], tuple[Any, ...]]] | None = None
        self.dead = False
        self._held: list[Handle] | None = None
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self.errors: list[str] = []

    # ------------------------------------------------------------------ what the simulation does with it

    def step(self, call: Callable[..., object], args: tuple[Any, ...]) -> None:
        """Something reaches the process: now, when it wakes up, or never. What it brings about is done in turns."""
        if self.dead:
            return
        if self._frozen is not None:
            self._frozen.append((call, args))
            return
        time = self._time
        if time.running is not self:  # the loop last in turn stays the running one until another has its turn
            time.running = self
            _set_running(self)
        self._awake = True
        call(*args)
        while self._ready and not self._due:
            if self._random() < PAUSE:
                self._wake_up()
                return
            self._turn = turn = self._ready
            self._ready = []  # what a turn brings about is for the next
            for handle in turn:
                if handle:
                    call, args = handle
                    call(*args)
        self._awake = self._due

    def later(self, delay_us: int, call: Callable[..., object], *args: Any) -> None:
        """Something reaches the process so much later."""
        time = self._time
        time.count += 1
        heappush(time.heap, (time.now + delay_us, time.count, self, call, args))

    def freeze(self) -> None:
        """Nothing of the process moves any more."""
        self._frozen = []

    def wake(self) -> None:
        """It goes on, and takes everything that waited for what it was."""
        waited, self._frozen = self._frozen, None
        for call, args in waited or ():
            self.later(0, call, *args)

    @property
    def is_frozen(self) -> bool:
        """Whether it stands still."""
        return self._frozen is not None

    def die(self) -> None:
        """The end of the process: memory is lost, nothing is finished."""
        self.dead = self._awake = True
        self._ready.clear()
        self._turn.clear()
        for task in list(self._tasks):
            coroutine: Any = task.get_coro()
            try:
                coroutine.close()
            except RuntimeError:  # it awaits in its last words: a killed process has none
                continue
        self._tasks.clear()
        self._ready.clear()

    def hold(self) -> list[Handle]:
        """Keep back what a thread of the process tells its loop, until `release`."""
        self._held = []
        return self._held

    def release(self) -> None:
        """What is told from now on arrives at once."""
        self._held = None

    def deliver(self, handles: list[Handle]) -> None:
        """What was held arrives."""
        self._ready.extend(handles)

    def _wake_up(self) -> None:
        self._due = self._awake = True
        self.later(1 + self._time.below(40), self._due_turn)

    def _due_turn(self) -> None:
        self._due = False
        self._turn = turn = self._ready
        self._ready = []
        for handle in turn:
            if handle:
                call, args = handle
                call(*args)

    # ------------------------------------------------------------------ what asyncio asks of a loop

    def time(self) -> float:
        """The steady clock, in seconds."""
        return (self._time.now - EPOCH) / SECOND

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:  # noqa: ARG002 - asyncio names it
        """At the next turn of the loop."""
        handle = Handle((callback, args))
        self._ready.append(handle)
        if not self._awake:
            self._wake_up()
        return handle

    def call_soon_threadsafe(self, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:
        """From a thread of the process."""
        if self._held is not None:
            handle = Handle((callback, args))
            self._held.append(handle)
            return handle
        return self.call_soon(callback, *args, context=context)

    def call_later(self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:  # noqa: ARG002 - asyncio names it
        """After so many seconds."""
        time = self._time
        timer = Timer((callback, args))
        timer.at = (time.now - EPOCH) / SECOND + delay
        time.count += 1
        at = time.now + (round(delay * SECOND) if delay > 0 else 0)
        heappush(time.heap, (at, time.count, self, timer, None))
        return timer

    def call_at(self, when: float, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:
        """At a time of the steady clock."""
        return self.call_later(when - self.time(), callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:  # noqa: ARG002 - asyncio names it
        """A task of this loop."""
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name or "task")
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # a crash leaves tasks behind, on purpose
        self._tasks[task] = None
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, JournalError):  # a failing journal is logged, and no fault here
            self.errors.append(repr(error))

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # noqa: ARG002 - asyncio names it
        """In a thread: at the server in a moment, known here after another."""
        future = self.create_future()
        self._time.after(self._latency(), self._in_thread, future, func, args)
        return future

    def _in_thread(self, future: asyncio.Future[Any], func: Callable[..., Any], args: tuple[Any, ...]) -> None:
        if self.dead:
            return
        try:
            result = func(*args)
        except Exception as error:  # whatever it is goes to the one who waits for it
            self.later(self._latency(), _settle, future, None, error)
        else:
            self.later(self._latency(), _settle, future, result, None)

    def _latency(self) -> int:
        return 20 + int(self._time.random() * 300)

    get_debug = staticmethod(bool)
    """Never."""

    def is_running(self) -> bool:
        """As long as the process lives."""
        return not self.dead

    def is_closed(self) -> bool:
        """When the process has ended."""
        return self.dead

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """What nobody has caught."""
        if not self.dead:
            self.errors.append(str(context.get("exception") or context.get("message")))

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Begin something, from outside."""
        self.step(self.create_task, (work,))


def _expire(timer: Timer) -> None:
    if timer:
        call, args = timer
        call(*args)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
