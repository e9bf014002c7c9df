"""A crew and players that deal a shift by themselves, from a seed: legal commands, with an irregularity now and then.

    python -m tests.audit.bot FILE SEED        deals on a journal until it is stopped; one line for each answer

Used by the tests of audit and keeper, by the torture (kill -9) and by the benchmarks.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from taisai.books import open_shelf
from taisai.core.rulebook import Fact, Rule, RuleBook, Tumble
from taisai.journal import open_journal
from taisai.table import commands as c
from taisai.table.handlers.shift import runs_left
from taisai.table.people import Person, Role
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TablePhase, TableState
from tests.journal.samples import sign_checkpoint
from tests.streams.keeper import TableKeeper

LEE = Person("lee", Role.SUPERVISOR)
DAN = Person("dan", Role.DEALER)
PAT = Person("pat", Role.PIT_MANAGER)
PLAYERS = tuple(f"p{number}" for number in range(1, 9))
SECOND_US = 1_000_000


class Bot:
    """Deals one table of one layout; `commands` never ends."""

    def __init__(
        self, book: RuleBook, layout: str, seed: int, *, trouble: float = 0.05, bets_a_round: int = 12
    ) -> None:
        self._book = book
        self._layout = layout
        self._boxes = list(book.layouts[layout].boxes)
        self._chance = random.Random(seed)
        self._trouble = trouble
        self._bets = bets_a_round
        self._number = 0
        self._prefix = f"{seed}"

    def command(self, state: TableState) -> c.Command:
        """What comes next in this state."""
        self._number += 1
        do, by, second = self._next(state)
        return c.Command(
            id=f"{self._prefix}-{self._number}",
            at=max(state.at, 1_700_000_000 * SECOND_US) + SECOND_US,
            by=by,
            do=do,
            authorised_by=second,
            reason="as the bot sees it" if second is not None else "",
        )

    def _next(self, state: TableState) -> tuple[c.Action, Person, Person | None]:
        if state.round.interrupted:
            return self._after_interruption(state)
        if state.phase is not TablePhase.OPEN:
            return self._opening(state), LEE, None
        if state.suspended:
            return c.ResumeTable(c.Mending.MENDED, "looked at"), LEE, None
        poor = next(
            (player for player in PLAYERS if player not in state.players or state.funds(player) < 500_000), None
        )
        if poor is not None:
            return (c.SitDown(poor) if poor not in state.players else c.BuyIn(poor, 5_000_000)), DAN, None
        if state.balance("float") < 1_000_000_000:
            return c.Fill({10_000: 500_000}), LEE, None
        return self._dealing(state)

    def _opening(self, state: TableState) -> c.Action:
        limits = c.TableLimits(100, c.BoxLimit(100, 2_000_000))
        if state.set_up is None:
            denominations = (100, 500, 2_500, 10_000)
            return c.SetUp(
                self._book.id, self._layout, self._book.digest, limits, "SGD", denominations, coverage=c.Coverage.KINDS
            )
        if not state.dice_sets:
            return c.ReceiveDice("D1")
        if state.dice_in is None:
            return c.SealDice("D1", "S1")
        if not state.balance("float"):
            return c.CountFloat({10_000: 1_000_000})
        runs = runs_left(TableRules(self._book), state) if self._book.has(Rule.TEST_RUNS) else ()
        if runs:
            return c.TestRun(runs[0], lit_correctly=True)
        missing = [item.item for item in self._book.procedure.opening if item.item not in state.checks]
        return c.CheckItem(missing[0], passed=True) if missing else c.OpenTable()

    def _dealing(self, state: TableState) -> tuple[c.Action, Person, Person | None]:
        current, chance = state.round, self._chance
        if current.phase is not RoundPhase.BETWEEN and chance.random() < self._trouble / 20:
            return c.Interrupt("the lights went out"), DAN, None
        first = self._book.procedure.tumble is Tumble.BEFORE_BETS
        enough = current.tumbles >= self._book.procedure.tumbles_min
        match current.phase:
            case RoundPhase.BETWEEN:
                return (c.Tumble(3) if first and not enough else c.OpenBets()), DAN, None
            case RoundPhase.BETTING:
                return self._betting(state)
            case RoundPhase.CLOSED:
                if chance.random() < self._trouble:
                    return c.Report(Fact.NOT_FLAT), DAN, None
                draws = self._book.layouts[self._layout].draws
                if draws and not current.draw:
                    return c.DrawOdds(chance.choice(draws).name), DAN, None
                dice = (chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6))
                return (c.Uncover(dice) if enough else c.Tumble(3)), DAN, None
            case RoundPhase.UNCOVERED:
                return c.Announce(), DAN, None
            case RoundPhase.ANNOUNCED | RoundPhase.ENTERED:
                return self._entering(state)
            case RoundPhase.COLLECTED:
                return (c.PayAll() if chance.random() < 0.8 else c.PayNext()), DAN, None

    def _betting(self, state: TableState) -> tuple[c.Action, Person, Person | None]:
        chance = self._chance
        if len(state.round.stacks) >= self._bets:
            return c.CloseBets(), DAN, None
        player = chance.choice(PLAYERS)
        if state.round.stacks and chance.random() < self._trouble:
            stack = chance.choice(state.round.stacks)
            return c.WithdrawBet(stack.player, stack.box), Person(stack.player, Role.PLAYER), None
        bet = c.PlaceBet(player, chance.choice(self._boxes), 100 * chance.randint(1, 100))
        return bet, Person(player, Role.PLAYER), None

    def _entering(self, state: TableState) -> tuple[c.Action, Person, Person | None]:
        current, chance = state.round, self._chance
        has_terminal = any(step.step == "enter" for step in self._book.procedure.steps)
        dice = current.dice or (1, 1, 1)
        if not has_terminal:
            return c.Collect(), DAN, None
        if current.phase is RoundPhase.ENTERED:
            if current.entered is not None and sorted(current.entered) != sorted(dice):
                return c.AmendEntry(dice), DAN, LEE
            return c.Collect(), DAN, None
        if len(current.pressed) == 3:
            return c.Enter(), DAN, None
        wrong = chance.random() < self._trouble
        return c.Press(chance.randint(1, 6) if wrong else dice[len(current.pressed)]), DAN, None

    def _after_interruption(self, state: TableState) -> tuple[c.Action, Person, Person | None]:
        if state.round.dice is not None or state.round.phase is RoundPhase.BETTING or self._chance.random() < 0.5:
            return c.ResolveInterruption(state.round.dice or ()), DAN, LEE
        dice = (self._chance.randint(1, 6), self._chance.randint(1, 6), self._chance.randint(1, 6))
        return c.ResolveInterruption((dice[0],), dice), DAN, LEE


def deal(keeper: TableKeeper, bot: Bot) -> Iterator[tuple[c.Command, bool]]:
    """Deal for ever: each command, and whether it was accepted."""
    while True:
        command = bot.command(keeper.state)
        yield command, keeper.do(command).refusal is None


def main() -> None:
    """Deal on a journal until somebody stops it; each line is an answer that was given after its event was on disk."""
    file, seed = sys.argv[1], int(sys.argv[2])
    shelf = open_shelf(environment={})
    book = shelf.book("nz-division-9" if seed % 2 else "rws-tai-sai-v6")
    layout = next(iter(book.layouts))
    with open_journal(file) as journal:
        keeper = TableKeeper(journal, shelf.book, f"{book.id}", snapshot_every=50)
        keeper.restart(keeper.state.at + SECOND_US)
        for number, (command, accepted) in enumerate(deal(keeper, Bot(book, layout, seed))):
            print(f"{keeper.state.table} {command.id} {'yes' if accepted else 'no'}", flush=True)
            if number % 40 == 0:
                sign_checkpoint(journal, keeper.state.at)


if __name__ == "__main__":
    main()
