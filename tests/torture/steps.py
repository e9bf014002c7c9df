"""An automatic table that is killed at every step of a round, before and after each commit: for `test_steps`.

    python -m tests.torture.steps JOURNAL KEY

Each step is a process of its own, which kills itself with SIGKILL in the middle of its work; the next process goes on
with the same journal and the same key of the dice. At last one process finishes the round in play and ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from taisai.books import open_shelf
from taisai.floor.dealer import AutomaticDealer, opening_moves
from taisai.floor.dice import VirtualTumbler, dice_key
from taisai.floor.driver import Driver
from taisai.floor.floor import Floor
from taisai.floor.live import LiveTable
from taisai.journal import Batch, Journal, open_journal
from taisai.settings.forms import Timing
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person, Role

TABLE, BOOK, LAYOUT = "T", "nz-division-9", "1"
"""A book with a terminal has the most steps."""
STEPS = 13
"""Commits of a round with one bet: committed, tumbled, opened, bet, closed, uncovered, called, entered (four), settled,
and paid if it was won."""
HURRY = Timing(betting_ms=50, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=0)
ANN = Person("ann", Role.PLAYER)


class Fuse:
    """Counts the commits of a round, and kills the process at one of them."""

    def __init__(self, step: int | None, *, after: bool) -> None:
        self._step, self._after = step, after
        self._seen: int | None = None

    @property
    def is_lit(self) -> bool:
        """Whether a round has begun in this process."""
        return self._seen is not None

    def opened(self, address: str) -> Journal:
        """The journal, with the fuse in its `append`."""
        journal = open_journal(address)
        append = journal.append

        def burning(batches: Sequence[Batch]) -> object:
            kinds = {record.kind for batch in batches for record in batch.records}
            self._seen = 1 if "dice-committed" in kinds else None if self._seen is None else self._seen + 1
            is_due = self._seen is not None and self._seen == self._step
            if is_due and not self._after:
                os.kill(os.getpid(), signal.SIGKILL)
            found = append(batches)
            if is_due:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        journal.append = burning  # type: ignore[method-assign,assignment] # the fuse
        return journal


async def deal(address: str, key: Path, fuse: Fuse) -> None:
    """Deal until the fuse is burnt, or a round is over that began in this process."""
    shelf = open_shelf(environment={})
    book = shelf.book(BOOK)
    floor = Floor(shelf.book, lambda: fuse.opened(address))
    await floor.start()
    table = floor.table(TABLE)
    limits = c.TableLimits(100, c.BoxLimit(100, 1_000_000))
    set_up = c.SetUp(BOOK, LAYOUT, book.digest, limits, "NZD", (100, 1_000))
    commands = opening_moves(table.state, book, set_up, {1_000: 1_000_000}, floor.clock.now())
    if not table.state.players:
        dan = Person("dan", Role.DEALER)
        seat: tuple[c.Action, ...] = (c.SitDown("ann"), c.BuyIn("ann", 1_000_000))
        commands += [c.Command(id=f"seat-{place}", at=1, by=dan, do=do) for place, do in enumerate(seat)]
    for command in commands:
        assert (await floor.do(TABLE, command)).refusal is None
    over = asyncio.Event()

    def bet(_table: LiveTable, events: Sequence[e.Event]) -> None:
        for event in events:
            if isinstance(event.what, e.BetsOpened):
                number = event.what.round
                do = c.PlaceBet("ann", "small", 1_000, contribution=f"{number:032x}")
                placed = c.Command(id=f"bet-{number}", at=floor.clock.now(), by=ANN, do=do)
                floor.background(floor.do(TABLE, placed))
            elif isinstance(event.what, e.RoundConcluded) and fuse.is_lit:
                over.set()

    floor.listen(bet)
    dice = VirtualTumbler(key=dice_key(key))
    dealer = AutomaticDealer(book, dice, HURRY, unattended=True, idle_when_empty=False, purpose=c.Purpose.DEMO)
    floor.automate(TABLE, Driver(dealer))
    await over.wait()
    await floor.stop()


def killed(address: str, key: Path, fuse: Fuse) -> bool:
    """Whether a process of its own was killed at its step; False when its round was over before."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(deal(address, key, fuse))
        except BaseException as error:  # a child must end here, whatever happens
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the floor failed"
    return False


def main(address: str, key: Path) -> None:
    """All steps, one after the other."""
    fuses = [Fuse(step, after=after) for step in range(1, STEPS + 1) for after in (False, True)]
    kills = sum(killed(address, key, fuse) for fuse in fuses)
    assert not killed(address, key, Fuse(None, after=False))
    print(kills)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
