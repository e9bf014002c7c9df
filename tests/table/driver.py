"""A driver that deals a table by name, so that a test reads like a shift.

Every command is decided twice, on the state and on the state restored from its snapshot, and must come out the same;
every event is held against `invariants` and added to the record, which must replay to the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeVar

from taisai.books import Shelf, open_shelf
from taisai.core.rulebook import Fact, Tumble
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.decide import can, decide
from taisai.table.evolve import evolve, replay
from taisai.table.handlers.shift import runs_left
from taisai.table.people import Person, Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules
from taisai.table.state import PastRound, RoundPhase, TableState, snapshot_of, state_from
from tests.table.invariants import check_event

HOUR: Final = 3_600_000_000
SECOND: Final = 1_000_000

DEALER: Final = Person("dan", Role.DEALER)
SUPERVISOR: Final = Person("sue", Role.SUPERVISOR)
PIT_MANAGER: Final = Person("pia", Role.PIT_MANAGER)
SHIFT_MANAGER: Final = Person("max", Role.SHIFT_MANAGER)
AUDITOR: Final = Person("amy", Role.AUDITOR)
SYSTEM: Final = Person("house", Role.SYSTEM)
STAFF: Final = (DEALER, SUPERVISOR, PIT_MANAGER, SHIFT_MANAGER, AUDITOR, SYSTEM)

NZ: Final = "nz-division-9/1"
NZ_2: Final = "nz-division-9/2"
OPEN_COVER: Final = "rws-open-cover-v3/A"
TAI_SAI: Final = "rws-tai-sai-v6/A"
TAI_SAI_C: Final = "rws-tai-sai-v6/C"
MINI_DICE: Final = "rws-mini-dice-v3/A"
ONE_OF_EACH_BOOK: Final = (NZ, OPEN_COVER, TAI_SAI, MINI_DICE)

LIMITS: Final = c.TableLimits(5, c.BoxLimit(10, 5000))
COUNT: Final = {100: 1000, 5: 100}
"""A float of 100,500."""

What = TypeVar("What")


@cache
def shelf() -> Shelf:
    """The package's own books, each read once."""
    return open_shelf(environment={})


def player(name: str) -> Person:
    """A player, acting for themselves."""
    return Person(name, Role.PLAYER)


def set_up_of(layout: str, limits: c.TableLimits = LIMITS, **more: Any) -> c.SetUp:
    """The command that puts a table under a layout's book."""
    book_id, _, layout_id = layout.partition("/")
    digest = shelf().book(book_id).digest
    colours = {name: c.ColourSet(300) for name in ("red", "blue", "green")}
    parts: dict[str, Any] = {
        "coverage": c.Coverage.KINDS,
        "currency": "NZD",
        "denominations": (limits.unit, 100, 500),
        "colours": colours,
    } | more
    return c.SetUp(book_id, layout_id, digest, limits, **parts)


BETTING_MS = 60_000
"""How long bets stay open where the dice are committed."""


