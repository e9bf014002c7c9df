"""A rule book as a value: clauses, layouts with their pay rows, the procedure of a round.

Enters: rows that `books` has read. Leaves: a `RuleBook` whose layouts are proven over all 216 rolls: where a box wins,
exactly one row pays it. Where two rows apply, or one never does, that is a fault of a named row. Serves the pay tables
and procedures of all four books.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Final, NamedTuple

from taisai.core.boxes import Box, BoxName
from taisai.core.cloth import FeltPlan
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, Roll
from taisai.core.faults import InputFault
from taisai.core.money import Odds, RoundingRule, odds_words, unit_needed
from taisai.core.names import OWN, Calls, Face, Names, Part
from taisai.core.predicates import TRIPLES, Combinations, Predicate, showing, totalling


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
    DEVICES = "devices"
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
    EXCESS_STANDS = "excess-stands"
    UNDER_MINIMUM_EXEMPT = "under-minimum-exempt"
    UNDER_MINIMUM_ADVISED = "under-minimum-advised"
    UNDER_MINIMUM_STANDS = "under-minimum-stands"
    # of the dice
    UPPERMOST_FACES = "uppermost-faces"
    DICE_FLAT = "dice-flat"
    TUMBLE_COUNT = "tumble-count"
    # of the round
    OPENING_CHECK = "opening-check"
    TEST_RUNS = "test-runs"
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
    FOUND_LATE = "found-late"
    SHIFT_MANAGER_DECIDES = "shift-manager-decides"


class Fact(StrEnum):
    """What can go wrong at a table. Anybody of the crew records it; what follows from it is the book's word."""

    NOT_FLAT = "not-flat"
    DICE_STACKED = "dice-stacked"
    EXPOSED = "exposed"
    """Concealed dice were seen before the close."""
    TOO_FEW_TUMBLES = "too-few-tumbles"
    NOT_ACTIVATED = "not-activated"
    """Nobody started the device for this round."""
    ACTIVATED_BEFORE_CLOSE = "activated-before-close"
    TUMBLED_OUT_OF_TURN = "tumbled-out-of-turn"
    """The device was started when the book does not start it."""
    TUMBLER_FAULT = "tumbler-fault"
    DAMAGED_DICE = "damaged-dice"
    LIGHTS_FAULT = "lights-fault"
    """The winning areas stayed dark, or others lit."""
    TERMINAL_DEAD = "terminal-dead"
    INTERRUPTED = "interrupted"
    """The round stopped before an outcome was established."""
    BET_FOUND = "bet-found"
    """Chips that nobody had recorded lay on the felt, found when no bet can be recorded any more."""
    BET_MOVED = "bet-moved"
    """Somebody moved a bet."""


class Then(StrEnum):
    """What a book makes of a fact."""

    VOID_ROUND = "void-round"
    """The round that is not yet concluded is void, and every bet goes back."""
    VOID_ROUNDS_OF_SET = "void-rounds-of-set"
    """So is every settled round played with that set of dice since it was last found sound."""
    RE_ROLL = "re-roll"
    """The roll does not count: the bets stand, and the dice are tumbled again."""
    DICE_DECIDE = "dice-decide"
    """The round is settled by the dice as they lie, without entry or lights."""
    SUSPEND = "suspend"
    """No further round until it is mended, or a safe procedure is in force."""
    RECORD = "record"
    """It is recorded and people are alerted; so it is with every fact that a book does not name."""


VOIDING: Final = frozenset({Then.VOID_ROUND, Then.VOID_ROUNDS_OF_SET})
"""What hands bets back."""


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
    VIRTUAL = "virtual"
    """Software dice: only where a book, or a reading declared with it, admits them (I23)."""


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
    admits: frozenset[Device] = frozenset()
    """Devices that this reading admits beside the book's own."""


