"""What goes wrong in a simulation, and when.

Enters: the chance of the seed. Leaves: crashes, freezes, cuts, a full or slow disk, clocks that jump, leases that run
out, servers that restart: between any two steps, several at a time, until `end`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from tests.torture.loop import SECOND

if TYPE_CHECKING:
    from tests.torture.node import SimulatedNode
    from tests.torture.simulate import World

MS: Final = 1_000
SKEW_MAX: Final = 4 * SECOND
"""Clocks of one house are not further apart than this."""
KINDS: Final = (
    "crash", "crash", "freeze", "cut", "cut", "full", "slow", "jump", "restart", "leave", "lossy", "lossy",
)  # fmt: skip
"""What can go wrong with one node, each as often as it stands here."""
KINDS_OF_SEVERAL: Final = ("freeze", "cut", "apart", "expire", "server-jump", "crash-all")
"""What else can go wrong with several."""


class Faults:
    """The hand that breaks things."""

    def __init__(self, world: World, only: Sequence[str] = ()) -> None:
        """`only`: names of `KINDS`; any kind if there is none."""
        self._world = world
        self.count = 0
        self._ended = False
        self._mean_us = world.chance.choice((200 * MS, 500 * MS, 1_200 * MS))
        names = KINDS + KINDS_OF_SEVERAL if world.several else KINDS
        self._kinds: list[Callable[[SimulatedNode], None]] = [
            getattr(self, "_" + name.replace("-", "_")) for name in names if not only or name in only
        ]
        self._next()

    def _next(self) -> None:
        delay = min(int(self._world.chance.expovariate(1 / self._mean_us)), 20 * self._mean_us)
        self._world.time.after(delay, self._strike)

    def _strike(self) -> None:
        world = self._world
        if self._ended:
            return
        self.count += 1
        world.checker.survey(whole=True)
        world.chance.choice(self._kinds)(world.chance.choice(world.nodes))
        self._next()

    def _lasting(self, longest_us: int) -> int:
        """Mostly short, sometimes long."""
        chance = self._world.chance
        return chance.randrange(1, longest_us if chance.random() < 0.3 else longest_us // 20)

    # ------------------------------------------------------------------ kinds

    def _crash(self, node: SimulatedNode) -> None:
        self._world.note("%s is killed", node.holder)
        node.crash(self._lasting(3 * SECOND))

    def _crash_all(self, _node: SimulatedNode) -> None:
        for node in self._world.nodes:
            self._crash(node)

    def _freeze(self, node: SimulatedNode) -> None:
        if not node.alive or node.loop.is_frozen:
            return
        node.loop.freeze()
        node.disturbed = True
        self._world.note("%s is frozen", node.holder)
        self._world.time.after(self._lasting(8 * SECOND), self._wake, node, node.life)

    def _wake(self, node: SimulatedNode, life: int) -> None:
        if node.life == life and node.alive and node.loop.is_frozen:
            self._world.note("%s wakes up", node.holder)
            node.loop.wake()

    def _cut(self, node: SimulatedNode) -> None:
        node.cut = True
        self._world.note("%s is cut off from the server", node.holder)
        self._world.time.after(self._lasting(6 * SECOND), self._mend, node)

    def _mend(self, node: SimulatedNode) -> None:
        node.cut = node.apart = False

    def _apart(self, node: SimulatedNode) -> None:
        node.apart = True
        self._world.note("%s does not reach the others", node.holder)
        self._world.time.after(self._lasting(6 * SECOND), self._mend, node)

    def _full(self, _node: SimulatedNode) -> None:
        self._world.disk.full = True
        self._world.note("the disk is full")
        self._world.time.after(self._lasting(3 * SECOND), self._room)

    def _room(self) -> None:
        self._world.disk.full = False

    def _slow(self, _node: SimulatedNode) -> None:
        self._world.disk.slow = self._world.chance.choice((10, 100, 1_000))
        self._world.note("the disk is slow")
        self._world.time.after(self._lasting(2 * SECOND), self._quick)

    def _quick(self) -> None:
        self._world.disk.slow = self._world.disk.usual

    def _lossy(self, _node: SimulatedNode) -> None:
        self._world.disk.trouble = self._world.chance.choice((0.02, 0.2, 0.6))
        self._world.note("the server's answers are lost")
        self._world.time.after(self._lasting(3 * SECOND), self._sound)

    def _sound(self) -> None:
        self._world.disk.trouble = 0.0

    def _restart(self, _node: SimulatedNode) -> None:
        disk = self._world.disk
        disk.up = False
        disk.restart()
        self._world.note("the server is down")
        self._world.time.after(self._lasting(2 * SECOND), self._up)

    def _up(self) -> None:
        self._world.disk.up = True

    def _jump(self, node: SimulatedNode) -> None:
        node.skew_us = self._world.chance.randrange(-SKEW_MAX, SKEW_MAX)
        self._world.note("%s has its clock set", node.holder)

    def _server_jump(self, _node: SimulatedNode) -> None:
        self._world.disk.skew_us = self._world.chance.randrange(-SKEW_MAX, SKEW_MAX)
        self._world.note("the server has its clock set")

    def _expire(self, _node: SimulatedNode) -> None:
        table = self._world.chance.choice(self._world.tables)
        self._world.disk.expire(table)
        self._world.note("the lease of %s runs out", table)

    def _leave(self, node: SimulatedNode) -> None:
        self._world.note("%s is asked to leave", node.holder)
        node.leave(self._lasting(3 * SECOND))

    # ------------------------------------------------------------------ the end

    def end(self) -> None:
        """Everything is whole again; clocks stay as they are."""
        world = self._world
        self._ended = True
        world.note("the faults end")
        self._room()
        self._quick()
        self._sound()
        self._up()
        for node in world.nodes:
            self._mend(node)
            if node.alive and node.loop.is_frozen:
                node.loop.wake()
            if not node.alive:
                node.start()
