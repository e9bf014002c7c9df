"""A table dealt by the automatic dealer on a simulated clock, with players who bet: for tests."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from taisai.audit.run import Audit
from taisai.core.rulebook import RuleBook
from taisai.floor.dealer import AutomaticDealer, Move, Stage, house_opening_moves
from taisai.floor.dice import DiceSource, VirtualTumbler
from taisai.journal import MemoryJournal
from taisai.settings.forms import Timing
from taisai.streams.codec import event_of
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person, Role
from taisai.table.state import TableState
from tests.streams.keeper import Answer, TableKeeper
from tests.table.driver import set_up_of, shelf

TABLE = "T1"
FLOAT: c.Count = {500: 100_000}
DAN = Person("dan", Role.DEALER)
LEE = Person("lee", Role.SUPERVISOR)
DEALING = c.AssignDealing(c.DealtBy.HOUSE, 0, c.Purpose.DEMO)
BETTING_US = 36_000_000
What = TypeVar("What")


def house_opening(state: TableState, book: RuleBook, layout: str, float_count: c.Count, at: int) -> list[c.Command]:
    """What the house's own dealer does to open a table."""
    return house_opening_moves(
        state, book, set_up_of(layout), float_count, at, dealing=DEALING, tested=VirtualTumbler().test()
    )


class House:
    """One automatic table, its journal and the time."""

    def __init__(
        self,
        layout: str,
        make_dice: Callable[[], DiceSource] = VirtualTumbler,
        *,
        unattended: bool = True,
        idle_when_empty: bool = False,
        players: int = 2,
        seed: int = 1,
        float_count: c.Count = FLOAT,
        opened: bool = True,
    ) -> None:
        self.layout = layout
        self.book = shelf().book(layout.partition("/")[0])
        self.boxes = list(self.book.layouts[layout.partition("/")[2]].boxes)
        self.chance = Random(f"{layout} {seed}")
        self.journal = MemoryJournal()
        self.keeper = TableKeeper(self.journal, shelf().book, TABLE, snapshot_every=200)
        self.now = 1_800_000_000_000_000
        self._make_dice = make_dice
        self._settings = {"unattended": unattended, "idle_when_empty": idle_when_empty}
        self._hands = 0
        self.dice, self.dealer = self._new_dealer()
        opening = house_opening(self.state, self.book, layout, float_count, self.now)
        for command in opening if opened else ():
            self.given(command)
        for number in range(1, (players if opened else 0) + 1):
            self.hand(c.SitDown(f"p{number}"))
            self.hand(c.BuyIn(f"p{number}", 50_000))

    def _new_dealer(self) -> tuple[DiceSource, AutomaticDealer]:
        dice = self._make_dice()
        return dice, AutomaticDealer(self.book, dice, Timing(), purpose=c.Purpose.DEMO, **self._settings)

    @property
    def state(self) -> TableState:
        """The table's state."""
        return self.keeper.state

    # -------------------------------------------------------------- commands

    def given(self, command: c.Command) -> Answer:
        """Give a command, which must be accepted and new."""
        answer = self.keeper.do(command)
        assert answer.refusal is None, str(answer.refusal)
        assert not answer.repeated
        return answer

    def hand(
        self, do: c.Action, by: Person = DAN, second: Person | None = None, reason: str = ""
    ) -> tuple[e.EventBody, ...]:
        """Give a person's command, which must be accepted."""
        self._hands += 1
        command = c.Command(
            id=f"hand-{self.state.seq}-{self._hands}", at=self.now, by=by, do=do, authorised_by=second, reason=reason
        )
        return tuple(event.what for event in self.given(command).events)

    def bet(self, name: str, box: str, amount: int) -> None:
        """A player's bet."""
        self.hand(c.PlaceBet(name, box, amount), Person(name, Role.PLAYER))

    def bet_by_chance(self) -> None:
        """Place a few random bets for everybody who has chips."""
        for name in self.state.players:
            for box in self.chance.sample(self.boxes, 3):
                if self.state.funds(name) >= 200:
                    self.bet(name, box, 10 * self.chance.randint(1, 20))

    # -------------------------------------------------------------- time

    def move(self) -> Move:
        """The dealer's next move; asked twice, it is the same."""
        move = self.dealer.next_move(self.state, self.now)
        assert self.dealer.next_move(self.state, self.now) == move
        return move

    def step(self, *, bets: bool = True) -> Move:
        """Make one move of the dealer: give its command, or let the time pass; players bet when bets open."""
        move = self.move()
        if move.command is not None:
            self.given(move.command)
            if bets and isinstance(move.command.do, c.OpenBets):
                self.now += self.chance.randint(0, 1_000_000)
                self.bet_by_chance()
        elif move.at is not None:
            assert move.at > self.now
            self.now = move.at
        return move

    def until(self, done: Callable[[], bool], *, bets: bool = True, moves: int = 2_000) -> House:
        """Deal until a condition holds."""
        for _ in range(moves):
            if done():
                return self
            move = self.step(bets=bets)
            assert move.command is not None or move.at is not None, f"waits for people: {move}"
        raise AssertionError(f"not so after {moves} moves; {self.move()}")

    def rounds(self, count: int, *, bets: bool = True) -> House:
        """Deal some more rounds, to their end."""
        target = len(self.state.history) + count
        return self.until(lambda: len(self.state.history) >= target, bets=bets)

    def at(self, stage: Stage) -> House:
        """Deal until the table is at a stage."""
        return self.until(lambda: self.dealer.countdown(self.state, self.now).what is stage)

    def restart(self) -> House:
        """Restart the house: only the journal is left, and every secret is lost."""
        self.keeper = TableKeeper(self.journal, shelf().book, TABLE, snapshot_every=200)
        self.keeper.restart(self.now)
        self.dice, self.dealer = self._new_dealer()
        return self

    # -------------------------------------------------------------- the record

    def events(self) -> list[e.Event]:
        """Every event on record."""
        return [event_of(record) for record in self.journal.read(TABLE)]

    def happened(self, kind: type[What]) -> list[What]:
        """Every event of a kind."""
        return [event.what for event in self.events() if isinstance(event.what, kind)]

    def clean(self) -> House:
        """The audit has no finding, and its replay is the state."""
        audit = Audit(shelf().book)
        assert [str(finding) for finding in audit.findings(self.journal)] == []
        assert audit.states[TABLE] == self.state
        return self