@dataclass(frozen=True, slots=True)
class PayRow:
    """One row of a pay table, an outcome of its boxes: what they pay, to 1, by which clause.

    It applies where `when` holds, or where the definition of the box lets it win; `dice` and `totals` narrow that to
    a number of dice that show the face of the box, and to some totals.
    """

    bet: str
    boxes: tuple[Box, ...]
    pays: Odds
    clauses: tuple[str, ...]
    dice: int | None = None
    totals: frozenset[int] | None = None
    triple_clauses: tuple[str, ...] = ()
    when: Predicate | None = None
    written: int | str | None = None
    """What it pays, as the book writes it."""
    on: str = ""
    """Words for when it applies, where a box has several rows: `two of the three`."""

    @property
    def odds(self) -> str:
        """What it pays, in the book's words: `8 to 1`, `60 for 1`, `push`."""
        return self.written if isinstance(self.written, str) else odds_words(self.pays)

    @property
    def condition(self) -> tuple[object, ...]:
        """What narrows it: two rows with one condition and one box are the same row twice."""
        return self.when and self.when.text, self.dice, self.totals

    def applies(self, box: Box) -> Combinations:
        """Where this row pays one of its boxes."""
        where = box.wins if self.when is None else self.when.holds(box.values)
        if self.dice is not None:
            where &= showing(box.faces[0], self.dice)
        return where if self.totals is None else where & totalling(self.totals)


@dataclass(frozen=True, slots=True)
class Draw:
    """One row of a layout's draw table: how often it comes, and what the boxes that it names pay instead."""

    name: str
    weight: int
    raised: Mapping[BoxName, tuple[Odds, int | str]]
    """By box: the odds, and how the book writes them."""
    clauses: tuple[str, ...]


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
    whole_pays: tuple[Mapping[BoxName, int], ...] | None = field(repr=False)
    """By roll index: what every box pays, to 1; 0 when it loses. None where odds are fractions or a push."""
    unit: int = 1
    """The least unit of which every multiple is paid exactly."""
    rounding: RoundingRule | None = None
    names: Names = OWN
    """The book's own words."""
    faces: tuple[Face, ...] = ()
    """The six faces, where they have names or pictures; empty for dice with pips."""
    draw: str = ""
    """The draw by which this layout pays; empty for the layout as it is printed."""
    draws: tuple[Draw, ...] = ()
    """One of these is drawn after the close of every round; empty where the odds are always those of the pay table."""
    drawn: Mapping[str, Layout] = field(default_factory=dict, repr=False)
    """By the name of a draw: the layout as it then pays."""

    @property
    def outcomes(self) -> tuple[tuple[int, Layout], ...]:
        """The layout as each draw has it, with its weight; itself alone where nothing is drawn."""
        return tuple((draw.weight, self.drawn[draw.name]) for draw in self.draws) or ((1, self),)

    @property
    def name(self) -> str:
        """The full name, `BOOK/LAYOUT`."""
        return f"{self.book_id}/{self.id}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of bets on this layout, in the order of its pay table."""
        return tuple(dict.fromkeys(box.kind for box in self.boxes.values()))

    @property
    def pay_table(self) -> tuple[Mapping[BoxName, int], ...]:
        """`whole_pays`, for arithmetic in whole numbers; `InputFault` where the odds are not."""
        if self.whole_pays is None:
            raise InputFault("layout", f"{self.name} has odds that are no whole numbers to 1, or pushes")
        if self.draws:
            raise InputFault(
                "layout", f"{self.name} draws odds after the close: one pay table does not say what it pays"
            )
        return self.whole_pays

    def pays(self, box: BoxName, roll: Roll) -> Odds | None:
        """Odds to 1 of a box on a roll, 0 for a push, None when it loses."""
        row = self.winners[roll.index].get(box)
        return None if row is None else row.pays

    def back(self, box: BoxName, roll: Roll) -> Odds:
        """What of a stake of one goes back on a roll: 0 when it loses, 1 for a push."""
        pays = self.pays(box, roll)
        return 0 if pays is None else pays + 1

    def lit(self, roll: Roll) -> tuple[BoxName, ...]:
        """The boxes that light up: exactly those that win, in the layout's order (`nz-division-9` §3.3(b))."""
        won = self.winners[roll.index]
        return tuple(box for box in self.boxes if box in won and won[box].pays)

    def rows_of(self, box: BoxName) -> tuple[PayRow, ...]:
        """The pay rows of a box: one, or several where the odds depend on the dice."""
        wanted = self.boxes[box]
        return tuple(row for row in self.rows if wanted in row.boxes)

    def bet_name(self, box: BoxName, names: Names | None = None) -> str:
        """What the book calls a bet on a box: `Domino Combination Bet 2-5`, `Individual Die Face Value 4`, `Small`.

        The pay table's own name, or that of a translation; it stands for all boxes of its row, so the figures of this
        one follow. Where several boxes of one name have no figures, each goes by its own.
        """
        wanted, row, called = self.boxes[box], self.rows_of(box)[0], names or self.names
        others = (box for each in self.rows if each.bet == row.bet for box in each.boxes if box != wanted)
        alike = not wanted.values and any(not box.values for box in others)
        return called.box(wanted) if alike else called.bet(wanted, row.bet)

    def box_name(self, box: BoxName) -> str:
        """What screens call a box: `Total 9`, `Red once`; the bet's name where the book gives the box no title."""
        wanted = self.boxes[box]
        return self.names.box(wanted) if wanted.definition.pattern in self.names.titled else self.bet_name(box)

    def kind_name(self, kind: str) -> str:
        """What the sign of limits calls all boxes of a kind."""
        alike = [box for box in self.boxes.values() if box.kind == kind]
        bets = dict.fromkeys(row.bet for row in self.rows for box in row.boxes if box.kind == kind)
        only = len(alike) == 1 and kind not in self.names.words.get(Part.KINDS, {})
        return self.box_name(alike[0].name) if only else self.names.kind(alike[0], tuple(bets))

    def in_words(self, names: Names) -> Layout:
        """The same layout in the words of another language."""
        return self if names is self.names else replace(self, names=names)

    def terms_of(self, box: BoxName) -> frozenset[str]:
        """What of the dice decides a box: the terms of its predicates."""
        own = self.boxes[box].definition.when
        whens = [row.when or own for row in self.rows_of(box)]
        return frozenset(term for when in whens if when is not None for term in when.terms)

    def clauses_of(self, box: BoxName, roll: Roll) -> tuple[str, ...]:
        """The clauses by which a box wins or loses on a roll."""
        row = self.winners[roll.index].get(box)
        if row is not None:
            return row.clauses + (row.triple_clauses if roll.is_triple else ())
        rows = self.rows_of(box)
        named = tuple(dict.fromkeys(clause for row in rows for clause in row.clauses))
        if not roll.is_triple:
            return named
        # A row that no triple wins says by which clause; the layout's clause is for all that say nothing.
        own = [clause for row in rows if not row.applies(self.boxes[box]) & TRIPLES for clause in row.triple_clauses]
        return named + (tuple(dict.fromkeys(own)) or self.triple_clauses)


