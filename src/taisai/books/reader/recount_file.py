"""Checks a layout against a pay table that somebody else worked out: a second person, or a laboratory.

Enters: `recount-ID.csv` beside `layout-ID.toml` (optional): a row for each of the 56 combinations, a column for each
box, in a cell what the box pays, nothing where it loses. Leaves: a fault for each cell that says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from taisai.books.reader.faults import BookFault
from taisai.books.reader.files import Reading
from taisai.books.reader.toml_text import text_of
from taisai.core.boxes import BoxName
from taisai.core.dice import ALL_COMBINATIONS, Roll, parse_roll
from taisai.core.faults import InputFault, shown
from taisai.core.money import Odds, odds_words, parse_odds
from taisai.core.rulebook import Layout
from taisai.outside import Unreadable, csv_rows

_FAULTS_MAX: Final = 20
"""Cells that are named; where more differ, the table is of another layout."""


def check_recounts(reading: Reading, layouts: Mapping[str, Layout]) -> None:
    """Check every layout that has a recount beside it; faults go to `reading`."""
    for path in sorted(reading.folder.glob("recount-*.csv")):
        layout = layouts.get(path.stem.removeprefix("recount-"))
        if layout is None:
            if not reading.faults:
                reading.faults.append(BookFault(path.name, None, "", "there is no such layout in this book"))
            continue
        try:
            reading.faults += [
                BookFault(path.name, line, "", reason) for line, reason in _differences(text_of(path), layout)
            ][:_FAULTS_MAX]
        except Unreadable as error:
            reading.faults.append(BookFault(path.name, error.line, "", error.reason))


def _differences(text: str, layout: Layout) -> Iterator[tuple[int, str]]:
    rows = list(csv_rows(text.splitlines(), ""))
    head = [cell.strip() for cell in rows[0]] if rows else []
    boxes = [BoxName(cell) for cell in head[1:]]
    if head[:1] != ["dice"] or sorted(boxes) != sorted(layout.boxes):
        strange = sorted({*boxes} ^ {*layout.boxes})[:3]
        yield 1, f"the first row is `dice` and every box of the layout once; see {', '.join(strange) or 'the order'}"
        return
    seen: set[Roll] = set()
    for line, row in enumerate(rows[1:], start=2):
        try:
            roll = parse_roll(row[0] if row else "")
        except InputFault as fault:
            yield line, f"{shown(row[0] if row else '')} is no roll: {fault.reason}"
            continue
        if roll in seen or roll not in ALL_COMBINATIONS or len(row) != len(head):
            yield line, f"each combination stands once, low to high, with {len(boxes)} cells: see {roll}"
            continue
        seen.add(roll)
        for box, cell in zip(boxes, row[1:], strict=True):
            yield from ((line, reason) for reason in _cell(layout, box, roll, cell.strip()))
    missing = [str(roll) for roll in ALL_COMBINATIONS if roll not in seen]
    if missing:
        yield len(rows), f"of the 56 combinations these are missing: {'; '.join(missing[:5])}"


def _cell(layout: Layout, box: BoxName, roll: Roll, cell: str) -> Iterator[str]:
    """Why a cell is not what the layout pays."""
    pays = layout.pays(box, roll)
    try:
        said: Odds | None = parse_odds(int(cell) if cell.isdecimal() else cell) if cell else None
    except InputFault as fault:
        yield f"{box} on {roll}: {fault.reason}"
        return
    if said != pays:
        words = ["loses" if each is None else odds_words(each) for each in (said, pays)]
        yield f"{box} on {roll}: the recount says {words[0]}, the layout {words[1]}"
