"""A whole shift through the Python client, under each book, on SQLite and PostgreSQL, with every irregularity.

Enters: an empty house. Leaves: a journal in which the audit finds nothing, and correct balances.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from taisai.client import Refused, Session, Table
from taisai.core.rulebook import Fact
from taisai.table import commands as c
from taisai.table.record.coverage import smallest_cover
from tests.postgres import journal_url
from tests.web.serving import (
    FLOAT,
    LIMITS,
    Running,
    by_sue,
    deal,
    on_a_loop,
    open_house,
    settings_for,
    shelf,
    sqlite_url,
)

FLOAT_VALUE = sum(chip * count for chip, count in FLOAT.items())


@dataclass(frozen=True)
class Book:
    """What differs between shifts under the books."""

    layout: str
    tumble: Literal["before", "after"]
    box: str
    """Pays even money on 1-2-4."""
    loser: str
    void: Fact
    terminal: bool = False
    lights: bool = False
    suspends: bool = False


BOOKS = {
    "tai-sai": Book("rws-tai-sai-v6/A", "after", "small", "big", Fact.NOT_FLAT, lights=True),
    "open-cover": Book("rws-open-cover-v3/B", "after", "small", "big", Fact.NOT_FLAT),
    "mini-dice": Book("rws-mini-dice-v3/A", "after", "single:4", "single:6", Fact.NOT_FLAT),
    "new-zealand": Book(
        "nz-division-9/1", "before", "small", "big", Fact.NOT_FLAT, terminal=True, lights=True, suspends=True
    ),
}


@dataclass
class Shift:
    """One table, its crew and its players, over the play socket."""

    book: Book
    crew: Session
    dan: Table
    ann: Table
    bob: Table

    async def open(self) -> None:
        """Up to the call for bets."""
        if self.book.tumble == "before":
            await self.dan.do(c.Tumble(3))
        await self.dan.do(c.OpenBets())

    async def roll(self, *dice: int) -> None:
        """From the close to the call of the result."""
        await self.dan.do(c.CloseBets())
        if self.book.tumble == "after":
            await self.dan.do(c.Tumble(3))
        await deal(self.dan, c.Uncover((dice[0], dice[1], dice[2])), c.Announce())

    async def enter(self, *dice: int) -> None:
        """Enter the dice at the terminal, if there is one."""
        if self.book.terminal:
            await deal(self.dan, *(c.Press(face) for face in dice), c.Enter())

    async def settle(self) -> None:
        """Collect the losing bets and pay the winners."""
        done = await self.dan.do(c.Collect())
        await self.dan.until_seq(done.seq)
        if self.dan.phase == "collected":
            await self.dan.do(c.PayAll())

    async def funds(self) -> tuple[int, int]:
        """The chips of both players, as the crew sees them."""
        found = (await self.crew.crew(self.dan.name))["crew"]["funds"]
        return found["ann"], found["bob"]


async def refused(asked: object, code: str) -> Refused:
    """The refusal of something that must be refused for this reason."""
    with pytest.raises(Refused) as caught:
        await asked  # type: ignore[misc]  # any awaitable
    assert caught.value.code == code, caught.value
    assert caught.value.sentence.endswith(".")
    return caught.value


async def plain_round(shift: Shift) -> None:
    """Bets are placed, raised, withdrawn and called; there is a winner and a loser."""
    await refused(shift.ann.bet(shift.book.box, 500), "bets-not-open")
    await shift.open()
    await shift.ann.bet(shift.book.box, 400)
    await shift.ann.bet(shift.book.box, 300)
    await shift.ann.withdraw(shift.book.box, 200)
    assert shift.ann.stakes == {shift.book.box: 500}
    await shift.dan.do(c.PlaceBet("bob", shift.book.loser, 1_000, how=c.How.CALL))
    await refused(shift.bob.do(c.PlaceBet("ann", shift.book.box, 100)), "not-yours-to-do")
    await shift.roll(1, 2, 4)
    await refused(shift.ann.bet(shift.book.box, 100), "bets-closed")
    await shift.enter(1, 2, 4)
    await shift.settle()


async def limits_breached(shift: Shift) -> None:
    """A bet over the maximum is refused as a whole; of chips found on the felt the excess goes back."""
    await shift.open()
    over = await refused(shift.ann.bet(shift.book.box, 10_100), "over-maximum")
    assert over.allowed
    assert over.clauses
    await refused(shift.ann.bet(shift.book.box, 50), "bad-value")
    await shift.ann.bet(shift.book.box, 9_000)
    await shift.dan.do(c.PlaceBet("bob", shift.book.box, 2_000, how=c.How.FELT))
    done = await shift.dan.do(c.RejectExcess(shift.book.box))
    await shift.bob.until_seq(done.seq)
    assert shift.bob.stakes == {shift.book.box: 1_000}
    await shift.roll(6, 6, 5)
    await shift.enter(6, 6, 5)
    await shift.settle()


async def wrong_entry(shift: Shift) -> None:
    """A wrong entry is amended with the second person's credentials before anything is settled."""
    await shift.open()
    await shift.ann.bet(shift.book.box, 500)
    await shift.roll(1, 2, 4)
    await deal(shift.dan, *(c.Press(face) for face in (6, 6, 5)), c.Enter())
    amend = c.AmendEntry((1, 2, 4))
    await refused(shift.dan.do(amend, reason="typed the last round"), "second-person-needed")
    wrong = by_sue().__class__("sue", "not the password", by_sue().role)
    await refused(shift.dan.do(amend, reason="typed the last round", second=wrong), "sign-in-refused")
    await refused(shift.dan.do(amend, second=by_sue()), "reason-needed")
    await shift.dan.do(amend, reason="typed the last round", second=by_sue())
    await shift.settle()


