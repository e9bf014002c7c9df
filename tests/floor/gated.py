"""A journal in memory whose commits can be delayed, refused, or fail after they took effect."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from taisai.books import open_shelf
from taisai.floor.clock import Clock
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import Batch, Head, Journal, JournalError, MemoryJournal
from taisai.table import commands as c
from taisai.table.people import Person, Role

SHELF = open_shelf(environment={})
BOOK = SHELF.book("rws-tai-sai-v6")
LEE = Person("lee", Role.SUPERVISOR)
DAN = Person("dan", Role.DEALER)
LIMITS = c.TableLimits(100, c.BoxLimit(100, 1_000_000))


class GatedJournal(MemoryJournal):
    """A journal whose commits wait at a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.waiting = threading.Event()
        self.groups: list[int] = []
        """How many batches each commit had."""
        self.refuse: Callable[[Sequence[Batch]], Exception | None] = lambda _batches: None
        """What a commit fails with, before it has taken effect."""
        self.break_off: JournalError | None = None
        """What the next commit fails with, after it has taken effect."""

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Wait at the gate, then fail or commit."""
        self.waiting.set()
        if not self.open.wait(10):
            raise TimeoutError("the gate was never opened")
        self.groups.append(len(batches))
        failure = self.refuse(batches)
        if failure is not None:
            raise failure
        heads = super().append(batches)
        if self.break_off is not None:
            broken, self.break_off = self.break_off, None
            raise broken
        return heads

    def close(self) -> None:
        """Stay open, so that the test can read it afterwards, and a floor can reopen it."""

    def hold(self) -> None:
        """Let no commit through."""
        self.waiting.clear()
        self.open.clear()

    async def held(self) -> None:
        """Wait until a commit is at the gate."""
        await asyncio.to_thread(self.waiting.wait, 10)


def command(number: int, do: c.Action, by: Person = DAN, second: Person | None = None) -> c.Command:
    """A command with an id of its own."""
    reason = "" if second is None else "as the test says"
    return c.Command(id=f"c-{number:06d}", at=number, by=by, do=do, authorised_by=second, reason=reason)


def opening(players: Sequence[str]) -> list[c.Command]:
    """The commands from a new table to open bets, with players who have chips."""
    actions: list[tuple[c.Action, Person]] = [
        (c.SetUp(BOOK.id, "C", BOOK.digest, LIMITS, "SGD", (100, 1_000, 10_000)), LEE),
        (c.CountFloat({10_000: 100_000}), LEE),
        (c.ReceiveDice("D1"), LEE),
        (c.SealDice("D1", "S1"), LEE),
        (c.TestRun((1, 3, 6), lit_correctly=True), LEE),
        *((c.CheckItem(item.item, passed=True), LEE) for item in BOOK.procedure.opening),
        (c.OpenTable(), LEE),
        *((c.SitDown(player), DAN) for player in players),
        *((c.BuyIn(player, 1_000_000), DAN) for player in players),
        (c.OpenBets(), DAN),
    ]
    return [command(place, do, by) for place, (do, by) in enumerate(actions, 1)]


async def floor_on(journal: Journal, *, large_win: int | None = None, clock: Clock | None = None) -> Floor:
    """A floor over a journal."""
    floor = Floor(SHELF.book, lambda: journal, clock, large_win=large_win)
    await floor.start()
    return floor


async def betting(floor: Floor, table: str = "T", players: Sequence[str] = ("p1", "p2")) -> LiveTable:
    """A table whose bets are open."""
    for each in opening(players):
        answer = await floor.do(table, each)
        assert answer.refusal is None, answer.refusal
    return floor.table(table)


def bet(number: int, player: str = "p1", box: str = "small", amount: int = 100) -> c.Command:
    """A bet that a player places."""
    return command(number, c.PlaceBet(player, box, amount), Person(player, Role.PLAYER))
