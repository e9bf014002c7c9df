"""Reads the layouts of a rule book and proves their pay tables.

Enters: `layout-ID.toml`. Leaves: layouts in which, over all 216 rolls, each box pays exactly one way where it wins, and
whose felt, if drawn, holds every box.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from taisai.books.reader import forms
from taisai.books.reader.definitions import with_pay_rows
from taisai.books.reader.felt_plan import read_felt
from taisai.books.reader.files import ID, ID_WORDS, BookFile, Reading
from taisai.books.reader.forms import quoted
from taisai.core.boxes import Box, BoxName, Definitions
from taisai.core.cloth import FeltPlan
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault, shown
from taisai.core.money import Odds, RoundingRule, odds_number, parse_odds, unit_needed
from taisai.core.names import Face, Names
from taisai.core.odds import percent
from taisai.core.predicates import Combinations, first_of, parse_predicate, ways_of
from taisai.core.rulebook import Draw, Layout, PayRow, make_layout, raised_by

_DRAWS_MAX: Final = 100
"""Rows of a draw table: each is a layout of its own in memory."""


def read_layouts(
    reading: Reading, files: Iterable[str], definitions: Definitions, names: Names, faces: tuple[Face, ...]
) -> Iterator[Layout]:
    """The layouts of these files that have no fault."""
    for name in files:
        file = reading.open(name)
        layout_id = name.removeprefix("layout-").removesuffix(".toml")
        if not ID.fullmatch(layout_id):
            file.fault(f"the id of a layout, after layout-, {ID_WORDS}")
        form = file.form(forms.LayoutForm)
        layout = (
            _layout(reading, file, layout_id, form, definitions, names=names, faces=faces) if form is not None else None
        )
        if layout is not None:
            yield layout


def _layout(
    reading: Reading,
    file: BookFile,
    layout_id: str,
    form: forms.LayoutForm,
    definitions: Definitions,
    *,
    names: Names,
    faces: tuple[Face, ...],
) -> Layout | None:
    faults_before = len(reading.faults)
    forms_of_rows = list(file.rows("pay", form.pay, forms.PayForm))
    definitions = with_pay_rows(definitions, [row for _, row in forms_of_rows])
    rows = tuple(_pay_rows(reading, file, forms_of_rows, definitions))
    payouts: dict[BoxName, list[str]] | None = None
    if len(rows) == len(form.pay):  # With a row missing, the rest cannot be proved.
        payouts = {}
        for row in rows:
            for box in row.boxes:
                odds = payouts.setdefault(box.name, [])
                if (number := str(odds_number(row.pays))) not in odds:
                    odds.append(number)
        for fault in pay_row_faults(rows):
            file.fault(fault.reason, "pay", fault.row)
    draws = tuple(_draws(reading, file, form.draws, rows, definitions))
    if payouts is not None and len(reading.faults) == faults_before:
        for fault in _edge_faults(rows, form, [row for _, row in forms_of_rows], draws):
            file.fault(fault.reason, "pay", fault.row)
    felt: FeltPlan | None = None
    if form.felt is not None:
        felt = read_felt(
            form.felt, definitions, payouts, lambda reason, index: file.fault(reason, "felt.blocks", index)
        )
    clauses = reading.cite(file, form.clause, "clause")
    rounding: RoundingRule | None = None
    if form.rounding is not None:
        rounding = RoundingRule(form.rounding.way, reading.cite(file, form.rounding.clause, "rounding"))
        raised = [odds for draw in draws for odds, _ in draw.raised.values()]
        if unit_needed([*(row.pays for row in rows), *raised]) == 1:
            file.fault("has no effect: all odds are whole numbers to 1", "rounding")
    triple_clauses = reading.cite(file, form.triple_clause, "triple_clause")
    if len(reading.faults) > faults_before:
        return None
    return make_layout(
        book_id=reading.book_id,
        layout_id=layout_id,
        title=form.title,
        clauses=clauses,
        triple_clauses=triple_clauses,
        rows=rows,
        felt=felt,
        rounding=rounding,
        names=names,
        faces=faces,
        draws=draws,
    )


def _draws(
    reading: Reading, file: BookFile, raw: list[object], rows: Sequence[PayRow], definitions: Definitions
) -> Iterator[Draw]:
    """The draw table: names that differ, and boxes of the layout that are each raised once, by odds of their own."""
    if len(raw) > _DRAWS_MAX:
        file.fault(f"a draw table has at most {_DRAWS_MAX} rows, this one has {len(raw)}", "draws")
        return
    paid: dict[BoxName, list[PayRow]] = {}
    for row in rows:
        for box in row.boxes:
            paid.setdefault(box.name, []).append(row)
    found: dict[str, Draw] = {}
    raises = False
    for index, form in file.rows("draws", raw, forms.DrawForm):
        clauses = reading.cite(file, form.clause, "draws", index)
        if form.draw in found:
            file.fault(f"draw {form.draw} stands twice", "draws", index)
        raised: dict[BoxName, tuple[Odds, int | str]] = {}
        raises = raises or bool(form.raised)
        for each in form.raised:
            for reason in _raise(each, raised, paid, definitions):
                file.fault(reason, "draws", index)
        found[form.draw] = Draw(form.draw, form.weight, raised, clauses)
    yield from found.values()
    if raw and len(found) == len(raw) and not raises:
        file.fault("no draw raises a box: a draw table without effect; name boxes in `raised`", "draws")


def _raise(
    raw: object,
    raised: dict[BoxName, tuple[Odds, int | str]],
    paid: Mapping[BoxName, Sequence[PayRow]],
    definitions: Definitions,
) -> Iterator[str]:
    """Take up one row of `raised`; why it cannot be."""
    form = forms.read_form(raw, forms.RaisedForm)
    if isinstance(form, list):
        yield from (f"`raised`: {flaw.reason}" for flaw in form)
        return
    try:
        odds = parse_odds(form.pays, quoted(form.pays))
        boxes = definitions.named(form.boxes)
    except InputFault as fault:
        yield f"`raised`: {fault.reason}"
        return
    for box in boxes:
        own = paid.get(box.name, ())
        if not own:
            yield f"{box.name} is raised and has no row in `pay`; write one with its odds without a draw"
        elif len(own) > 1:
            yield f"{box.name} pays several ways, so `raised` does not say which; raise boxes with one row in `pay`"
        elif odds <= own[0].pays:
            yield f"{box.name} is raised to {form.pays}, which is no more than its {own[0].odds}"
        elif box.name in raised:
            yield f"{box.name} is raised twice in one draw"
        else:
            raised[box.name] = (odds, _as_written(form.pays))


def _edge_faults(
    rows: Sequence[PayRow], form: forms.LayoutForm, written: Sequence[forms.PayForm], draws: Sequence[Draw]
) -> Iterator[RowFault]:
    """Ways and edges that a row states and that are not so; boxes that return more than their stake."""
    returned: dict[BoxName, Odds] = {}
    outcomes = [(draw.weight, raised_by(draw, rows)) for draw in draws] or [(1, tuple(rows))]
    out_of = len(ALL_ROLLS) * sum(weight for weight, _ in outcomes)
    for weight, drawn in outcomes:
        for row in drawn:
            for box in row.boxes:
                back = weight * (row.pays + 1) * ways_of(row.applies(box))
                returned[box.name] = returned.get(box.name, 0) + back
    for number, (row, said) in enumerate(zip(rows, written, strict=True)):
        for box in row.boxes:
            ways, edge = ways_of(row.applies(box)), 1 - Fraction(returned[box.name]) / out_of
            if said.ways not in {None, ways}:
                yield RowFault(number, f"{box.name} is paid on {ways} of the 216 rolls, not on {said.ways} ways")
            if said.edge is not None and not _is_edge(said.edge, edge):
                found = f"the edge of {box.name} is {percent(edge)} ({edge})"
                slip = any(mark in said.edge for mark in "%/")
                remedy = "which is mistyped, the odds or the edge?" if slip else f'an edge is written "{percent(edge)}"'
                yield RowFault(number, f"{found}, not {shown(said.edge)}; {remedy}")
            if edge < 0 and not form.player_edge:
                odds = f"{row.odds}, or what a draw makes of it," if draws else row.odds
                reason = f"{box.name} returns more than it takes (edge {percent(edge)}); is {odds} a typo?"
                yield RowFault(number, f"{reason} If not, write player_edge = true in the layout")
                break


def _as_written(pays: object) -> int | str:
    return pays if isinstance(pays, int) else str(pays)


def _is_edge(text: str, edge: Fraction) -> bool:
    """Whether a stated edge is this one, to as many places as it states: `2.78 %`, `1/9`."""
    found = re.fullmatch(r"(-?\d+)(?:\.(\d{1,9}))?\s*%|(-?\d+/[1-9]\d{0,8})", text)
    if found is None:
        return False
    if found[3] is not None:
        return Fraction(found[3]) == edge
    places = len(found[2] or "")
    return abs(edge * 100 - Fraction(f"{found[1]}.{found[2] or 0}")) * 2 <= Fraction(1, 10**places)


def _pay_rows(
    reading: Reading, file: BookFile, rows: list[tuple[int, forms.PayForm]], definitions: Definitions
) -> Iterator[PayRow]:
    for index, row in rows:
        clauses = reading.cite(file, row.clause, "pay", index)
        triple_clauses = reading.cite(file, row.triple_clause, "pay", index)
        try:
            pays = parse_odds(row.pays, quoted(row.pays))
            boxes = definitions.named(row.boxes)
            when = None if row.when is None else parse_predicate(row.when, boxes[0].values)
        except InputFault as fault:
            file.fault(fault.reason, "pay", index)
            continue
        if when is None and boxes[0].definition.when is None:
            file.fault(f"no `when`, and nothing else says when {boxes[0].name} wins", "pay", index)
            continue
        if row.dice is not None and len(boxes[0].faces) != 1:
            file.fault(f"`dice` goes with boxes of one face only, not with {boxes[0].kind}", "pay", index)
            continue
        totals = None if row.totals is None else frozenset(row.totals)
        yield PayRow(
            row.bet, boxes, pays, clauses, row.dice, totals, triple_clauses, when, _as_written(row.pays), row.on
        )


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
        seen: set[BoxName] = set()
        for box in row.boxes:
            if box.name in seen:
                faults.append(RowFault(number, f"duplicate box {box.name}"))
            seen.add(box.name)
        idle = next((box for box in row.boxes if not row.applies(box)), None)
        if idle is not None:
            faults.append(RowFault(number, f"never pays {idle.name}: no roll fits {_conditions(row)}"))
    return faults


def _conditions(row: PayRow) -> str:
    when, dice, totals = row.condition
    narrowed = [f"`{when}`"] if when else []
    narrowed += [words for words, given in (("its dice", dice), ("its totals", totals)) if given is not None]
    return " and ".join(narrowed) or "its definition"


def _matrix_faults(rows: Sequence[PayRow]) -> list[RowFault]:
    """Boxes that two rows pay on one roll, or whose definition has them win where no row pays them."""
    rows_of: dict[Box, list[int]] = {}
    for number, row in enumerate(rows):
        for box in dict.fromkeys(row.boxes):
            rows_of.setdefault(box, []).append(number)
    faults = []
    for box, numbers in rows_of.items():
        paid: Combinations = 0
        where = {number: rows[number].applies(box) for number in numbers}
        for number in numbers:
            if twice := paid & where[number]:
                first = next(other for other in numbers if where[other] & twice)
                roll = first_of(where[first] & twice)
                same = rows[first].condition == rows[number].condition
                fault = f"duplicate box {box.name}" if same else f"{box.name} pays two ways on {roll}"
                faults.append(RowFault(number, f"{fault} (also row {first + 1})"))
                break
            paid |= where[number]
        else:
            if (unpaid := box.wins & ~paid) and all(rows[number].when is None for number in numbers):
                faults.append(RowFault(numbers[-1], f"{box.name} wins on {first_of(unpaid)} but no row pays it"))
    return faults
