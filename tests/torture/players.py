"""Players of a simulation: they bet, take back, and repeat what nobody has answered.

Enters: answers, late, twice or never. Leaves: commands, to whichever node is there, lost and doubled on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from taisai.floor.answers import Outcome
from taisai.table import actions as a
from taisai.table.people import Person, Role
from tests.torture.checks import Asked

if TYPE_CHECKING:
    from tests.torture.node import SimulatedNode
    from tests.torture.simulate import World

MS: Final = 1_000
PATIENCE: Final = 4
"""How often a player thinks of something else before he repeats what was not answered."""


class Player:
    """One player at one table."""

    def __init__(self, world: World, table: str, name: str) -> None:
        self._world = world
        self.table = table
        self.name = name
        self._person = Person(name, Role.PLAYER)
        self._count = 0
        self._open: a.Command | None = None
        self._tries = 0
        self._old: list[a.Command] = []
        self._laid: list[str] = []
        self._stopped = False
        world.time.after(world.chance.randrange(400 * MS), self._think)

    def stop(self) -> None:
        """Ask for nothing more."""
        self._stopped = True

    def _think(self) -> None:
        world = self._world
        if self._stopped:
            return
        chance = world.chance
        roll = chance.random()
        if self._open is not None:
            self._tries += 1
            if self._tries > PATIENCE * world.hurry:
                self._send(self._open)  # once more, with the same id, wherever somebody is
                self._tries = 0
        elif self._old and roll < 0.04:
            self._send(chance.choice(self._old))
        else:
            self._open = self._new(roll)
            self._tries = 0
            self._send(self._open)
        world.time.after((100 * MS + world.time.below(500 * MS)) // world.hurry, self._think)

    def _new(self, roll: float) -> a.Command:
        chance = self._world.chance
        self._count += 1
        command_id = f"{self.name}-{self._count:06d}"
        do: a.Action
        if self._laid and roll < 0.12:
            do = a.WithdrawBet(self.name, chance.choice(self._laid))
        else:
            box = chance.choice(self._world.boxes)
            self._laid = [*self._laid[-1:], box]
            do = a.PlaceBet(self.name, box, 10 * chance.randrange(1, 6))
        self._world.checker.ask(command_id, Asked(self.table, self.name, do))
        return a.Command(id=command_id, at=0, by=self._person, do=do)

    def _send(self, command: a.Command) -> None:
        world = self._world
        chance = world.chance
        copies = 1 if chance.random() < 0.95 else chance.choice((0, 2))
        node = chance.choice(world.nodes)
        for _ in range(copies):
            world.sent += 1
            node.loop.later(20 + world.time.below(3 * MS), self._arrive, node, node.life, world.sent, command)

    def _arrive(self, node: SimulatedNode, life: int, number: int, command: a.Command) -> None:
        if node.life != life or not node.ready:
            return
        world = self._world

        def reply(outcome: Outcome) -> None:
            world.checker.answered(node, number, command.id, outcome)
            chance = world.chance
            fate = chance.random()
            if fate > 0.02:
                delay = 20 + world.time.below(3 * MS) if fate > 0.05 else chance.randrange(900 * MS)
                world.time.after(delay, self._hear, command, outcome)

        world.checker.given(node, number, command.id)
        if not node.hear(self.table, command, reply):
            world.checker.waiting.pop((command.id, number), None)

    def _hear(self, command: a.Command, outcome: Outcome) -> None:
        if self._open is not command:
            return
        fault = outcome.fault
        if fault is not None and fault.code in ("not-recorded", "try-again", "closing"):
            self._tries = PATIENCE * self._world.hurry  # he repeats it with the same id, soon
            return
        self._open = None
        if fault is None:
            self._old = [*self._old[-5:], command]