class Deal:
    """One table, dealt command by command."""

    def __init__(self, layout: str = NZ, limits: c.TableLimits = LIMITS, *, rules: TableRules | None = None) -> None:
        self.layout = layout
        self.limits = limits
        self.rules = rules or TableRules(shelf().book(layout.partition("/")[0]))
        self.state = TableState("t1")
        self.record: list[e.Event] = []
        self.clock = 10**15
        self._commands = 0

    # -------------------------------------------------------------- commands

    def command(self, do: c.Action, by: Person = DEALER, second: Person | None = None, reason: str = "") -> c.Command:
        """A command with an id and a time of its own."""
        self._commands += 1
        self.clock += SECOND
        return c.Command(id=f"c{self._commands}", at=self.clock, by=by, do=do, authorised_by=second, reason=reason)

    def decide(self, command: c.Command) -> list[e.Event] | Refusal:
        """What becomes of a command: the same from a state that went through a snapshot; the state is left alone."""
        before = snapshot_of(self.state)
        found = decide(self.rules, self.state, command)
        assert decide(self.rules, state_from(before), command) == found
        assert can(self.rules, self.state, command) == (found if isinstance(found, Refusal) else None)
        assert snapshot_of(self.state) == before
        return found

    def take(self, events: Sequence[e.Event]) -> None:
        """Let events happen, each held against the invariants."""
        for event in events:
            before, self.state = self.state, evolve(self.state, event)
            self.record.append(event)
            check_event(self.rules, before, event, self.state)

    def do(
        self, do: c.Action, by: Person = DEALER, second: Person | None = None, reason: str = ""
    ) -> list[e.EventBody]:
        """Do something that must be accepted; what happened."""
        found = self.decide(self.command(do, by, second, reason))
        assert not isinstance(found, Refusal), str(found)
        assert found, "an accepted command leaves an event"
        self.take(found)
        return [event.what for event in found]

    def refused(
        self, do: c.Action, code: Code, by: Person = DEALER, second: Person | None = None, reason: str = ""
    ) -> Refusal:
        """Try something that must be refused with a code; the refusal."""
        found = self.decide(self.command(do, by, second, reason))
        assert isinstance(found, Refusal), f"accepted: {found}"
        assert found.code is code, str(found)
        assert found.sentence
        return found

    def altered(self, do: c.Action, by: Person = SUPERVISOR, second: Person = PIT_MANAGER) -> list[e.EventBody]:
        """Do something that needs two people and a reason."""
        return self.do(do, by, second, "seen by both")

    def replays(self) -> None:
        """The record replays to the state, event by event and in one go."""
        one_by_one = TableState("t1")
        for event in self.record:
            one_by_one = evolve(one_by_one, event)
        assert one_by_one == self.state
        assert replay(TableState("t1"), self.record) == self.state

    def happened(self, kind: type[What]) -> list[What]:
        """Every event of a kind, in order."""
        return [event.what for event in self.record if isinstance(event.what, kind)]

    def last(self, kind: type[What]) -> What:
        """The newest event of a kind."""
        return self.happened(kind)[-1]

    # -------------------------------------------------------------- the shift

    @property
    def phase(self) -> RoundPhase:
        """How far the round is."""
        return self.state.round.phase

    @property
    def past(self) -> PastRound:
        """The round that ended last."""
        return self.state.history[-1]

    @property
    def tumbles_first(self) -> bool:
        """Whether the book tumbles before the bets."""
        return self.rules.book.procedure.tumble is Tumble.BEFORE_BETS

    def set_up(self, **more: Any) -> Deal:
        """Under the book, float counted, dice sealed in."""
        self.do(set_up_of(self.layout, self.limits, **more), SUPERVISOR)
        self.do(c.CountFloat(COUNT), SUPERVISOR)
        self.do(c.ReceiveDice("d1"), SUPERVISOR)
        self.do(c.SealDice("d1", "s1"), SUPERVISOR)
        return self

    def check(self, *without: str) -> Deal:
        """The opening check, some items aside."""
        for item in self.rules.book.procedure.opening:
            if item.item not in without:
                if item.item == "test-run":
                    self.test_runs()
                self.do(c.CheckItem(item.item, passed=True), SUPERVISOR)
        return self

    def test_runs(self) -> Deal:
        """Every test run that is left, all well lit."""
        for dice in runs_left(self.rules, self.state):
            self.do(c.TestRun(dice, lit_correctly=True), SUPERVISOR)
        return self

    def open(self, **more: Any) -> Deal:
        """Set up, checked and open."""
        self.set_up(**more).check()
        self.do(c.OpenTable(), SUPERVISOR)
        return self

    def seat(self, **funds: int) -> Deal:
        """Players sit down and buy in."""
        for name, amount in funds.items():
            self.do(c.SitDown(name), player(name))
            self.do(c.BuyIn(name, amount))
        return self

    # -------------------------------------------------------------- the round

    def begin(self) -> Deal:
        """Up to the call for bets."""
        if self.tumbles_first:
            self.do(c.Tumble(3))
        self.do(c.OpenBets(BETTING_MS if self.state.round.commitment else None))
        return self

    def bet(self, name: str, box: str, amount: int, colour: str | None = None) -> Deal:
        """A player places their own bet."""
        self.do(c.PlaceBet(name, box, amount, c.How.PLACED, colour), player(name))
        return self

    def felt(self, name: str, box: str, amount: int, colour: str | None = None) -> Deal:
        """The dealer records chips as they lie."""
        self.do(c.PlaceBet(name, box, amount, c.How.FELT, colour))
        return self

    def close(self, opening: str | None = None) -> Deal:
        """No more bets, and the dice tumbled where that comes now."""
        self.clock = max(self.clock, self.state.round.closes_at)
        self.do(c.CloseBets(opening))
        if self.state.round.tumbles < self.rules.book.procedure.tumbles_min:
            self.do(c.Tumble(3))
        return self

    def show(self, *dice: int) -> Deal:
        """Uncover and announce."""
        self.do(c.Uncover((dice[0], dice[1], dice[2])))
        self.do(c.Announce())
        return self

    def enter(self, *dice: int) -> Deal:
        """Press three numbers and the entry button."""
        for number in dice:
            self.do(c.Press(number))
        self.do(c.Enter())
        return self

    def result(self, *dice: int) -> Deal:
        """Uncover, announce and, where there is a terminal, enter."""
        self.show(*dice)
        return self.enter(*dice) if self.rules.has_terminal else self

    def settle(self) -> Deal:
        """Collect, then pay all."""
        self.do(c.Collect())
        if self.phase is RoundPhase.COLLECTED:
            self.do(c.PayAll())
        assert self.phase is RoundPhase.BETWEEN
        return self

    def finish(self, *dice: int) -> Deal:
        """From open bets to the end of the round."""
        return self.close().result(*dice).settle()

    def up_to(self, phase: RoundPhase, *dice: int) -> Deal:
        """From open bets, or wherever the round is, on to a phase of it."""
        steps: dict[RoundPhase, Callable[[], object]] = {
            RoundPhase.CLOSED: self.close,
            RoundPhase.UNCOVERED: lambda: self.do(c.Uncover((dice[0], dice[1], dice[2]))),
            RoundPhase.ANNOUNCED: lambda: self.do(c.Announce()),
            RoundPhase.ENTERED: lambda: self.enter(*dice),
            RoundPhase.COLLECTED: lambda: self.do(c.Collect()),
        }
        order = list(RoundPhase)
        for step, go in steps.items():
            ahead = order.index(self.phase) < order.index(step) <= order.index(phase)
            if ahead and (step is not RoundPhase.ENTERED or self.rules.has_terminal):
                go()
        assert self.phase is phase
        return self

    def void(self, why: Fact, *, announced: bool = True) -> e.RoundVoided:
        """A fact of the book voids the round before the reveal; what the record says otherwise is put right."""
        self.altered(c.Report(why, announced=announced))
        return self.last(e.RoundVoided)

    def damage(self) -> list[e.EventBody]:
        """Two people find the set in the tumbler damaged, between rounds."""
        return self.altered(c.InspectDice(sound=False))

    def funds(self, name: str) -> int:
        """What a player holds."""
        return self.state.funds(name)


def opened(layout: str = NZ, limits: c.TableLimits = LIMITS, **funds: int) -> Deal:
    """An open table with players who have bought in."""
    return Deal(layout, limits).open().seat(**funds)
