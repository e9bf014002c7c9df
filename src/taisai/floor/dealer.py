"""The automatic dealer: the next step of the book, and when it is due.

Enters: a table's durable state and the time. Leaves: a command to give now, or until when to wait. It is a pure planner
without clock, waiting or journal. It depends on the state alone, so it continues after any restart or hand-over; only
the house's secret of virtual dice is not in the state before the close, on purpose. A round with open bets whose secret
is lost is interrupted and void; one that has closed has its dice on record and is concluded, by whoever deals then. The
secret of a void round is published as soon as the round is over.
A command's id is derived from the table's state, so giving it twice is harmless. A step that the table would refuse
(a float too small to pay, say) waits until something changes.

It follows the procedure of the table's book. Serves `nz-division-9` §6.1-6.5; `rws-open-cover-v3` §3.1-3.5;
`rws-tai-sai-v6` §3.2-3.9, §5.4, §5.5; `rws-mini-dice-v3` §3.1-3.5; R14, R17, R20, R22, R25.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import count
from typing import Final, NamedTuple

from taisai.core.dice import ALL_COMBINATIONS, roll_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import Device, Rule, RuleBook, Tumble
from taisai.floor.dice import Commitment, DiceSource, Mischief, NothingToDeal, SourceTest, void_for
from taisai.settings.forms import Timing
from taisai.table import commands as c
from taisai.table.decide import can
from taisai.table.handlers.betting import breaches
from taisai.table.ledger import FLOAT
from taisai.table.people import Person, Role
from taisai.table.record.coverage import smallest_cover
from taisai.table.rules import TableRules
from taisai.table.state import (
    SEAL_ITEM,
    TEST_RUN_ITEM,
    PastRound,
    Round,
    RoundPhase,
    SetUpState,
    TablePhase,
    TableState,
)

DEALER: Final = Person("auto-dealer", Role.SYSTEM)
"""The house's own dealer. It acts in its own name, and for nobody else's."""
DEMONSTRATOR: Final = Person("demonstration", Role.SUPERVISOR)
"""Opens the tables of a demonstration that people deal."""
_MS: Final = 1_000


class Stage(StrEnum):
    """What a table waits for, as its display shows it."""

    NOT_OPEN = "not-open"
    SUSPENDED = "suspended"
    INTERRUPTED = "interrupted"
    EMPTY = "waiting-for-players"
    CREW = "waiting-for-the-crew"
    BETWEEN = "between-rounds"
    BETTING = "betting"
    CLOSING = "no-more-bets"
    TUMBLING = "tumbling"
    REVEAL = "dice-uncovered"
    ENTERING = "entering"
    LIT = "lit"
    PAYING = "paying"


_IN_ORDER: Final = (
    Stage.BETTING,
    Stage.CLOSING,
    Stage.TUMBLING,
    Stage.REVEAL,
    Stage.ENTERING,
    Stage.LIT,
    Stage.PAYING,
)
"""The stages of a round from the call for bets on; some books have fewer."""


class Countdown(NamedTuple):
    """What the table waits for, and until when in microseconds; None when people end it, not time."""

    what: Stage
    until: int | None


class Move(NamedTuple):
    """A command to give now; or, without one, when to ask again."""

    command: c.Command | None
    at: int | None
    """In microseconds, unless the table changes before; None when only a change of the table can help."""
    stage: Stage
    why: str = ""
    """The refusal, where the table would refuse the next step."""


class _Step(NamedTuple):
    """An action, and why, where that is needed."""

    do: c.Action
    reason: str = ""


class AutomaticDealer:
    """Deals one table by its book, alone: it takes the table over, and the crew may only stop it.

    `unattended`: an interruption is resolved by the book without waiting for people. `idle_when_empty`: after a round
    that was dealt to nobody the next waits until somebody is there. A wagering period under its minimum is a refusal.
    """

    def __init__(
        self,
        book: RuleBook,
        dice: DiceSource,
        timing: Timing | None = None,
        *,
        unattended: bool = False,
        idle_when_empty: bool = True,
        minimum_betting_ms: int = 0,
        purpose: c.Purpose,
    ) -> None:
        timing = timing or Timing()
        if timing.betting_ms < minimum_betting_ms:
            raise InputFault("timing.betting_ms", f"needs {minimum_betting_ms} or more, got {timing.betting_ms}")
        self._rules = TableRules(book)
        self._dice = dice
        self._timing = timing
        self._dealing = c.AssignDealing(c.DealtBy.HOUSE, minimum_betting_ms, purpose)
        self._unattended = unattended
        self._idle_when_empty = idle_when_empty
        self._tumbles_first = book.procedure.tumble is Tumble.BEFORE_BETS
        self._tumbles_min = book.procedure.tumbles_min
        self._minds_exposed = void_for(book.procedure, Mischief.EXPOSED) is not None

    # -------------------------------------------------------------- when

    def countdown(self, state: TableState, now: int) -> Countdown:
        """What a display shows: the stage, and when it ends."""
        stage, until = self._stage(state)
        return Countdown(stage, None if until is None else max(until, now))

    @property
    def round_ms(self) -> int:
        """How long a whole round lasts, with the pause before it."""
        return self._timing.round_ms

    def over_at(self, state: TableState, now: int) -> int | None:
        """When the round in play will be over, as far as time alone decides it; None when people end it."""
        stage, until = self.countdown(state, now)
        if until is None or stage not in _IN_ORDER:
            return until
        timing = self._timing
        lasting_ms = {
            Stage.CLOSING: timing.after_close_ms,
            Stage.TUMBLING: 0 if self._tumbles_first else timing.tumbling_ms,
            Stage.REVEAL: timing.reveal_ms,
            Stage.LIT: timing.lit_ms,
            Stage.PAYING: timing.paid_ms,
        }
        to_come = _IN_ORDER[_IN_ORDER.index(stage) + 1 :]
        return until + sum(lasting_ms.get(each, 0) for each in to_come) * _MS

    def _stage(self, state: TableState) -> Countdown:
        current = state.round
        if state.phase is not TablePhase.OPEN:
            return Countdown(Stage.NOT_OPEN, None)
        if current.interrupted:
            return Countdown(Stage.INTERRUPTED, current.stepped_at if self._unattended else None)
        if current.phase is RoundPhase.BETWEEN:
            return self._between(state)
        if current.phase is RoundPhase.CLOSED and current.fixed is None:
            return Countdown(Stage.CREW, None)
        if current.phase is RoundPhase.BETTING and current.closes_at:
            return Countdown(Stage.BETTING, current.closes_at)
        stage, lasts_ms = self._lasting(current)
        # Dice that are tumbled while bets are open (`rws-tai-sai-v6` §3.7) do not make the wagering period longer.
        began_at = current.opened_at if current.phase is RoundPhase.BETTING else current.stepped_at
        return Countdown(stage, began_at + lasts_ms * _MS)

    def _lasting(self, current: Round) -> tuple[Stage, int]:
        """The stage of a round in play, and how long it lasts from the step that began it."""
        timing = self._timing
        match current.phase:
            case RoundPhase.BETWEEN:
                return Stage.BETWEEN, timing.between_ms
            case RoundPhase.BETTING:
                return Stage.BETTING, timing.betting_ms
            case RoundPhase.CLOSED if current.tumbles and not self._tumbles_first:
                return Stage.TUMBLING, timing.tumbling_ms
            case RoundPhase.CLOSED:
                return Stage.CLOSING, timing.after_close_ms
            case RoundPhase.UNCOVERED:
                return Stage.REVEAL, timing.reveal_ms
            case RoundPhase.ANNOUNCED if self._rules.has_terminal:
                return Stage.ENTERING, 0
            case RoundPhase.ANNOUNCED | RoundPhase.ENTERED:
                return Stage.LIT, timing.lit_ms
            case RoundPhase.COLLECTED:
                return Stage.PAYING, timing.paid_ms

    def _between(self, state: TableState) -> Countdown:
        current, timing = state.round, self._timing
        if state.suspended:
            return Countdown(Stage.SUSPENDED, None)
        if not current.commitment:
            if self._idle_when_empty and _is_empty(state):
                return Countdown(Stage.EMPTY, None)
            return Countdown(Stage.BETWEEN, current.stepped_at + timing.between_ms * _MS)
        if self._tumbles_first and current.tumbles >= self._tumbles_min:
            return Countdown(Stage.TUMBLING, current.stepped_at + timing.tumbling_ms * _MS)
        return Countdown(Stage.BETWEEN, current.stepped_at)

    # -------------------------------------------------------------- what

    def next_move(self, state: TableState, now: int, *, ask: bool = True) -> Move:
        """The command that is due, or what to wait for.

        With `ask`, a command that the table would refuse is held back; otherwise its sender gets the refusal.
        """
        stage, until = self._stage(state)
        exposed_at = self._exposed_at(state)
        step = self._out_of_turn(state, now, exposed_at)
        if step is None:
            if until is None or now < until:
                return Move(None, until if exposed_at is None else exposed_at, stage)
            try:
                step = self._due(state)
            except NothingToDeal as error:
                return Move(None, None, stage, str(error))
        verb = type(step.do).__struct_config__.tag
        command = c.Command(
            id=f"{c.HOUSE_IDS}auto-{state.seq:012d}-{verb}",
            at=max(now, state.at),
            by=DEALER,
            do=step.do,
            reason=step.reason,
        )
        refused = can(self._rules, state, command) if ask else None
        return Move(command, None, stage) if refused is None else Move(None, None, stage, str(refused))

    def _opening(self, state: TableState, of: Round | PastRound) -> str | None:
        """The secret of a committed round; None where it is lost."""
        return self._dice.opening(state.table, of.number, Commitment(of.commitment, of.nonce))

    def _exposed_at(self, state: TableState) -> int | None:
        """When the cover lifts too early, half-way through the betting; None when it does not, or may in this book."""
        current = state.round
        if not self._minds_exposed or current.phase is not RoundPhase.BETTING:
            return None
        if self._dice.mischief(current.number) is not Mischief.EXPOSED:
            return None
        return current.opened_at + self._timing.betting_ms * _MS // 2

    def _out_of_turn(self, state: TableState, now: int, exposed_at: int | None) -> _Step | None:
        """A step that does not wait for its time: taking over, a lost secret, or a cover that lifts early."""
        current, dealing = state.round, self._dealing
        if state.phase is not TablePhase.NEW and not _is_dealt(state, dealing):
            return _Step(dealing)
        if state.phase is not TablePhase.OPEN or current.interrupted:
            return None
        if current.phase is RoundPhase.BETWEEN:
            return self._unopened(state)
        before_close = current.phase is RoundPhase.BETTING or (
            current.phase is RoundPhase.CLOSED and current.fixed is None
        )
        if before_close and current.commitment and self._opening(state, current) is None:
            return _Step(c.Interrupt("the secret of the virtual dice was lost in a restart"))
        if exposed_at is not None and now >= exposed_at:
            return self._void(Mischief.EXPOSED)
        return None

    def _void(self, mischief: Mischief) -> _Step | None:
        why = void_for(self._rules.book.procedure, mischief)
        return None if why is None else _Step(c.Report(why, "the device did not work as it must"))

    def _unopened(self, state: TableState) -> _Step | None:
        """Publish the secret of a round that was void before its close, where it is not lost."""
        past = state.history[-1] if state.history else None
        if past is None or not past.void or not past.commitment or past.opening:
            return None
        opening = self._opening(state, past)
        return None if opening is None else _Step(c.OpenDice(past.number, opening))

    def _due(self, state: TableState) -> _Step:
        """The step whose time has come."""
        current = state.round
        if current.interrupted:
            return self._resolution(state)
        match current.phase:
            case RoundPhase.BETWEEN:
                return self._beginning(state)
            case RoundPhase.BETTING:
                return self._closing(state)
            case RoundPhase.CLOSED:
                return self._dice_step(state)
            case RoundPhase.UNCOVERED:
                return _Step(c.Announce())
            case RoundPhase.ANNOUNCED if self._rules.has_terminal:
                return _Step(_entry(current.dice or (1, 1, 1), current.pressed))
            case RoundPhase.ENTERED if self._unattended and sorted(current.entered or ()) != sorted(current.dice or ()):
                return _Step(c.AmendEntry(current.dice or (1, 1, 1)), "the entry is not what the dice show")
            case RoundPhase.ANNOUNCED | RoundPhase.ENTERED:
                return _Step(c.Collect())
            case RoundPhase.COLLECTED:
                return _Step(c.PayAll())

    def _closing(self, state: TableState) -> _Step:
        """Reject what is over a limit, where the book says so, then call the close."""
        if self._rules.book.has(Rule.EXCESS_REJECTED):
            over = next((each.box for each in breaches(self._rules, state) if each.player is None), None)
            if over is not None:
                return _Step(c.RejectExcess(over))
        return _Step(c.CloseBets(self._opening(state, state.round) if state.round.commitment else None))

    def _beginning(self, state: TableState) -> _Step:
        """Commit, tumble where the book tumbles first, call for bets."""
        current = state.round
        if not current.commitment:
            return _Step(c.CommitDice(*self._dice.commit(state.table, current.number + 1)))
        if self._tumbles_first and current.tumbles < self._tumbles_min:
            return _Step(c.Tumble(self._dice.tumble(current.number + 1)))
        # A round whose secret is lost begins all the same, so that its interruption and void are on record.
        return _Step(c.OpenBets(self._timing.betting_ms))

    def _dice_step(self, state: TableState) -> _Step:
        """After the close: tumble where that comes now, then uncover; or void, where the device misbehaved."""
        current = state.round
        mischief = self._dice.mischief(current.number)
        if current.tumbles < self._tumbles_min:
            # A cage that was turned too few times is not simply turned again: the book voids the round.
            is_cage = self._rules.book.procedure.device is Device.CAGE
            spoilt = self._void(Mischief.TOO_FEW) if current.tumbles and is_cage else None
            return spoilt or _Step(c.Tumble(self._dice.tumble(current.number)))
        spoilt = self._void(Mischief.NOT_FLAT) if mischief is Mischief.NOT_FLAT else None
        return spoilt or _Step(c.Uncover(current.fixed or (1, 1, 1)))

    def _resolution(self, state: TableState) -> _Step:
        """How an unattended table resolves an interruption: concluded with the dice on record, void without."""
        dice = state.round.dice or state.round.fixed
        if dice is None:
            return _Step(c.ResolveInterruption(()), "unattended table: no dice were on record")
        return _Step(c.ResolveInterruption(dice), "unattended table: the dice were on record")


def _is_empty(state: TableState) -> bool:
    """Whether nobody is at the table, and the last round had no bets."""
    somebody = any(seat.present for seat in state.players.values())
    return not somebody and bool(state.history) and not state.history[-1].lines


def _entry(dice: c.Dice, pressed: tuple[int, ...]) -> c.Action:
    """The next button to press: the terminal takes the last three numbers, whatever was pressed before."""
    right = max(length for length in range(4) if pressed[len(pressed) - length :] == dice[:length])
    return c.Enter() if right == 3 else c.Press(dice[right])


# ------------------------------------------------------------------ opening a table


def _is_dealt(state: TableState, dealing: c.AssignDealing) -> bool:
    return c.AssignDealing(state.dealt_by, state.betting_min_ms, state.purpose or c.Purpose.GAMING) == dealing


def back_to_people(state: TableState, at: int, purpose: c.Purpose) -> c.Command | None:
    """The command that gives people a table which the house dealt before, or says what it is for; None where it is so.

    A table of which nobody has said anything is for gaming.
    """
    if state.dealt_by is c.DealtBy.PEOPLE and (state.purpose or c.Purpose.GAMING) is purpose:
        return None
    do = c.AssignDealing(c.DealtBy.PEOPLE, purpose=purpose)
    return c.Command(id=f"{c.HOUSE_IDS}people-{state.seq:012d}", at=max(at, state.at), by=DEALER, do=do)


def opening_moves(
    state: TableState,
    book: RuleBook,
    set_up: c.SetUp,
    float_count: c.Count,
    at: int,
    *,
    opening: bool = True,
    dice_set: str = "dice-1",
    seal: str = "seal-1",
    by: Person = DEMONSTRATOR,
) -> list[c.Command]:
    """The remaining commands until a table that people deal is open for a demonstration; none when it is open.

    Without `opening`, the set-up alone, by the house. The ids are derived from the table's state.
    """
    if state.phase is TablePhase.OPEN:
        return []
    actions = _set_up_moves(state, set_up)
    if opening:
        if not state.balance(FLOAT):
            actions.append(c.CountFloat(float_count))
        actions += _dice_moves(state, dice_set, seal)
        actions += _check_moves(state, book, set_up, actions)
        actions.append(c.OpenTable())
    return _opening_commands(state, actions, at, by if opening else DEALER)


def house_opening_moves(
    state: TableState,
    book: RuleBook,
    set_up: c.SetUp,
    float_count: c.Count,
    at: int,
    *,
    dealing: c.AssignDealing,
    tested: SourceTest,
) -> list[c.Command]:
    """The remaining commands until the house's own dealer has opened its table; none when it is open.

    It records in its own name what it did test, its source of dice and every light, and nothing else.
    """
    if state.phase is TablePhase.OPEN:
        return []
    actions = _set_up_moves(state, set_up)
    if not _is_dealt(state, dealing):
        actions.append(dealing)
    if not state.balance(FLOAT):
        actions.append(c.CountFloat(float_count))
    layout = book.layouts[set_up.layout]
    lit = {box for roll in ALL_COMBINATIONS for box in layout.lit(roll)}
    actions.append(c.TestSource(*tested, dark=tuple(box for box in layout.boxes if box not in lit)))
    actions.append(c.OpenTable())
    return _opening_commands(state, actions, at, DEALER)


def _set_up_moves(state: TableState, set_up: c.SetUp) -> list[c.Action]:
    wanted = SetUpState(*(getattr(set_up, field) for field in SetUpState.__struct_fields__))
    return [set_up] if state.set_up != wanted else []


def _opening_commands(state: TableState, actions: list[c.Action], at: int, by: Person) -> list[c.Command]:
    return [
        c.Command(id=f"{c.HOUSE_IDS}opening-{state.seq + place:012d}", at=max(at, state.at), by=by, do=do)
        for place, do in enumerate(actions)
    ]


def _dice_moves(state: TableState, dice_set: str, seal: str) -> list[c.Action]:
    """Have a sound set of dice sealed in and inspected; a damaged one is replaced."""
    if state.dice_in is not None and state.dice_sets[state.dice_in].sound:
        return [c.InspectDice(sound=True)]
    moves: list[c.Action] = [] if state.dice_in is None else [c.RetireDice(state.dice_in, "damaged")]
    waiting = [
        name for name, dice in state.dice_sets.items() if dice.sound and dice.retired_at is None and not dice.seal
    ]
    if waiting:
        name = waiting[0]
    else:
        # The name of a set is never reused: the next set gets the next number.
        names = (dice_set if number == 1 else f"{dice_set}-{number}" for number in count(1))
        name = next(name for name in names if name not in state.dice_sets)
        moves.append(c.ReceiveDice(name))
    return [*moves, c.SealDice(name, seal), c.InspectDice(sound=True)]


def _check_moves(state: TableState, book: RuleBook, set_up: c.SetUp, before: list[c.Action]) -> list[c.Action]:
    """The items of the opening check that are not passed, or that an earlier move will invalidate."""
    anew = any(isinstance(move, c.SetUp) for move in before)
    passed = {item for item, check in state.checks.items() if check.passed and not anew}
    if any(isinstance(move, c.SealDice) for move in before):
        passed.discard(SEAL_ITEM)
    items = [item.item for item in book.procedure.opening]
    moves: list[c.Action] = []
    if TEST_RUN_ITEM in items and TEST_RUN_ITEM not in passed:
        layout = book.layouts[set_up.layout]
        proven = [] if anew else [roll_of(tuple(map(int, run.split(",")))) for run, lit in state.tested.items() if lit]
        by_kind = set_up.coverage is c.Coverage.KINDS
        rolls = smallest_cover(layout, proven, by_kind=by_kind)
        moves += [c.TestRun((dice[0], dice[1], dice[2]), lit_correctly=True) for dice in (roll.faces for roll in rolls)]
    return [*moves, *(c.CheckItem(item, passed=True) for item in items if item not in passed)]
