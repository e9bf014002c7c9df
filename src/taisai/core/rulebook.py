"""A rule book as a value: clauses, layouts with their pay rows, the procedure of a round.

Enters: rows that `books` has read. Leaves: a `RuleBook` whose layouts are proven over all 216 rolls: where a box wins,
exactly one row pays it. Where two rows apply, or none, that is a fault of a named row. Serves the pay tables and
procedures of all four books.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from taisai.core.boxes import Box, BoxName, Kind, wins
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll


class Rule(StrEnum):
    """A rule that the software applies. A book names the clauses behind each rule that it has."""

    # of the equipment
    DROP_BOX = "drop-box"
    LAYOUT_MARKED = "layout-marked"
    ENTRY_TERMINAL = "entry-terminal"
    WINNING_LIGHTS = "winning-lights"
    COLOUR_CHIPS = "colour-chips"
    CHANGE_BLOCK = "change-block"
    DICE_SET = "dice-set"
    BELL = "bell"
    # shown to people
    GENERAL_RULES_APPLY = "general-rules-apply"
    OBJECT_OF_THE_GAME = "object-of-the-game"
    LIMITS_SHOWN = "limits-shown"
    BET_NAMES_SHOWN = "bet-names-shown"
    DISPLAY_IS_INFORMATION = "display-is-information"
    # of bets
    BETS_OPEN = "bets-open"
    BETS_CLOSE = "bets-close"
    BETS_BY_CHIPS = "bets-by-chips"
    LINE_TOUCHING_BETS = "line-touching-bets"
    NO_BET_BEFORE_PAID = "no-bet-before-paid"
    CALL_BET_NEEDS_CHIPS = "call-bet-needs-chips"
    PLAYER_ANSWERS = "player-answers"
    STAFF_BETS = "staff-bets"
    NO_CHANGE_AFTER_CLOSE = "no-change-after-close"
    NO_TOUCHING_LOSERS = "no-touching-losers"
    SETTLED_BY_POSITION = "settled-by-position"
    MOVED_WAGER_CORRECTED = "moved-wager-corrected"
    WALK_AWAY_SETTLED = "walk-away-settled"
    # of limits
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DIFFERENTIAL = "differential"
    PLAYERS_KEEP_LIMITS = "players-keep-limits"
    HEADROOM_OPEN_TO_ALL = "room-open-to-all"
    EXCESS_REJECTED = "excess-rejected"
    PRO_RATA = "pro-rata"
    UNDER_MINIMUM_EXEMPT = "under-minimum-exempt"
    UNDER_MINIMUM_ADVISED = "under-minimum-advised"
    UNDER_MINIMUM_STANDS = "under-minimum-stands"
    # of the dice
    UPPERMOST_FACES = "uppermost-faces"
    DICE_FLAT = "dice-flat"
    TUMBLE_COUNT = "tumble-count"
    # of the round
    OPENING_CHECK = "opening-check"
    ROLES = "roles"
    COLLECT_THEN_PAY = "collect-then-pay"
    PAY_TABLE = "pay-table"
    TRIPLE_WINS = "triple-wins"
    # of irregularities
    VOID_RETURNS_BETS = "void-returns-bets"
    VOID_LEAVES_EARLIER_ROUNDS = "void-leaves-earlier-rounds"
    ENTRY_AMENDED = "entry-amended"
    DICE_DECIDE_OVER_LIGHTS = "dice-decide-over-lights"
    SUSPENDED_AFTER_MALFUNCTION = "suspended-after-malfunction"
    INTERRUPTION_CONCLUDED = "interruption-concluded"
    INTERRUPTION_VOID = "interruption-void"
    DAMAGED_DICE_VOID = "damaged-dice-void"
    LATER_ROUND_UNTOUCHED = "later-round-untouched"
    SHIFT_MANAGER_DECIDES = "shift-manager-decides"


class VoidReason(StrEnum):
    """Why a round can be void. A book allows some of these."""

    NOT_FLAT = "not-flat"
    TUMBLER_FAULT = "tumbler-fault"
    EXPOSED = "exposed"
    NOT_ACTIVATED = "not-activated"
    DAMAGED_DICE = "damaged-dice"
    TOO_FEW_TUMBLES = "too-few-tumbles"
    ACTIVATED_BEFORE_CLOSE = "activated-before-close"
    DICE_STACKED = "dice-stacked"
    INTERRUPTED = "interrupted"


class VoidScope(StrEnum):
    """How far a void reaches."""

    ROUND = "round"
    AFFECTED_ROUNDS = "affected-rounds"


class Step(StrEnum):
    """A step of a round, in the words of the dealer's procedure."""

    TUMBLE = "tumble"
    OPEN_BETS = "open-bets"
    CLOSE_BETS = "close-bets"
    UNCOVER = "uncover"
    ANNOUNCE = "announce"
    ENTER = "enter"
    LIGHT = "light"
    COLLECT = "collect"
    PAY = "pay"


