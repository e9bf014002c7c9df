"""Cards to lay beside the table: the odds, the dealer's crib, the rules; each on one page.

Enters: a rule book and one of its layouts. Leaves: a `Card`, which is words and tables and nothing of PDF, and the PDF
of it in the largest letters with which it fits one page. Every rule is given with its clause; the words are the
register's, not the document's. Serves `rws-tai-sai-v6` §3.2, §3.6, §3.9, §4.1; `nz-division-9` §4.1, §6.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Final

from taisai.core.dice import roll_of
from taisai.core.faults import InputFault
from taisai.core.money import Odds, odds_words
from taisai.core.names import result_call
from taisai.core.odds import BoxOdds, layout_odds, percent
from taisai.core.rulebook import Clause, Layout, PayRow, Rule, RuleBook, Step
from taisai.printing.pen import PAPERS, Pen

STAKES: Final = (1, 5, 10, 20, 25, 50, 100, 500)
"""Stakes whose payouts a dealer has in mind."""
_CALLED: Final = ((1, 3, 6), (3, 3, 4), (2, 5, 5), (5, 5, 5))
"""A roll of each form of the result call."""
_RULES: Final = (
    ("Bets", (Rule.OBJECT_OF_THE_GAME, Rule.BETS_OPEN, Rule.BETS_BY_CHIPS, Rule.BETS_CLOSE, Rule.NO_CHANGE_AFTER_CLOSE,
              Rule.SETTLED_BY_POSITION, Rule.WALK_AWAY_SETTLED)),
    ("Limits", (Rule.LIMITS_SHOWN, Rule.PLAYERS_KEEP_LIMITS, Rule.EXCESS_REJECTED, Rule.PRO_RATA,
                Rule.UNDER_MINIMUM_STANDS)),
    ("Dice and payment", (Rule.UPPERMOST_FACES, Rule.DICE_FLAT, Rule.COLLECT_THEN_PAY, Rule.TRIPLE_WINS)),
    ("When something goes wrong", (Rule.VOID_RETURNS_BETS, Rule.VOID_LEAVES_EARLIER_ROUNDS, Rule.INTERRUPTION_CONCLUDED,
                                   Rule.DICE_DECIDE_OVER_LIGHTS, Rule.ENTRY_AMENDED, Rule.DISPLAY_IS_INFORMATION,
                                   Rule.SHIFT_MANAGER_DECIDES)),
)  # fmt: skip
"""What a player should know, in the order of a round."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text below headings."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with lines, a table, or both."""

    title: str
    lines: tuple[str, ...] = ()
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """What one page says."""

    title: str
    under: str
    parts: tuple[Part, ...]
    foot: str
    columns: int = 1


def odds_card(book: RuleBook, layout: Layout) -> Card:
    """Every bet with what it pays, how often it wins and what the house keeps of it."""
    rows = tuple(
        (
            _named(layout, group),
            _pays(group[0]),
            f"{group[0].ways} of {group[0].out_of}",
            percent(group[0].probability),
            percent(group[0].edge),
        )
        for group in _alike(layout)
    )
    table = Table(("Bet", "Pays", "Wins on", "Chance", "House edge"), rows)
    note = "Exact over all 216 rolls of three fair dice. The house edge is what the house keeps of a stake on average."
    return Card(f"{book.title}: odds", f"{layout.name}, {layout.title}", (Part("", (note,), table),), _foot(book))


def crib_card(book: RuleBook, layout: Layout) -> Card:
    """What the dealer says and does in a round, and what every bet pays on usual stakes."""
    calls = book.procedure.calls
    said = {
        Step.OPEN_BETS: f'"{calls.open}"',
        Step.CLOSE_BETS: f'"{calls.close}"' + (", with the bell" if calls.bell else ""),
        Step.ANNOUNCE: f'"{result_call(calls, roll_of((1, 3, 6)))}"',
    }
    order = tuple(
        (f"{at}. {_words(each.step)}", said.get(each.step, ""), _cited(each.clauses))
        for at, each in enumerate(book.procedure.steps, 1)
    )
    results = tuple(
        (", ".join(map(str, faces)), f'"{result_call(calls, roll_of(faces))}"', _cited(calls.clauses))
        for faces in _CALLED
    )
    voids = tuple(
        (_sentence(rule.summary), ", ".join(_words(then) for then in rule.then), _cited(rule.clauses))
        for rule in book.procedure.facts.values()
    )
    paid: dict[Fraction, list[str]] = {}
    for row in layout.rows:
        if row.pays:
            names = paid.setdefault(Fraction(row.pays), [])
            what = _row_words(layout, row.bet, [box.name for box in row.boxes], row.dice)
            if what not in names:
                names.append(what)
    pays = tuple(
        ("; ".join(names), odds_words(_whole(pays)), *(str(pays * stake) for stake in STAKES))
        for pays, names in sorted(paid.items())
    )
    return Card(
        f"{book.title}: the dealer's crib",
        f"{layout.name}, {layout.title}",
        (
            Part("A round", (), Table(("Step", "Call", "Clause"), order)),
            Part("The result is called", (), Table(("Dice", "Call", "Clause"), results)),
            Part("Payouts", ("The stake goes back with them.",), Table(("Bet", "Pays", *map(str, STAKES)), pays)),
            Part(
                "Irregularities",
                (f'A void round is called "{calls.void}", and every bet of it goes back.',),
                Table(("What", "Then", "Clause"), voids),
            ),
        ),
        _foot(book),
    )


def rules_card(book: RuleBook, layout: Layout) -> Card:
    """The rules a player should know, and the pay table, with their clauses."""
    seen: set[str] = set()
    parts = []
    for title, rules in _RULES:
        lines = [
            f"{clause.summary} {_cited((clause.id,))}"
            for rule in rules
            for clause in _clauses(book, book.clauses_for(rule))
            if clause.id not in seen and not seen.add(clause.id)  # type: ignore[func-returns-value] # add, in passing
        ]
        if lines:
            parts.append(Part(title, tuple(lines)))
    rows = tuple(
        (
            _row_words(layout, row.bet, [box.name for box in row.boxes], row.dice),
            _needs(layout, row),
            row.odds,
        )
        for row in layout.rows
    )
    parts.append(Part(f"What the bets pay {_cited(layout.clauses)}", (), Table(("Bet", "Wins with", "Pays"), rows)))
    return Card(f"{book.title}: the rules on a page", f"{layout.name}, {layout.title}", tuple(parts), _foot(book), 2)


def _alike(layout: Layout) -> Iterable[Sequence[BoxOdds]]:
    """Boxes of one bet that win and pay alike, together."""
    groups: dict[tuple[str, object], list[BoxOdds]] = {}
    for odds in layout_odds(layout):
        groups.setdefault((odds.bet, odds.pay_ways), []).append(odds)
    return groups.values()


def _named(layout: Layout, group: Sequence[BoxOdds]) -> str:
    return _row_words(layout, group[0].bet, [each.box.name for each in group], None)


def _row_words(layout: Layout, bet: str, names: Sequence[str], dice: int | None) -> str:
    """The bet, and which of its boxes where a row has some of them only."""
    every = [name for row in layout.rows if row.bet == bet for name in (box.name for box in row.boxes)]
    figures = [name.partition(":")[2] for name in names]
    some = set(names) != set(every) and all(figures)
    words = f"{bet}: {', '.join('-'.join(each) if len(each) > 2 else each for each in figures)}" if some else bet
    shown = {1: "one die", 2: "two dice", 3: "three dice"}
    return f"{words}, on {shown[dice]}" if dice else words


def _needs(layout: Layout, row: PayRow) -> str:
    """What a bet needs; where it is a bet on one of many, that of the first of them."""
    if row.dice is not None:
        return ""
    words = layout.names.needs(row.boxes[0])
    return words if len(row.boxes) == 1 else f"e.g. {words}"


def _whole(odds: Fraction) -> Odds:
    return odds.numerator if odds.denominator == 1 else odds


def _pays(odds: BoxOdds) -> str:
    """What a bet pays: `8 to 1`, `1, 2 or 12 to 1`."""
    words = [odds_words(each.pays) for each in odds.pay_ways]
    if len(words) > 1 and all(each.endswith(" to 1") for each in words):
        *first, last = (each.removesuffix(" to 1") for each in words)
        return f"{', '.join(first)} or {last} to 1"
    return " / ".join(words)


def _clauses(book: RuleBook, ids: Iterable[str]) -> Iterable[Clause]:
    return (book.clauses[each] for each in ids if each in book.clauses)


def _cited(ids: Sequence[str]) -> str:
    return " ".join(each if each[:1].isalpha() else f"§{each}" for each in ids)


def _words(value: str) -> str:
    return _sentence(value.replace("-", " "))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _foot(book: RuleBook) -> str:
    return (
        f"{book.document}, in our own words; the document itself prevails. "
        f"{book.id}, digest {book.digest[:16]}. Play responsibly."
    )


# Setting a card: columns of lines, in the largest letters that fit.

_SIZES: Final = tuple(size / 20 for size in range(72, 27, -2))
"""Sizes of letters in millimetres, from 3.6 down to 1.4."""
_EDGE: Final = 14.0
_GAP: Final = 6.0


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text at a place of its line."""

    x: float
    text: str
    bold: bool = False
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a column: its height, what is on it, and whether a rule is drawn below."""

    height: float
    pieces: tuple[_Piece, ...] = ()
    ruled: bool = False
    with_next: bool = False
    """Not the last of a column: a heading."""


def print_card(
    card: Card, made_at: datetime, *, paper: str = "A4", font: Path | None = None, packed: bool = True
) -> bytes:
    """The PDF of a card: one page."""
    if paper not in PAPERS:
        raise InputFault("--paper", f"one of {', '.join(PAPERS)}, got {paper!r}")
    width, height = map(float, PAPERS[paper])
    pen = Pen(f"{card.title}, {card.under}", made_at, font=font, packed=packed)
    pen.page(width, height)
    column = (width - 2 * _EDGE - _GAP * (card.columns - 1)) / card.columns
    top, bottom = _EDGE + 15, height - _EDGE - 6
    grown = width / 210
    for size in _SIZES:
        lines = _set(pen, card, size * grown, column)
        columns = None if lines is None else _flowed(lines, card.columns, bottom - top)
        if columns is not None:
            break
    else:
        raise InputFault("--paper", f"{card.title} does not fit a page of {paper}: take a larger one")
    pen.text(_EDGE, _EDGE + 5, card.title, 6.5, bold=True)
    pen.text(_EDGE, _EDGE + 10.5, card.under, 3.8)
    for at, each in enumerate(columns):
        left, y = _EDGE + at * (column + _GAP), top
        for line in each:
            y += line.height
            for piece in line.pieces:
                pen.text(
                    left + piece.x, y - 0.3 * size * grown, piece.text, size * grown, bold=piece.bold,
                    anchor=piece.anchor,
                )  # fmt: skip
            if line.ruled:
                pen.line(left, y, left + column, y, width=0.1, colour="#999999")
    for at, line_text in enumerate(_wrapped(pen, card.foot, 2.5, width - 2 * _EDGE)):
        pen.text(_EDGE, height - _EDGE + at * 3.2, line_text, 2.5)
    return pen.document()


def _flowed(lines: Sequence[_Line], columns: int, room: float) -> list[list[_Line]] | None:
    """The lines over columns, or None where they do not fit."""
    done: list[list[_Line]] = [[]]
    used = 0.0
    for at, line in enumerate(lines):
        last = at
        while lines[last].with_next and last + 1 < len(lines):
            last += 1
        if used + sum(each.height for each in lines[at : last + 1]) > room:
            done.append([])
            used = 0.0
        done[-1].append(line)
        used += line.height
    return done if len(done) <= columns else None


def _set(pen: Pen, card: Card, size: float, width: float) -> list[_Line] | None:
    lines: list[_Line] = []
    for part in card.parts:
        if part.title:
            lines.append(_Line(size * 2.1, (_Piece(0, part.title, bold=True),), ruled=True, with_next=True))
        for words in part.lines:
            wrapped = _wrapped(pen, words, size, width)
            lines += [_Line(size * 1.28, (_Piece(0, each),)) for each in wrapped[:-1]]
            lines.append(_Line(size * 1.28 + size * 0.25, (_Piece(0, wrapped[-1]),)))
        if part.table is not None:
            rows = _rows(pen, part.table, size, width)
            if rows is None:
                return None
            lines += rows
    return lines


def _rows(pen: Pen, table: Table, size: float, width: float) -> list[_Line] | None:
    """A table: columns as wide as they must be, text to the left and figures to the right; None if it is too wide."""
    every = [table.columns, *table.rows]
    natural = [max(pen.width_of(row[at], size, bold=row is table.columns) for row in every) + size
               for at in range(len(table.columns))]  # fmt: skip
    figures = [at > 0 and all(_is_figure(row[at]) for row in table.rows) for at in range(len(natural))]
    text = [at for at, figure in enumerate(figures) if not figure]
    widths = list(natural)
    over = sum(widths) - width
    if over < 0:
        widths[text[-1]] -= over
    for at in sorted(text, key=lambda at: -natural[at]):
        # What is too long is wrapped: the broadest columns give way, to three tenths of the page each.
        given = min(max(over, 0), max(widths[at] - 0.3 * width, 0))
        widths[at] -= given
        over -= given
    if over > 0.01:
        return None
    lines = []
    for row in every:
        head = row is table.columns
        cells = [
            _wrapped(pen, cell, size, wide - size * 0.6, bold=head) for cell, wide in zip(row, widths, strict=True)
        ]
        deep = max(map(len, cells))
        for at in range(deep):
            pieces = []
            left = 0.0
            for cell, wide, figure in zip(cells, widths, figures, strict=True):
                if at < len(cell) and cell[at]:
                    x = left + wide - size * 0.2 if figure else left
                    pieces.append(_Piece(x, cell[at], bold=head, anchor="end" if figure else "start"))
                left += wide
            last = at == deep - 1
            lines.append(_Line(size * 1.3 + (size * 0.2 if last else 0), tuple(pieces), ruled=last, with_next=head))
    return lines


def _is_figure(text: str) -> bool:
    return text[:1].isdigit() or not text


def _wrapped(pen: Pen, text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and pen.width_of(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
