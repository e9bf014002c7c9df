"""Reads the layouts of a rule book and proves their pay tables.

Enters: `layout-ID.toml`. Leaves: layouts in which, over all 216 rolls, each box pays exactly one way where it wins, and
whose felt, if drawn, holds every box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from taisai.books.reader import forms
from taisai.books.reader.felt_plan import read_felt
from taisai.books.reader.files import ID, ID_WORDS, BookFile, Reading
from taisai.books.reader.forms import quoted
from taisai.core.boxes import ONE_FACE_KINDS, BoxName, parse_boxes
from taisai.core.faults import InputFault
from taisai.core.rulebook import FeltPlan, Layout, PayRow, make_layout, pay_row_faults

PAYS_MAX = 1_000_000


def read_layouts(reading: Reading, names: Iterable[str]) -> Iterator[Layout]:
    """The layouts of these files that have no fault."""
    for name in names:
        file = reading.open(name)
        layout_id = name.removeprefix("layout-").removesuffix(".toml")
        if not ID.fullmatch(layout_id):
            file.fault(f"the id of a layout, after layout-, {ID_WORDS}")
        form = file.form(forms.LayoutForm)
        layout = _layout(reading, file, layout_id, form) if form is not None else None
        if layout is not None:
            yield layout


def _layout(reading: Reading, file: BookFile, layout_id: str, form: forms.LayoutForm) -> Layout | None:
    faults_before = len(reading.faults)
    rows = tuple(_pay_rows(reading, file, form.pay))
    names: set[BoxName] | None = None
    if len(rows) == len(form.pay):  # With a row missing, the rest cannot be proved.
        names = {box.name for row in rows for box in row.boxes}
        for fault in pay_row_faults(rows):
            file.fault(fault.reason, "pay", fault.row)
    felt: FeltPlan | None = None
    if form.felt is not None:
        felt = read_felt(form.felt, names, lambda reason, index: file.fault(reason, "felt.blocks", index))
    clauses = reading.cite(file, form.clause, "clause")
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
    )


def _pay_rows(reading: Reading, file: BookFile, raw: list[object]) -> Iterator[PayRow]:
    for index, row in file.rows("pay", raw, forms.PayForm):
        clauses = reading.cite(file, row.clause, "pay", index)
        triple_clauses = reading.cite(file, row.triple_clause, "pay", index)
        if type(row.pays) is not int or not 1 <= row.pays <= PAYS_MAX:
            reason = f"`pays` is the odds to 1, a whole number from 1 to {PAYS_MAX}; got {quoted(row.pays)}"
            file.fault(reason, "pay", index)
            continue
        try:
            boxes = parse_boxes(row.boxes)
        except InputFault as fault:
            file.fault(fault.reason, "pay", index)
            continue
        if row.dice is not None and boxes[0].kind not in ONE_FACE_KINDS:
            reason = f"`dice` goes with {', '.join(sorted(ONE_FACE_KINDS))} only, not with {boxes[0].kind}"
            file.fault(reason, "pay", index)
            continue
        totals = None if row.totals is None else frozenset(row.totals)
        yield PayRow(row.bet, boxes, row.pays, clauses, row.dice, totals, triple_clauses)