class Tumble(StrEnum):
    """When the dice are tumbled."""

    BEFORE_BETS = "before-bets"
    AFTER_CLOSE = "after-close"
    EITHER = "either"


class Device(StrEnum):
    """What tumbles the dice."""

    TUMBLER = "tumbler"
    CAGE = "cage"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a book in our own words."""

    id: str
    summary: str
    effective: date | datetime | None


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A question that the book leaves open or answers in two ways, and how we read it."""

    id: str
    clauses: tuple[str, ...]
    question: str
    reading: str
    house_choice: bool


@dataclass(frozen=True, slots=True)
class PayRow:
    """One row of a pay table: what its boxes pay, to 1, by which clause."""

    bet: str
    boxes: tuple[Box, ...]
    pays: int
    clauses: tuple[str, ...]
    dice: int | None = None
    totals: frozenset[int] | None = None
    triple_clauses: tuple[str, ...] = ()

    def applies(self, box: Box, roll: Roll) -> bool:
        """Whether this row pays one of its boxes on a roll."""
        return (
            wins(box, roll)
            and (self.dice is None or roll.count(box.faces[0]) == self.dice)
            and (self.totals is None or roll.total in self.totals)
        )


@dataclass(frozen=True, slots=True)
class FeltBlock:
    """A rectangle of the felt, cut into columns; boxes fill it left to right, top to bottom, None is an empty place."""

    x: int
    y: int
    width: int
    height: int
    columns: int
    boxes: tuple[Box | None, ...]