async def void(shift: Shift) -> None:
    """After the call a die is seen not to lie flat: two people void the round, and every bet is returned."""
    await shift.open()
    await shift.ann.bet(shift.book.loser, 700)
    await shift.bob.bet(shift.book.box, 300)
    await shift.roll(6, 6, 5)
    await shift.dan.do(c.Report(shift.book.void))
    await refused(shift.dan.do(c.Announce()), "round-held")
    await shift.dan.do(c.Report(shift.book.void), reason="a die leans on the rim", second=by_sue())


async def lights_fail(shift: Shift, sue: Table) -> None:
    """The dice prevail over the lights; where the book says so, play stops until the lights are repaired."""
    await shift.open()
    await shift.bob.bet(shift.book.loser, 500)
    await shift.roll(6, 6, 5)
    await shift.enter(6, 6, 5)
    if shift.book.lights:
        await shift.dan.do(c.Report(Fact.LIGHTS_FAULT, "small is lit"))
    await shift.settle()
    if not shift.book.suspends:
        await shift.dan.do(c.SuspendTable("the lamps are looked at"))
    await refused(shift.dan.do(c.OpenBets()), "table-suspended")
    await refused(shift.dan.do(c.ResumeTable(c.Mending.MENDED, "a lamp was changed")), "not-yours-to-do")
    if shift.book.suspends:
        await refused(sue.do(c.ResumeTable(c.Mending.MENDED, "a lamp was changed")), "check-incomplete")
        for run in smallest_cover(shelf().layout(shift.book.layout)):
            await sue.do(c.TestRun((run.faces[0], run.faces[1], run.faces[2]), lit_correctly=True))
    await sue.do(c.ResumeTable(c.Mending.MENDED, "a lamp was changed"))


async def interruption(shift: Shift) -> None:
    """The power fails before a die is read: two people resolve it, and every bet is returned."""
    await shift.open()
    await shift.ann.bet(shift.book.box, 600)
    await shift.dan.do(c.Interrupt("power lost"))
    await refused(shift.ann.withdraw(shift.book.box), "round-interrupted")
    resolve = c.ResolveInterruption(())
    await refused(shift.dan.do(resolve, reason="dark"), "second-person-needed")
    await shift.dan.do(resolve, reason="dark", second=by_sue())


async def walk_away(shift: Shift) -> None:
    """A player leaves without cashing in: the bet stands and is paid."""
    await shift.open()
    await shift.bob.bet(shift.book.box, 500)
    await shift.dan.do(c.WalkAway("bob"))
    await shift.roll(1, 2, 4)
    await shift.enter(1, 2, 4)
    await shift.settle()


async def dispute(shift: Shift, sue: Table) -> None:
    """A player disputes a round, and a supervisor resolves it."""
    await refused(shift.bob.do(c.OpenDispute("D-0", "ann", 1, "theirs, not mine")), "not-yours-to-do")
    await shift.ann.do(c.OpenDispute("D-1", "ann", 1, "I said seven hundred"))
    await refused(shift.dan.do(c.ResolveDispute("D-1", "as recorded")), "not-yours-to-do")
    await sue.do(c.ResolveDispute("D-1", "the recording shows five hundred"))


async def evening(running: Running, book: Book, sue: Table, shift: Shift) -> None:
    """One round after the other, and what each does to the chips of ann and bob."""
    assert await shift.funds() == (20_000, 20_000)
    await plain_round(shift)
    assert await shift.funds() == (20_500, 19_000)
    await limits_breached(shift)
    ann, bob = await shift.funds()
    assert (ann, bob) == (11_500, 18_000)
    if book.terminal:
        await wrong_entry(shift)
        ann += 500
    await void(shift)
    assert await shift.funds() == (ann, bob)
    if book.lights:
        await lights_fail(shift, sue)
        bob += 500
    await interruption(shift)
    assert await shift.funds() == (ann, bob)
    await dispute(shift, sue)
    await walk_away(shift)
    assert await shift.funds() == (ann, bob + 500)
    await close(running, sue, shift)


async def close(running: Running, sue: Table, shift: Shift) -> None:
    """Close the table: the float is short by what the players hold."""
    ann, bob = await shift.funds()
    in_tray = FLOAT_VALUE - ann - bob
    crew = (await running.crew["sue"].crew(sue.name))["crew"]
    assert crew["float"] == in_tray
    count = {500: in_tray // 500, 100: in_tray % 500 // 100}
    await sue.do(c.CloseTable(count))
    rounds = await running.crew["ada"].journal(sue.name, kind="round-concluded", count=500)
    assert len(rounds) >= 3


def audited(url: str) -> subprocess.CompletedProcess[str]:
    """Audit a journal in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "taisai", "audit", url], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_whole_shift(tmp_path: Path, book: str, store: str) -> None:
    """From the administrator's one-time link to the closing count: balances are right, and the audit finds nothing."""
    url = sqlite_url(tmp_path) if store == "sqlite" else journal_url(tmp_path)
    run_shift(url, BOOKS[book])
    done = audited(url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no finding" in done.stdout


@on_a_loop
async def run_shift(url: str, book: Book) -> None:
    """The shift itself."""
    async with open_house(settings_for(url)) as running:
        await running.hire("dan", "sue", "ada")
        await running.ready_table("T1", book.layout, limits=LIMITS)
        ann: Session = await running.seat("ann")
        bob = await running.seat("bob")
        async with (
            running.crew["dan"].table("T1") as dan,
            running.crew["sue"].table("T1") as sue,
            ann.table() as ann_table,
            bob.table() as bob_table,
        ):
            await evening(running, book, sue, Shift(book, running.crew["dan"], dan, ann_table, bob_table))
