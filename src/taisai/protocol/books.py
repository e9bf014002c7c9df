"""Rule books, layouts, odds and clauses as JSON: the same from a command with `--json` and from the API.

Enters: values of the core. Leaves: structs that encode as JSON objects, exact figures both as a fraction and as the
nearest floating-point number.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from taisai.books.citations import citations_of
from taisai.books.clause_tests import tests_holding
from taisai.books.duties import NOT_STATED, Duties, Duty
from taisai.core.money import odds_number
from taisai.core.names import Calls, Names, Part
from taisai.core.odds import BetsOdds, BoxOdds, Comparison, RollResult, layout_odds
from taisai.core.rulebook import (
    Clause,
    Device,
    FactRule,
    Interpretation,
    Layout,
    OpeningItem,
    ProcedureStep,
    RuleBook,
)
from taisai.table.commands import Dice


class Exact(Struct, frozen=True):
    """A fraction: exactly, and as the nearest floating-point number."""

    exact: str
    value: float


def exact(value: Fraction) -> Exact:
    """A fraction as JSON."""
    return Exact(str(value), float(value))


# ------------------------------------------------------------------ layouts


class PayRowSheet(Struct, frozen=True):
    """A row of a pay table: what its boxes pay, to 1."""

    bet: str
    boxes: tuple[str, ...]
    pays: int | str
    dice: int | None
    """On so many dice of the number alone, where the row says so."""
    totals: tuple[int, ...] | None
    """On these totals alone, where the row says so."""
    clauses: tuple[str, ...]
    when: str | None = None
    """The row's own predicate, where it has one."""
    on: str = ""
    """Words for when it pays, where its boxes have several rows."""


class LayoutSheet(Struct, frozen=True, kw_only=True):
    """A layout with its pay table."""

    name: str
    title: str
    clauses: tuple[str, ...]
    boxes: tuple[str, ...]
    pay: tuple[PayRowSheet, ...]


class PayWaysSheet(Struct, frozen=True):
    """On how many of the 216 rolls a box pays so much."""

    pays: int | str
    ways: int


class BoxSheet(Struct, frozen=True, kw_only=True):
    """The odds of a box, for a stake of one."""

    box: str
    kind: str
    bet: str
    pays: tuple[PayWaysSheet, ...]
    ways: int
    out_of: int
    """216, times the weight of the draw table where a draw may raise the box."""
    probability: Exact
    returned: Exact = field(name="return")
    edge: Exact
    variance: Exact
    below_75: bool
    clauses: tuple[str, ...]


class BoxWords(Struct, frozen=True):
    """What screens call a box, and what it needs to win."""

    name: str
    needs: str


class FaceSheet(Struct, frozen=True):
    """A face of the dice that has a name: its colour, and the outlines of its picture in a square of 100."""

    name: str
    colour: str | None
    picture: tuple[str, ...]


class LayoutWords(Struct, frozen=True):
    """A layout in a language: what a book's translation does not say is in the book's own words."""

    lang: str
    boxes: dict[str, BoxWords]
    kinds: dict[str, str]
    """What the sign of limits calls all boxes of a kind."""
    faces: tuple[FaceSheet, ...]
    """Empty for dice with pips."""
    reasons: dict[str, str]
    """Why a round is void, by the book's word for it."""


class LayoutOddsSheet(LayoutSheet, frozen=True, kw_only=True):
    """A layout with its pay table, the odds of every box, and its words in a language."""

    odds: tuple[BoxSheet, ...]
    words: LayoutWords


def layout_sheet(layout: Layout) -> LayoutSheet:
    """A layout with its pay table."""
    return LayoutSheet(
        name=layout.name,
        title=layout.title,
        clauses=layout.clauses,
        boxes=tuple(layout.boxes),
        pay=tuple(
            PayRowSheet(
                row.bet,
                tuple(box.name for box in row.boxes),
                odds_number(row.pays),
                row.dice,
                None if row.totals is None else tuple(sorted(row.totals)),
                row.clauses,
                None if row.when is None else row.when.text,
                layout.names.of(Part.LABELS, row.on),
            )
            for row in layout.rows
        ),
    )


def layout_odds_sheet(book: RuleBook, layout: Layout, names: Names) -> LayoutOddsSheet:
    """A layout with its pay table and the odds of every box, in the words of a language."""
    layout = layout.in_words(names)
    words = LayoutWords(
        lang=names.lang,
        boxes={name: BoxWords(layout.box_name(name), names.needs(box)) for name, box in layout.boxes.items()},
        kinds={kind: layout.kind_name(kind) for kind in layout.kinds},
        faces=tuple(
            FaceSheet(name, face.colour, face.picture) for name, face in zip(names.faces, layout.faces, strict=False)
        ),
        reasons={
            rule.reason: names.of(Part.FACTS, rule.reason, rule.summary) for rule in book.procedure.facts.values()
        },
    )
    odds = tuple(box_sheet(each) for each in layout_odds(layout))
    return LayoutOddsSheet(**msgspec.structs.asdict(layout_sheet(layout)), odds=odds, words=words)


