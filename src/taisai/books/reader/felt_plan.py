"""Reads where each box lies on the cloth.

Enters: the `[felt]` table of a layout. Leaves: a `FeltPlan` in which every box of the layout has at least one area, no
two blocks share a cell, and nothing lies off the cloth; faults go to the caller with the index of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from taisai.books.reader import forms
from taisai.core.boxes import Box, BoxName, parse_box
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import FeltBlock, FeltPlan

EMPTY_PLACE = "-"


def read_felt(
    form: forms.FeltForm, names: Set[BoxName] | None, fault: Callable[[str, int | None], None]
) -> FeltPlan | None:
    """The plan, or None when it has a fault. `names` are the boxes of the layout, None while they are not known."""
    width, height = form.size
    blocks: dict[int, FeltBlock] = {}
    whole = True
    for index, raw in enumerate(form.blocks):
        block = _block(raw)
        reasons = block if isinstance(block, list) else list(_misplaced(block, blocks, width, height, names))
        if isinstance(block, FeltBlock):
            blocks[index] = block
        for reason in reasons:
            fault(reason, index)
            whole = False
    placed = {box.name for block in blocks.values() for box in block.boxes if box is not None}
    missing = sorted((names or placed) - placed)
    if missing and whole:
        fault(f"no area for {', '.join(missing)}", None)
    return FeltPlan(width, height, tuple(blocks.values())) if whole and not missing else None


def _block(raw: object) -> FeltBlock | list[str]:
    form = forms.read_form(raw, forms.BlockForm)
    if isinstance(form, list):
        return [flaw.reason for flaw in form]
    kind, colon, arguments = form.boxes.partition(":")
    boxes: list[Box | None] = []
    for argument in arguments.split() if colon else [kind.strip()]:
        if argument == EMPTY_PLACE:
            boxes.append(None)
            continue
        try:
            boxes.append(parse_box(f"{kind.strip()}:{argument}" if colon else argument))
        except InputFault as fault:
            return [fault.reason]
    if not any(boxes):
        return [f"{shown(form.boxes)} names no box"]
    x, y, width, height = form.at
    return FeltBlock(x, y, width, height, form.columns or len(boxes), tuple(boxes))


def _misplaced(
    block: FeltBlock, others: Mapping[int, FeltBlock], width: int, height: int, names: Set[BoxName] | None
) -> Iterator[str]:
    for box in block.boxes:
        if box is not None and names is not None and box.name not in names:
            yield f"{box.name} is not in the pay table"
    if block.x + block.width > width or block.y + block.height > height:
        yield f"reaches beyond the cloth, which is {width} wide and {height} high"
    for index, other in others.items():
        if (
            block.x < other.x + other.width
            and other.x < block.x + block.width
            and block.y < other.y + other.height
            and other.y < block.y + block.height
        ):
            yield f"overlaps row {index + 1}"
