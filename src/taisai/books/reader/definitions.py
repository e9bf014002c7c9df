"""Reads what boxes are called and when they win.

Enters: the package's `boxes.toml`, the optional `boxes.toml` of a book, and pay rows that bring their own boxes.
Leaves: `Definitions`, by which pay rows and felts name their boxes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from taisai.books.reader import forms
from taisai.books.reader.files import BookFile, Reading
from taisai.core.boxes import Definition, Definitions, split_pattern
from taisai.core.faults import InputFault
from taisai.core.predicates import Predicate, parse_predicate

BOXES: Final = "boxes.toml"
_OWN: Final = Path(__file__).parent.parent


@cache
def standard_definitions() -> Definitions:
    """The boxes that any book may use by name."""
    reading = Reading(_OWN)
    definitions = Definitions(_families(reading.open(BOXES)))
    assert not reading.faults, reading.faults
    return definitions


def read_definitions(reading: Reading) -> Definitions:
    """The boxes of a book's own `boxes.toml`, if it has one, before those of the package."""
    if not (reading.folder / BOXES).exists():
        return standard_definitions()
    return Definitions(_families(reading.open(BOXES)), standard_definitions())


def _families(file: BookFile) -> Iterable[Definition]:
    form = file.form(forms.BoxesForm)
    seen: dict[str, int] = {}
    for index, row in file.rows("boxes", form.boxes, forms.BoxForm) if form is not None else ():
        try:
            family = definition_of(row)
        except InputFault as fault:
            file.fault(fault.reason, "boxes", index)
            continue
        if row.box in seen:
            file.fault(f"box {row.box} stands twice (also row {seen[row.box] + 1})", "boxes", index)
        seen[row.box] = index
        yield family


def definition_of(row: forms.BoxForm) -> Definition:
    """A row as a definition; `InputFault` when its name or its predicate cannot be read."""
    kind, letters = split_pattern(row.box)
    when: Predicate | None = None if row.when is None else parse_predicate(row.when, letters)
    needs = row.needs or _filled_in(row.when or "what its pay row says", letters)
    return Definition(row.box, kind, letters, when, row.group, row.title, needs, row.plural or _plural(row.title))


def with_pay_rows(definitions: Definitions, rows: Iterable[forms.PayForm]) -> Definitions:
    """The definitions, and those that pay rows bring with their own `when`: `hi`, or a family, `alley:{a}{b}`."""
    brought: dict[str, list[forms.PayForm]] = {}
    kinds = {family.kind for family in definitions.families}
    for row in rows:
        if row.when is not None and row.boxes.partition(":")[0].strip() not in kinds:
            brought.setdefault(row.boxes, []).append(row)
    families = []
    bets = Counter(alike[0].bet for alike in brought.values())
    for pattern, alike in brought.items():
        try:
            kind, letters = split_pattern(pattern)
        except InputFault:
            continue  # The row itself is refused: it names no box.
        # Boxes that share a bet are told apart by their own names: `all-red`, `all-blue`.
        title = alike[0].bet if bets[alike[0].bet] == 1 or letters else kind.replace("-", " ").capitalize()
        title += " {n}" if letters else ""
        needs = " or ".join(dict.fromkeys(row.on or _filled_in(str(row.when), letters) for row in alike))
        families.append(definition_of(forms.BoxForm(pattern, title, needs)))
    return Definitions(families, definitions) if families else definitions


def _plural(title: str) -> str:
    """A title without the place for its faces."""
    return re.sub(r"\s*\{[a-z]\}", "", title) or title


def _filled_in(when: str, letters: Iterable[str]) -> str:
    """A predicate as words: variables become places for their values."""
    return re.sub(rf"\b({'|'.join(dict.fromkeys(letters)) or '-'})\b", r"{\1}", when)