def box_sheet(box: BoxOdds) -> BoxSheet:
    """The odds of a box."""
    return BoxSheet(
        box=box.box.name,
        kind=box.box.kind,
        bet=box.bet,
        pays=tuple(PayWaysSheet(odds_number(each.pays), each.ways) for each in box.pay_ways),
        ways=box.ways,
        out_of=box.out_of,
        probability=exact(box.probability),
        returned=exact(box.returned),
        edge=exact(box.edge),
        variance=exact(box.variance),
        below_75=box.is_below_floor,
        clauses=box.clauses,
    )


class ComparedBox(Struct, frozen=True):
    """A box on two layouts; null where one does not have it."""

    box: str
    one: BoxSheet | None
    two: BoxSheet | None
    differs: bool


def compared_box(each: Comparison) -> ComparedBox:
    """A box on two layouts."""
    one, two = (None if odds is None else box_sheet(odds) for odds in each.sides)
    return ComparedBox(each.name, one, two, each.differs)


# ------------------------------------------------------------------ bets played together


class BetSheet(Struct, frozen=True):
    """A bet of a question about odds."""

    box: str
    stake: int


class ExtremeSheet(Struct, frozen=True):
    """The roll that is worst or best for the house, and what the player nets on it."""

    dice: Dice
    player_net: int


class NetWaysSheet(Struct, frozen=True):
    """On how many of the 216 rolls, times the weight of the draw table where there is one, the bets net so much."""

    net: int
    ways: int


class RollSheet(Struct, frozen=True):
    """What the bets net on a roll."""

    dice: Dice
    net: int


class BetsSheet(Struct, frozen=True, kw_only=True):
    """Bets played together, over all rolls."""

    layout: str
    bets: tuple[BetSheet, ...]
    staked: int
    hit_frequency: Exact
    """The probability that at least one bet wins."""
    ahead: Exact
    """The probability to come out above what was staked."""
    returned: Exact = field(name="return")
    edge: Exact
    expected_net: Exact
    variance: Exact
    below_75: bool
    exposure: int
    house_worst: ExtremeSheet
    house_best: ExtremeSheet
    distribution: tuple[NetWaysSheet, ...]
    rolls: tuple[RollSheet, ...]


def bets_sheet(layout: Layout, odds: BetsOdds) -> BetsSheet:
    """Bets played together, over all rolls."""
    return BetsSheet(
        layout=layout.name,
        bets=tuple(BetSheet(bet.box, bet.stake) for bet in odds.bets),
        staked=odds.staked,
        hit_frequency=exact(odds.hit_frequency),
        ahead=exact(odds.ahead),
        returned=exact(odds.returned),
        edge=exact(odds.edge),
        expected_net=exact(odds.expected_net),
        variance=exact(odds.variance),
        below_75=odds.is_below_floor,
        exposure=odds.exposure,
        house_worst=_extreme(odds.house_worst),
        house_best=_extreme(odds.house_best),
        distribution=tuple(NetWaysSheet(net, ways) for net, ways in odds.distribution),
        rolls=tuple(RollSheet(result.roll.faces, result.net) for result in odds.results),
    )


def _extreme(result: RollResult) -> ExtremeSheet:
    return ExtremeSheet(result.roll.faces, result.net)


# ------------------------------------------------------------------ books and clauses


class ReadingSheet(Struct, frozen=True):
    """An interpretation, as its clause names it."""

    id: str
    question: str
    reading: str
    house_choice: bool


class EntrySheet(Struct, frozen=True, kw_only=True):
    """A clause in our own words, or an interpretation, with what cites it and the tests that hold it.

    An interpretation is where a book is silent or contradicts itself. The fields of the other kind are absent.
    """

    book: str
    id: str
    document: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    duties: tuple[Duty, ...] | UnsetType = UNSET
    """What the software owes the clause."""
    room: str | UnsetType = UNSET
    effective: str | UnsetType | None = UNSET
    interpretations: tuple[ReadingSheet, ...] | UnsetType = UNSET
    clauses: tuple[str, ...] | UnsetType = UNSET
    """The clauses that are interpreted."""
    question: str | UnsetType = UNSET
    reading: str | UnsetType = UNSET
    house_choice: bool | UnsetType = UNSET
    """Whether a house may choose otherwise."""
    cited_by: tuple[str, ...]
    tests: tuple[str, ...]