@dataclass(frozen=True, slots=True)
class FeltPlan:
    """Where each box lies on the cloth, in cells."""

    width: int
    height: int
    blocks: tuple[FeltBlock, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout: its boxes, and for each of the 216 rolls which of them win by which row."""

    book_id: str
    id: str
    title: str
    clauses: tuple[str, ...]
    triple_clauses: tuple[str, ...]
    rows: tuple[PayRow, ...]
    felt: FeltPlan | None
    boxes: Mapping[BoxName, Box] = field(repr=False)
    winners: tuple[Mapping[BoxName, PayRow], ...] = field(repr=False)
    """By roll index: the winning boxes and the row that pays each."""
    pay_table: tuple[Mapping[BoxName, int], ...] = field(repr=False)
    """By roll index: what every box of the layout pays, to 1; 0 when it loses."""

    @property
    def name(self) -> str:
        """The full name, `BOOK/LAYOUT`."""
        return f"{self.book_id}/{self.id}"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The bet kinds on this layout, in the order of its pay table."""
        return tuple(dict.fromkeys(box.kind for box in self.boxes.values()))

    def pays(self, box: BoxName, roll: Roll) -> int | None:
        """Odds to 1 of a box on a roll, None when it loses."""
        return self.pay_table[roll.index].get(box) or None

    def lit(self, roll: Roll) -> tuple[BoxName, ...]:
        """The boxes that light up: exactly those that win, in the layout's order (`nz-division-9` §3.3(b))."""
        won = self.winners[roll.index]
        return tuple(box for box in self.boxes if box in won)

    def rows_of(self, box: BoxName) -> tuple[PayRow, ...]:
        """The pay rows of a box: one, or several where the odds depend on the dice."""
        wanted = self.boxes[box]
        return tuple(row for row in self.rows if wanted in row.boxes)

    def clauses_of(self, box: BoxName, roll: Roll) -> tuple[str, ...]:
        """The clauses by which a box wins or loses on a roll."""
        row = self.winners[roll.index].get(box)
        if row is not None:
            return row.clauses + (row.triple_clauses if roll.is_triple else ())
        named = dict.fromkeys(clause for row in self.rows_of(box) for clause in row.clauses)
        return tuple(named) + (self.triple_clauses if roll.is_triple else ())


@dataclass(frozen=True, slots=True)
class VoidRule:
    """One reason that makes a round void, by its clause."""

    reason: VoidReason
    scope: VoidScope
    clauses: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """One step of a round, by its clause."""

    step: Step
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpeningItem:
    """One item that a supervisor records before the table opens."""

    item: str
    clauses: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Calls:
    """What the dealer says, and the forms of the result call."""

    clauses: tuple[str, ...]
    open: str
    close: str
    void: str
    plain: str
    double_first: str
    double_last: str
    triple: str
    bell: bool


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a round runs under this book."""

    device: Device
    tumble: Tumble
    tumbles_min: int
    steps: tuple[ProcedureStep, ...]
    opening: tuple[OpeningItem, ...]
    voids: Mapping[VoidReason, VoidRule]
    calls: Calls


class FormerDigest(NamedTuple):
    """A digest by which an earlier version of the software knew the same rules, and why it differs from today's."""

    digest: str
    version: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleBook:
    """An approved rule book, whole and proven. `digest` identifies its content to the last character."""

    id: str
    title: str
    version: str
    operator: str
    jurisdiction: str
    document: str
    effective: date | datetime | None
    terms: Mapping[str, tuple[str, ...]]
    rules: Mapping[Rule, tuple[str, ...]]
    procedure: Procedure
    clauses: Mapping[str, Clause]
    interpretations: Mapping[str, Interpretation]
    layouts: Mapping[str, Layout]
    digest: str
    formerly: tuple[FormerDigest, ...]

    def matches(self, digest: str) -> bool:
        """Whether a digest that a table or a setting pins is of the rules in this book, today's or a former one."""
        return digest == self.digest or digest in [former.digest for former in self.formerly]

    def clauses_for(self, rule: Rule) -> tuple[str, ...]:
        """The clauses behind a rule; empty when the book does not have it."""
        return self.rules.get(rule, ())

    def has(self, rule: Rule) -> bool:
        """Whether the book has a rule."""
        return rule in self.rules

    def interpretations_of(self, clause_id: str) -> tuple[Interpretation, ...]:
        """The register's entries on a clause."""
        return tuple(entry for entry in self.interpretations.values() if clause_id in entry.clauses)


class RowFault(NamedTuple):
    """What is wrong with a pay row; `row` counts from 0."""

    row: int
    reason: str


def pay_row_faults(rows: Sequence[PayRow]) -> list[RowFault]:
    """Why these rows are not a pay table, checked over every roll; empty when they are."""
    return [*_row_faults(rows), *_matrix_faults(rows)]


def _row_faults(rows: Sequence[PayRow]) -> list[RowFault]:
    faults = []
    for number, row in enumerate(rows):
        if row.pays < 1:
            faults.append(RowFault(number, f"pays {row.pays} to 1: a winner wins at least the stake"))
        seen: set[BoxName] = set()
        for box in row.boxes:
            if box.name in seen:
                faults.append(RowFault(number, f"duplicate box {box.name}"))
            seen.add(box.name)
        idle = next(
            (box for box in row.boxes if not any(row.applies(box, roll) for roll in ALL_COMBINATIONS)),
            None,
        )
        if idle is not None:
            faults.append(RowFault(number, f"never pays {idle.name}: no roll fits its dice or totals"))
    return faults


def _matrix_faults(rows: Sequence[PayRow]) -> list[RowFault]:
    """Rolls on which a winning box is paid by two rows, or by none; the first such roll of each box."""
    rows_of: dict[Box, list[int]] = {}
    for number, row in enumerate(rows):
        for box in dict.fromkeys(row.boxes):
            rows_of.setdefault(box, []).append(number)
    faults = []
    for box, numbers in rows_of.items():
        for roll in ALL_COMBINATIONS:
            if not wins(box, roll):
                continue
            paying = [number for number in numbers if rows[number].applies(box, roll)]
            if len(paying) > 1:
                first, second = paying[0], paying[1]
                same = rows[first].dice == rows[second].dice and rows[first].totals == rows[second].totals
                fault = f"duplicate box {box.name}" if same else f"{box.name} pays two ways on {roll}"
                faults.append(RowFault(second, f"{fault} (also row {first + 1})"))
                break
            if not paying:
                faults.append(RowFault(numbers[-1], f"{box.name} wins on {roll} but no row pays it"))
                break
    return faults


def make_layout(
    *,
    book_id: str,
    layout_id: str,
    title: str,
    clauses: tuple[str, ...],
    triple_clauses: tuple[str, ...],
    rows: tuple[PayRow, ...],
    felt: FeltPlan | None,
) -> Layout:
    """A layout from rows in which `pay_row_faults` finds nothing."""
    boxes = {box.name: box for row in rows for box in row.boxes}
    by_combination: dict[tuple[int, int, int], Mapping[BoxName, PayRow]] = {}
    pays_by_combination: dict[tuple[int, int, int], Mapping[BoxName, int]] = {}
    for roll in ALL_COMBINATIONS:
        won = {box.name: row for row in rows for box in row.boxes if row.applies(box, roll)}
        by_combination[roll.faces] = MappingProxyType(won)
        # Plain dicts, not proxies: this is the hot path, and a proxy doubles the cost of a look-up.
        pays_by_combination[roll.faces] = {name: won[name].pays if name in won else 0 for name in boxes}
    return Layout(
        book_id=book_id,
        id=layout_id,
        title=title,
        clauses=clauses,
        triple_clauses=triple_clauses,
        rows=rows,
        felt=felt,
        boxes=MappingProxyType(boxes),
        winners=tuple(by_combination[roll.low_to_high] for roll in ALL_ROLLS),
        pay_table=tuple(pays_by_combination[roll.low_to_high] for roll in ALL_ROLLS),
    )
