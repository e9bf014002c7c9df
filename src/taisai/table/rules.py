"""The rules a table decides by: its book, its layout, its limits.

Enters: a rule book and the table's set-up. Leaves: layout and limits as the core knows them, worked out once for each
set-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from taisai.core.boxes import BoxName, as_printed
from taisai.core.faults import InputFault
from taisai.core.limits import OPPOSITE_OF, BoxLimits, Limits, make_limits
from taisai.core.money import Odds
from taisai.core.odds import box_odds
from taisai.core.rulebook import Fact, Layout, Rule, RuleBook, Step
from taisai.table.commands import Action, Command, SetUp, TableLimits
from taisai.table.refusals import Code, Refusal, Values
from taisai.table.state import SetUpState, TableState

Books = Callable[[str], RuleBook]
"""A rule book by its id; `InputFault` when there is none."""
Admits = Callable[[RuleBook, int], str]
"""Why the house does not take a book at a time, in a sentence; empty when it does."""


def limits_of(limits: TableLimits, layout: Layout | None = None) -> Limits:
    """A table's limits as the core checks them; `InputFault` when they do not hold, or not for this layout."""
    raw = msgspec.to_builtins(limits)
    raw["default"]["per"] = limits.default.per
    for name, limit in limits.kinds.items():
        raw["kinds"][name]["per"] = limit.per  # each line of a sign says whom its maximum limits
    if layout is not None and layout.rounding is None and raw["unit"] % layout.unit:
        reason = f"some odds of {layout.name} would not win whole amounts with {raw['unit']}; {layout.unit} would do"
        raise InputFault("unit", reason)
    return make_limits(
        unit=raw["unit"], default=raw["default"], kinds=raw["kinds"], differential=raw["differential"], layout=layout
    )


def set_up_of(state: TableState) -> SetUpState:
    """The set-up of a table; no command but `set-up` reaches a table without one."""
    if state.set_up is None:
        raise LookupError(f"table {state.table} is not set up")
    return state.set_up


_IS_ABOUT: Final = {
    Fact.NOT_FLAT: Rule.DICE_FLAT,
    Fact.DICE_STACKED: Rule.DICE_FLAT,
    Fact.EXPOSED: Rule.UPPERMOST_FACES,
    Fact.TOO_FEW_TUMBLES: Rule.TUMBLE_COUNT,
    Fact.NOT_ACTIVATED: Rule.TUMBLE_COUNT,
    Fact.ACTIVATED_BEFORE_CLOSE: Rule.TUMBLE_COUNT,
    Fact.TUMBLED_OUT_OF_TURN: Rule.TUMBLE_COUNT,
    Fact.TUMBLER_FAULT: Rule.TUMBLE_COUNT,
    Fact.DAMAGED_DICE: Rule.DICE_SET,
    Fact.LIGHTS_FAULT: Rule.WINNING_LIGHTS,
    Fact.TERMINAL_DEAD: Rule.ENTRY_TERMINAL,
    Fact.INTERRUPTED: Rule.INTERRUPTION_VOID,
    Fact.BET_FOUND: Rule.NO_CHANGE_AFTER_CLOSE,
    Fact.BET_MOVED: Rule.SETTLED_BY_POSITION,
}
"""What each fact is about, where a book does not say what follows from it."""