def entry_sheet(book: RuleBook, duties: Duties, each: Clause | Interpretation) -> EntrySheet:
    """A clause or an interpretation."""
    cited_by, tests = citations_of(book, each.id), tests_holding(book.id, each.id)
    if isinstance(each, Interpretation):
        return EntrySheet(
            book=book.id,
            id=each.id,
            clauses=each.clauses,
            question=each.question,
            reading=each.reading,
            house_choice=each.house_choice,
            cited_by=cited_by,
            tests=tests,
        )
    owed = duties.get(each.id, NOT_STATED)
    readings = book.interpretations_of(each.id)
    return EntrySheet(
        book=book.id,
        id=each.id,
        document=book.document,
        summary=each.summary,
        duties=owed.duties,
        room=owed.room,
        effective=_dated(each.effective),
        interpretations=tuple(ReadingSheet(one.id, one.question, one.reading, one.house_choice) for one in readings),
        cited_by=cited_by,
        tests=tests,
    )


class FormerSheet(Struct, frozen=True):
    """The digest that a book had in an earlier version of the program, and why it changed."""

    version: str
    digest: str
    reason: str


class ProcedureSheet(Struct, frozen=True, kw_only=True):
    """How a round runs under a book."""

    device: Device
    tumble: str
    """`before-bets`, `after-close` or `either`."""
    tumbles_min: int
    steps: tuple[ProcedureStep, ...]
    opening: tuple[OpeningItem, ...]
    facts: tuple[FactRule, ...]
    calls: Calls


class BookHead(Struct, frozen=True, kw_only=True):
    """What a book says besides its clauses."""

    id: str
    title: str
    version: str
    operator: str
    jurisdiction: str
    document: str
    effective: str | None
    digest: str
    formerly: tuple[FormerSheet, ...]
    procedure: ProcedureSheet
    rules: dict[str, tuple[str, ...]]
    """The clauses behind each rule of the program."""
    layouts: tuple[LayoutSheet, ...]


class BookSheet(BookHead, frozen=True, kw_only=True):
    """A rule book, its clauses counted and its interpretations by name."""

    clauses: int
    interpretations: tuple[str, ...]


class WholeBook(BookHead, frozen=True, kw_only=True):
    """A rule book with its clauses and interpretations."""

    clauses: tuple[EntrySheet, ...]
    interpretations: tuple[EntrySheet, ...]


class BookCard(Struct, frozen=True):
    """A rule book in the list of all."""

    id: str
    title: str
    version: str
    operator: str
    jurisdiction: str
    digest: str
    layouts: tuple[str, ...]


def book_card(book: RuleBook) -> BookCard:
    """A rule book in the list of all."""
    layouts = tuple(book.layouts)
    return BookCard(book.id, book.title, book.version, book.operator, book.jurisdiction, book.digest, layouts)


def book_sheet(book: RuleBook) -> BookSheet:
    """A rule book without the words of its clauses."""
    head = msgspec.structs.asdict(_head(book))
    return BookSheet(**head, clauses=len(book.clauses), interpretations=tuple(book.interpretations))


def whole_book(book: RuleBook, duties: Duties) -> WholeBook:
    """A rule book with its clauses and interpretations."""
    return WholeBook(
        **msgspec.structs.asdict(_head(book)),
        clauses=tuple(entry_sheet(book, duties, each) for each in book.clauses.values()),
        interpretations=tuple(entry_sheet(book, duties, each) for each in book.interpretations.values()),
    )


def _head(book: RuleBook) -> BookHead:
    procedure = book.procedure
    return BookHead(
        id=book.id,
        title=book.title,
        version=book.version,
        operator=book.operator,
        jurisdiction=book.jurisdiction,
        document=book.document,
        effective=_dated(book.effective),
        digest=book.digest,
        formerly=tuple(FormerSheet(*each) for each in book.formerly),
        procedure=ProcedureSheet(
            device=procedure.device,
            tumble=str(procedure.tumble),
            tumbles_min=procedure.tumbles_min,
            steps=procedure.steps,
            opening=procedure.opening,
            facts=tuple(procedure.facts.values()),
            calls=procedure.calls,
        ),
        rules={str(rule): clauses for rule, clauses in book.rules.items()},
        layouts=tuple(layout_sheet(layout) for layout in book.layouts.values()),
    )


def _dated(value: date | None) -> str | None:
    """A date, or a time, as JSON writes it."""
    return None if value is None else str(msgspec.to_builtins(value))
