"""Breadth-first search over the real `decide` and `evolve`.

Enters: a book and the size of a small table: two players, three boxes, few amounts, a few rolls, every command of every
role. Leaves: how many states and steps there are, and every step that breaks a property, with the shortest path to it.
States that differ in nothing the rules look at (ids, times, the amounts in hand, words) are one state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from taisai.core.rulebook import Fact, RuleBook
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.actions import ACTIONS, roles_for
from taisai.table.decide import decide, may_begin
from taisai.table.evolve import evolve
from taisai.table.ledger import LedgerBroken
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import RoundPhase, TableState
from tests.table.driver import Deal

ANN, BOB = Person("ann", Role.PLAYER), Person("bob", Role.PLAYER)
DEALER, SUPERVISOR = Person("dan", Role.DEALER), Person("lee", Role.SUPERVISOR)
PIT_MANAGER, SHIFT_MANAGER = Person("pat", Role.PIT_MANAGER), Person("kim", Role.SHIFT_MANAGER)
SYSTEM = Person("sys", Role.SYSTEM)
PEOPLE: Final = (ANN, BOB, DEALER, SUPERVISOR, SHIFT_MANAGER, SYSTEM)
LIMITS: Final = c.TableLimits(5, c.BoxLimit(10, 30))

LEFT_OUT: Final = frozenset({
    "SetUp", "AssignDealing", "TestSource", "CountFloat", "TestRun", "CheckItem", "OpenTable", "CloseTable",
    "SetLimits", "CommitDice", "OpenDice", "SetClock", "ReceiveDice",
    "BuyIn", "BringChips", "CashOut", "TakeColour", "TurnInColour", "Fill", "Credit", "SettleDebt",
    "OpenDispute", "ResolveDispute", "NoteError",
})  # fmt: skip
"""What is done to a closed table, in the cage, to chips in hand, with software dice, or on paper: no part of a round.
`test_what_is_left_out_is_left_out_on_purpose` names some of them."""


class Size(NamedTuple):
    """How large the table is that is explored."""

    rolls: tuple[c.Dice, ...] = ((1, 2, 4), (4, 5, 6), (1, 1, 1))
    stacks: int = 2
    """Bets on the felt at a time."""
    states_max: int | None = None
    """Stop after so many; None goes on until no new state appears."""
    without: frozenset[str] = frozenset()
    """Actions that nobody tries, beside those that are no part of a round."""
    facts: frozenset[Fact] = frozenset(Fact)
    """What can happen."""


BOXES: Final = {"rws-mini-dice-v3": ("single:1", "single:6", "field")}
"""Three boxes that matter; by default Small, Big and a single."""


MONEY: Final = "money is conserved"
"""The ledger itself refuses postings that do not balance, and a box or a hand with less than nothing."""


class Step(NamedTuple):
    """A command that was accepted, and what it led to."""

    before: TableState
    command: c.Command
    events: tuple[e.Event, ...]
    after: TableState


class Property(NamedTuple):
    """What must hold of every step, by which clauses."""

    name: str
    clauses: tuple[str, ...]
    broken_by: Callable[[TableRules, Step], bool]


class Broken(NamedTuple):
    """A property that a path breaks, and the commands of the path."""

    name: str
    clauses: tuple[str, ...]
    path: tuple[c.Command, ...]

    def __str__(self) -> str:
        steps = " · ".join(f"{each.by.id}: {each.do}" for each in self.path)
        return f"{self.name} ({', '.join(self.clauses)}): {steps}"


@dataclass
class Explored:
    """What an exploration found."""

    states: int = 0
    steps: int = 0
    refusals: int = 0
    whole: bool = True
    """Whether no new state was left to look at."""
    broken: dict[str, Broken] = field(default_factory=dict)
    """The first path that breaks each property."""
    done: set[str] = field(default_factory=set)
    """The actions that some path does."""
    seen: set[str] = field(default_factory=set)
    """The events that some path has."""


Decide = Callable[[TableRules, TableState, c.Command], "list[e.Event] | Refusal"]


def explore(
    book: RuleBook,
    layout: str,
    properties: Sequence[Property],
    size: Size,
    *,
    decided: Decide = decide,
    until: str = "",
    told: Callable[[int, int], object] = lambda _states, _waiting: None,
) -> Explored:
    """Every state that can be reached from an open table with two players and a round behind it.

    `until` names a property: the search ends with the first path that breaks it. `told` hears now and then how many
    states there are and how many of them wait.
    """
    rules, start = _start(layout)
    found = Explored()
    boxes = BOXES.get(book.id, ("small", "big", "single:1"))
    menu = Menu(boxes, size, start.at, trusts_gate=decided is decide)
    numbers: dict[bytes, int] = {key_of(start): 0}
    come_from: list[tuple[int, c.Command | None]] = [(0, None)]
    led_to: list[list[int]] = [[]]
    ends: set[int] = set()
    waiting: deque[tuple[int, TableState]] = deque([(0, start)])
    while waiting and until not in found.broken:
        number, state = waiting.popleft()
        if number % 5_000 == 0:
            told(len(numbers), len(waiting))
        if state.round.number > 1 and state.round.phase is RoundPhase.BETWEEN:
            ends.add(number)
        for command in menu.commands(rules, state):
            events = decided(rules, state, command)
            if isinstance(events, Refusal):
                found.refusals += 1
                continue
            try:
                after = reduce(evolve, events, state)
            except LedgerBroken:
                found.broken.setdefault(MONEY, Broken(MONEY, ("3.9", "6.5"), (*_path(come_from, number), command)))
                continue
            step = Step(state, command, tuple(events), after)
            found.steps += 1
            found.done.add(type(command.do).__name__)
            found.seen.update(type(event.what).__name__ for event in events)
            for each in properties:
                if each.name not in found.broken and each.broken_by(rules, step):
                    path = (*_path(come_from, number), command)
                    found.broken[each.name] = Broken(each.name, each.clauses, path)
            key = key_of(after)
            target = numbers.get(key)
            if target is None:
                if size.states_max is not None and len(numbers) >= size.states_max:
                    found.whole = False
                    continue
                target = numbers[key] = len(come_from)
                come_from.append((number, command))
                led_to.append([])
                if after.round.number < 3:
                    waiting.append((target, after))
            led_to[number].append(target)
    found.states = len(numbers)
    if found.whole:
        stuck = _dead_ends(led_to, ends)
        if stuck:
            path = tuple(_path(come_from, min(stuck)))
            found.broken["no dead end"] = Broken("no dead end", ("1.7",), path)
    return found


def _dead_ends(led_to: list[list[int]], ends: set[int]) -> set[int]:
    """The states from which no path leads to the end of a round."""
    leads_here: list[list[int]] = [[] for _ in led_to]
    for source, targets in enumerate(led_to):
        for target in targets:
            leads_here[target].append(source)
    good, waiting = set(ends), deque(ends)
    while waiting:
        for source in leads_here[waiting.popleft()]:
            if source not in good:
                good.add(source)
                waiting.append(source)
    # A state of the round after next is not expanded: it is an end by itself.
    return {number for number, targets in enumerate(led_to) if number not in good and targets}


def _path(come_from: list[tuple[int, c.Command | None]], number: int) -> list[c.Command]:
    path: list[c.Command] = []
    while True:
        number, command = come_from[number]
        if command is None:
            return path[::-1]
        path.append(command)


def _start(layout: str) -> tuple[TableRules, TableState]:
    """An open table, two players with chips, and a round that is over."""
    deal = Deal(layout, LIMITS).open().seat(ann=1_000, bob=1_000)
    deal.do(c.ReceiveDice("spare"), SUPERVISOR)
    deal.begin().finish(1, 2, 4)
    return deal.rules, deal.state


# ------------------------------------------------------------------ what can be tried


class Menu:
    """Every command of every role that is worth trying in a state."""

    def __init__(self, boxes: tuple[str, ...], size: Size, at: int, *, trusts_gate: bool) -> None:
        self._size = size
        self._trusts_gate = trusts_gate
        """Whether what may not begin is not tried: `tests/table/test_decide.py` holds that it is refused."""
        self._values: dict[str, tuple[Any, ...]] = {
            "player": ("ann", "bob"),
            "box": boxes,
            "lies_on": boxes[:2],
            "belongs_on": boxes[:2],
            "amount": (5, 10, 40),
            "times": (2, 3),
            "dice": size.rolls,
            "number": (1, 6),
            "readable": ((), (1,)),
            "round": (1, 2),
            "rounds": ((1,), (2,), (1, 2)),
            "dice_set": ("d1", "spare"),
            "colour": (None,),
            "betting_ms": (None,),
            "opening": (None,),
            "contribution": (None,),
        }
        self._tries: dict[type, tuple[c.Command, ...]] = {
            action: tuple(self._commands(action, at))
            for action in ACTIONS
            if action.__name__ not in LEFT_OUT | size.without
        }

    def _commands(self, action: type[Struct], at: int) -> Iterator[c.Command]:
        """Every way in which it can be asked for, by everybody who may ask at any table."""
        declared = ACTIONS[action]
        asking = _alike([person for person in PEOPLE if person.role in declared.roles | (declared.house or set())])
        if action is c.Attest:  # whoever recorded the fact is the dealer or the supervisor: the other one attests it
            asking = [SUPERVISOR, DEALER]
        for do in self._instances(action):
            for by in asking:
                yield c.Command(id="x", at=at, by=by, do=do, reason="x" if action is c.Attest else "")
                if declared.reason or declared.second:
                    yield c.Command(id="x", at=at, by=by, do=do, authorised_by=PIT_MANAGER, reason="x")

    def _instances(self, action: type[Struct]) -> Iterator[c.Action]:
        fields = msgspec.structs.fields(action)
        for values in product(*(self._values_of(each) for each in fields)):
            made = action(**dict(zip((each.name for each in fields), values, strict=True)))
            if (
                isinstance(made, c.Report)
                and made.dice_set
                and (made.fact, made.announced) != (Fact.DAMAGED_DICE, True)
            ):
                continue  # only dice that are damaged have a name
            yield made  # type: ignore[misc]  # every key of ACTIONS is an action

    def _values_of(self, each: msgspec.structs.FieldInfo) -> tuple[Any, ...]:
        if each.name in self._values:
            return self._values[each.name] if each.required or each.name != "dice_set" else (None, "d1")
        return tuple(_values(inspect.type_info(each.type), each))

    def commands(self, rules: TableRules, state: TableState) -> Iterator[c.Command]:
        """What everybody may try here, with a second person and a reason, and without."""
        for action, tries in self._tries.items():
            roles = roles_for(action, state)
            begins: dict[Person, bool] = {}
            for command in tries:
                by = command.by
                if by.role not in roles:
                    continue
                if by not in begins:
                    begins[by] = not self._trusts_gate or may_begin(rules, state, by, action) is None
                if begins[by] and not self._is_idle(state, command.do):
                    yield command

    def _is_idle(self, state: TableState, do: c.Action) -> bool:
        """Whether trying it adds nothing but size: another bet on a full felt, a number nobody presses."""
        match do:
            case c.PlaceBet():
                mine = state.round.stakes.get(do.player, {})
                full = len(state.round.stacks) >= self._size.stacks or do.box in mine
                # Chips found on the felt are under the minimum or over the maximum; others are right.
                if do.how is c.How.FELT:
                    return full or do.amount == 10 or do.player == "ann"
                return full or do.amount != 10 or do.player == "bob"
            case c.CorrectBet():
                return do.amount != 10
            case c.InspectDice():
                # There is one spare set: a table whose last dice are damaged waits for the house, not for a rule.
                return not do.sound and state.dice_in == "spare"
            case c.Report():
                if len(state.held) >= HELD_MAX or do.fact not in self._size.facts:
                    return True
                # A set is named when it has been taken out: the one in the tumbler needs no name.
                return do.fact is Fact.DAMAGED_DICE and state.dice_in == (do.dice_set or "spare")
            case c.RetireDice():
                return do.dice_set == "spare"
            case c.Press():
                dice, pressed = state.round.dice, state.round.pressed
                if dice is None or len(pressed) >= 3:
                    return True
                return do.number != dice[len(pressed)] and not (do.number == 6 and not pressed)
            case c.WalkAway() | c.LeaveTable() | c.SitDown():
                return do.player != "bob"
            case _:
                return False


def _alike(people: list[Person]) -> list[Person]:
    """Of those whose hand makes no difference to what happens, one: each player, one of the crew, the system."""
    crew = [person for person in people if person.role not in (Role.PLAYER, Role.SYSTEM)]
    return [person for person in people if person.role in (Role.PLAYER, Role.SYSTEM)] + crew[:1]


def _values(info: inspect.Type, each: msgspec.structs.FieldInfo) -> Iterator[Any]:
    """The values of a field that nobody has chosen some for: all of a closed set, one of any other."""
    match info:
        case inspect.Metadata(type=inner):
            yield from _values(inner, each)
        case inspect.EnumType(cls=cls):
            yield from cls
        case inspect.BoolType():
            yield from (True, False)
        case inspect.LiteralType(values=values):
            yield from values
        case inspect.IntType():
            yield 1
        case inspect.StrType():
            yield "x"
        case inspect.VarTupleType(item_type=inspect.StrType()) if each.required:
            yield ("5.1",)
        case inspect.UnionType(types=types) if any(isinstance(one, inspect.NoneType) for one in types):
            yield None
            for one in types:
                if isinstance(one, inspect.EnumType):
                    yield from one.cls
        case _ if not each.required:
            yield each.default if each.default is not msgspec.NODEFAULT else each.default_factory()
        case _:
            raise LookupError(f"the explorer has no values for {each.name}: {info}")


# ------------------------------------------------------------------ when two states are one

_LEFT_OUT: Final = ("seq", "ledger", "history", "meters", "shift", "set_up", "checks", "test_runs", "disputes")
_LOOKED_AT: Final = tuple(name for name in TableState.__struct_fields__ if name not in _LEFT_OUT)
HELD_MAX: Final = 2
"""Facts that wait for a second person at a time; a third is not tried, it would only add size."""
TUMBLES: Final = 3
CORRECTS_MOVED: Final = "nz-division-9"
"""The book under which a bet goes back to where it lay."""
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


def key_of(state: TableState) -> bytes:
    """What the rules look at: where the round is, the chips on the felt, the dice, who is there, what is on record.

    Time stands still while a table is explored, so times are equal; amounts in hand matter to nobody who has enough.
    """
    past = [(each.number, each.void, each.reversed, each.dice) for each in state.history[-2:]]
    owed = sorted(
        account for account, amount in state.ledger.items() if amount and account.startswith(("debt:", "owed:"))
    )
    if state.set_up is not None and state.set_up.book != CORRECTS_MOVED:  # nothing looks at where chips lay before
        state = replace(state, round=replace(state.round, left=()))
    current = state.round
    current = replace(
        current,
        tumbles=min(current.tumbles, TUMBLES),  # enough is enough: nothing looks at how many more there were
        facts=tuple(sorted(current.facts)),  # nothing looks at the order in which they were recorded
        lights_fault="x" if current.lights_fault else "",
        interrupted="x" if current.interrupted else "",
    )
    state = replace(
        state,
        round=current,
        faults=tuple(sorted(state.faults)),
        held=tuple(sorted(state.held, key=lambda each: (each.fact, each.dice_set))),
        suspended="x" if state.suspended else "",
        procedure="x" if state.procedure else "",
    )
    return _encode((past, owed, *(getattr(state, name) for name in _LOOKED_AT)))