class TableRules:
    """A rule book at one table. What is worked out for a set-up is kept while the set-up stays the same object."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.has_terminal = any(step.step is Step.ENTER for step in book.procedure.steps)
        self.has_lights = any(step.step is Step.LIGHT for step in book.procedure.steps)
        self._set_up: SetUpState | None = None
        self._layout: Layout | None = None
        self._limits: Limits | None = None
        self.box_limits: dict[str, BoxLimits] = {}
        """Limits by box, for the set-up last asked for."""
        self.paired: frozenset[str] = frozenset()
        """Boxes that a differential limits."""
        self._returned_216: dict[tuple[str, str, BoxName], Odds] = {}

    def at(self, state: TableState) -> tuple[Layout, Limits]:
        """The layout and limits of a table that is set up; once odds are drawn, the layout as it then pays."""
        set_up = set_up_of(state)
        if set_up is not self._set_up or self._layout is None or self._limits is None:
            self._layout = self.book.layouts[set_up.layout]
            self._limits = limits_of(set_up.limits)
            self.box_limits = {box: self._limits.of(box) for box in self._layout.boxes}
            with_differential = self._limits.differential if self.book.has(Rule.DIFFERENTIAL) else {}
            self.paired = frozenset(box for box, (pair, _) in OPPOSITE_OF.items() if pair in with_differential)
            self._set_up = set_up
        return self._layout.drawn.get(state.round.draw, self._layout), self._limits

    def returned_216(self, layout: Layout, box: BoxName) -> Odds:
        """What a box returns of a stake of one over all 216 rolls together; worked out once."""
        key = (layout.name, layout.draw, box)
        found = self._returned_216.get(key)
        if found is None:
            exact = box_odds(layout, box).returned * 216
            # Whole odds give a whole number, which is quicker to sum.
            found = self._returned_216[key] = exact.numerator if exact.denominator == 1 else exact
        return found

    def clauses(self, *rules: Rule) -> tuple[str, ...]:
        """The clauses behind rules, each once."""
        return tuple(dict.fromkeys(clause for rule in rules for clause in self.book.clauses_for(rule)))

    def step_clauses(self, step: Step) -> tuple[str, ...]:
        """The clauses of a step of the round."""
        return next((each.clauses for each in self.book.procedure.steps if each.step is step), ())

    def clauses_of_fact(self, fact: Fact) -> tuple[str, ...]:
        """The clauses by which something follows from a fact; of one that the book does not name, those it is about."""
        rule = self.book.procedure.facts.get(fact)
        return self.clauses(_IS_ABOUT[fact]) if rule is None else rule.clauses

    def refuse(self, code: Code, sentence: str, *rules: Rule, allowed: str = "", values: Values = ()) -> Refusal:
        """A refusal that cites the book's clauses for these rules."""
        return Refusal(code, sentence, self.clauses(*rules), allowed, values=values)


class RulesCache:
    """The rules of one table, worked out once for each book that it stands under.

    `admits` says why the house does not take a book at a time, or nothing: not approved, not in force yet.
    """

    def __init__(self, books: Books, admits: Admits | None = None) -> None:
        self._books = books
        self._admits = admits
        self._rules: TableRules | None = None

    def of(self, state: TableState) -> TableRules | None:
        """The rules that a table stands under, once it is set up."""
        set_up = state.set_up
        if set_up is not None and (self._rules is None or self._rules.book.id != set_up.book):
            self._rules = TableRules(self._books(set_up.book))
        return self._rules

    def for_command(self, state: TableState, command: Command) -> TableRules | Refusal:
        """The rules to decide a command by: a set-up names its own book."""
        if isinstance(command.do, SetUp):
            try:
                book = self._books(command.do.book)
            except InputFault as fault:
                return Refusal(Code.WRONG_BOOK, f"{fault}.")
            why = "" if self._admits is None else self._admits(book, command.at)
            return Refusal(Code.WRONG_BOOK, f"{why}.") if why else TableRules(book)
        try:
            found = self.of(state)
        except InputFault as fault:
            return Refusal(Code.WRONG_BOOK, f"{fault}.")
        return found or Refusal(Code.NOT_SET_UP, "The table is not set up.", allowed="set-up")


BOX_FIELDS: Final = frozenset({"box", "lies_on", "belongs_on"})
"""The fields of an action in which people name a box."""


def unknown_box(layout: Layout, box: str, field: str = "box") -> Refusal:
    """The refusal of a box that is not on the layout, by the clause of that layout."""
    return Refusal(Code.UNKNOWN, f"Layout {layout.name} has no box {box}.", layout.clauses, field=field)


def by_its_name(rules: TableRules, state: TableState, do: Action, field: str) -> Action | None:
    """The same action with the box by its name, where it was named as the felt prints it: `four:6543`."""
    layout, _ = rules.at(state)
    found = as_printed(layout.boxes, getattr(do, field))
    return None if found is None else replace(do, **{field: found})


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence."""
    return ", ".join(names) or "none"