@dataclass(frozen=True, slots=True)
class FactRule:
    """What follows from a fact, by its clause. `reason` is the book's own word for a void on this ground."""

    fact: Fact
    then: tuple[Then, ...]
    clauses: tuple[str, ...]
    summary: str
    reason: str

    @property
    def voids(self) -> bool:
        """Whether a round is void by it."""
        return not VOIDING.isdisjoint(self.then)


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
class Procedure:
    """How a round runs under this book."""

    device: Device
    tumble: Tumble
    tumbles_min: int
    steps: tuple[ProcedureStep, ...]
    opening: tuple[OpeningItem, ...]
    facts: Mapping[Fact, FactRule]
    calls: Calls
    admits: frozenset[Device] = frozenset()
    """Devices that the book admits beside its own."""

    @property
    def voids(self) -> Mapping[str, FactRule]:
        """What makes a round void, by the book's own word for it."""
        return {rule.reason: rule for rule in self.facts.values() if rule.voids}

    def then(self, fact: Fact) -> tuple[Then, ...]:
        """What follows from a fact; it is recorded in any case."""
        rule = self.facts.get(fact)
        return (Then.RECORD,) if rule is None else rule.then


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
    replaces: str = ""
    """The id of the edition before this one; empty for a first edition."""
    names: Names = OWN
    """The book's own words."""
    faces: tuple[Face, ...] = ()
    """The six faces, where they have names or pictures."""
    translations: Mapping[str, Names] = field(default_factory=dict)
    """Its names in other languages, by language: `zh-Hant`."""

    def names_in(self, lang: str) -> Names:
        """The names in a language; the book's own where it has no translation."""
        return self.translations.get(lang, self.names)

    def matches(self, digest: str) -> bool:
        """Whether a digest that a table or a setting pins is of the rules in this book, today's or a former one."""
        return digest == self.digest or digest in [former.digest for former in self.formerly]

    def in_force(self, moment: datetime) -> bool:
        """Whether the book is in force at a moment, told in the time of the house."""
        since = self.effective
        if not isinstance(since, datetime):
            return since is None or moment.date() >= since
        return (moment if since.tzinfo else moment.replace(tzinfo=None)) >= since

    def clauses_for(self, rule: Rule) -> tuple[str, ...]:
        """The clauses behind a rule; empty when the book does not have it."""
        return self.rules.get(rule, ())

    def has(self, rule: Rule) -> bool:
        """Whether the book has a rule."""
        return rule in self.rules

    def admits(self, device: Device) -> bool:
        """Whether games may be played with a device: the book's own, another that it names, or a reading admits."""
        readings = (entry.admits for entry in self.interpretations.values())
        return device in {self.procedure.device, *self.procedure.admits}.union(*readings)

    def interpretations_of(self, clause_id: str) -> tuple[Interpretation, ...]:
        """The register's entries on a clause."""
        return tuple(entry for entry in self.interpretations.values() if clause_id in entry.clauses)


