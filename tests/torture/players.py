"""Players of a simulation: they bet, take back, and repeat what nobody has answered.

Enters: answers, late, twice or never. Leaves: commands, to whichever node is there, lost and doubled on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from taisai.floor.answers import Answer
from taisai.table import commands as c
from taisai.table.people import Person, Role
from tests.torture.checks import Asked

if TYPE_CHECKING:
    from tests.torture.node import SimulatedNode
    from tests.torture.simulate import World

MS: Final = 1_000
PATIENCE: Final = 4
"""A player waits this many thinking times for an answer before repeating the command."""


class Player:
    """One player at one table."""

    def __init__(self, world: World, table: str, name: str) -> None:
        self._world = world
        self.table = table
        self.name = name
        self._person = Person(name, Role.PLAYER)
        self._count = 0
        self._open: c.Command | None = None
        self._old: list[c.Command] = []
        self._laid: list[str] = []
        self._stopped = False
        self._thought = 0
        self._ready_at = 0
        """The time at which the player may next think of something new."""
        self._think_in(world.chance.randrange(400 * MS))

    def stop(self) -> None:
        """Ask for nothing more."""
        self._stopped = True

    def _think_in(self, delay_us: int) -> None:
        """Schedule the next thought, in place of the one scheduled before."""
        self._thought += 1
        self._world.time.after(delay_us, self._think, self._thought)

    def _pause(self) -> int:
        world = self._world
        return (120 * MS + int(world.time.random() * (560 * MS))) // world.hurry

    def _think(self, thought: int) -> None:
        if self._stopped or thought != self._thought:
            return
        world = self._world
        chance = world.chance
        pause = self._pause()
        if self._open is None:
            roll = chance.random()
            if self._old and roll < 0.04:
                self._send(world.time.pick(self._old))
                self._think_in(pause)
                return
            self._open = self._new(roll)
            self._ready_at = world.time.now + pause
        self._send(self._open)  # perhaps once more, with the same id, wherever somebody is
        self._think_in(PATIENCE * world.hurry * pause)

    def _new(self, roll: float) -> c.Command:
        time = self._world.time
        self._count += 1
        command_id = f"{self.name}-{self._count:06d}"
        do: c.Action
        if self._laid and roll < 0.12:
            do = c.WithdrawBet(self.name, time.pick(self._laid))
        else:
            box = time.pick(self._world.boxes)
            self._laid = [*self._laid[-1:], box]
            do = c.PlaceBet(self.name, box, 10 * time.between(1, 6))
        self._world.checker.ask(command_id, Asked(self.table, self.name, do))
        return c.Command(id=command_id, at=0, by=self._person, do=do)

    def _send(self, command: c.Command) -> None:
        world = self._world
        time = world.time
        copies = 1 if time.random() < 0.95 else time.pick((0, 2))
        node = time.pick(world.nodes)
        for _ in range(copies):
            world.sent += 1
            delay = 20 + int(time.random() * (3 * MS))
            node.loop.later(delay, self._arrive, node, node.life, world.sent, command)

    def _arrive(self, node: SimulatedNode, life: int, number: int, command: c.Command) -> None:
        if node.life != life or not node.ready:
            return
        world = self._world

        def reply(answer: Answer) -> None:
            world.checker.answered(node, number, command.id, answer)
            time = world.time
            fate = time.random()
            if fate > 0.02:
                delay = 20 + int(time.random() * (3 * MS)) if fate > 0.05 else time.between(0, 900 * MS)
                time.after(delay, self._hear, command, answer)

        world.checker.given(node, number, command.id)
        if not node.hear(self.table, command, reply):
            world.checker.waiting.pop((command.id, number), None)

    def _hear(self, command: c.Command, answer: Answer) -> None:
        if self._open is not command:
            return
        fault = answer.refusal
        if fault is not None and fault.code in ("not-recorded", "try-again", "closing"):
            self._think_in(self._pause())  # it is repeated soon, with the same id
            return
        self._open = None
        if fault is None:
            self._old = [*self._old[-5:], command]
        self._think_in(max(self._ready_at - self._world.time.now, 0))