def make_layout(
    *,
    book_id: str,
    layout_id: str,
    title: str,
    clauses: tuple[str, ...],
    triple_clauses: tuple[str, ...],
    rows: tuple[PayRow, ...],
    felt: FeltPlan | None,
    rounding: RoundingRule | None = None,
    names: Names = OWN,
    faces: tuple[Face, ...] = (),
    draws: tuple[Draw, ...] = (),
    draw: str = "",
) -> Layout:
    """A layout from rows in which `pay_row_faults` finds nothing."""
    again = partial(
        make_layout, book_id=book_id, layout_id=layout_id, title=title, clauses=clauses, triple_clauses=triple_clauses,
        felt=felt, rounding=rounding, names=names, faces=faces,
    )  # fmt: skip
    boxes = {box.name: box for row in rows for box in row.boxes}
    won: list[dict[BoxName, PayRow]] = [{} for _ in ALL_COMBINATIONS]
    for row in rows:
        for box in row.boxes:
            where = row.applies(box)
            while where:
                won[(where & -where).bit_length() - 1][box.name] = row
                where &= where - 1
    place = {roll.faces: number for number, roll in enumerate(ALL_COMBINATIONS)}
    whole = all(isinstance(row.pays, int) and row.pays > 0 for row in rows)
    nothing = dict.fromkeys(boxes, 0)
    # Plain dicts, not proxies: this is the hot path, and a proxy doubles the cost of a look-up.
    pays = [nothing | {name: int(row.pays) for name, row in each.items()} for each in won]
    winners = [MappingProxyType(each) for each in won]
    return Layout(
        book_id=book_id,
        id=layout_id,
        title=title,
        clauses=clauses,
        triple_clauses=triple_clauses,
        rows=rows,
        felt=felt,
        names=names,
        faces=faces,
        boxes=MappingProxyType(boxes),
        winners=tuple(winners[place[roll.low_to_high]] for roll in ALL_ROLLS),
        whole_pays=tuple(pays[place[roll.low_to_high]] for roll in ALL_ROLLS) if whole else None,
        unit=unit_needed([*(row.pays for row in rows), *(odds for draw in draws for odds, _ in draw.raised.values())]),
        rounding=rounding,
        draws=draws,
        drawn=MappingProxyType({draw.name: again(rows=raised_by(draw, rows), draw=draw.name) for draw in draws}),
        draw=draw,
    )


def raised_by(draw: Draw, rows: Sequence[PayRow]) -> tuple[PayRow, ...]:
    """The pay rows as they are after a draw, with the boxes in their order."""
    found = []
    for row in rows:
        for raised, boxes in groupby(row.boxes, lambda box: draw.raised.get(box.name)):
            part = replace(row, boxes=tuple(boxes))
            if raised is not None:
                part = replace(part, pays=raised[0], written=raised[1], clauses=(*row.clauses, *draw.clauses))
            found.append(part)
    return tuple(found)
