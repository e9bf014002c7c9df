"""Reads where each box lies on the cloth, and what is printed there.

Enters: the `[felt]` table of a layout, and what its boxes pay. Leaves: a `FeltPlan` in which every box of the layout
has at least one area, no two blocks share a cell, nothing lies off the cloth, and every label can be printed on its
boxes; faults go to the caller with the index of the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from taisai.books.reader import forms
from taisai.core.boxes import Box, BoxName, Definitions, box_among
from taisai.core.cloth import FeltBlock, FeltPlan, PrintLine, PrintRole, label, label_fault
from taisai.core.faults import InputFault, shown

EMPTY_PLACE = "-"
Payouts = Mapping[BoxName, Sequence[str]]
"""What each box of a layout pays, as the cloth prints it: one payout, or several where it depends on the dice."""


def read_felt(
    form: forms.FeltForm,
    definitions: Definitions,
    payouts: Payouts | None,
    fault: Callable[[str, int | None], None],
) -> FeltPlan | None:
    """The plan, or None when it has a fault. `payouts` has the boxes of the layout, None while they are not known."""
    width, height = form.size
    blocks: dict[int, FeltBlock] = {}
    whole = True
    for index, raw in enumerate(form.blocks):
        block = _block(raw, form.print, definitions)
        reasons = block if isinstance(block, list) else list(_misplaced(block, blocks, width, height, payouts))
        if isinstance(block, FeltBlock):
            blocks[index] = block
            reasons += _labels_wrong(block, payouts or {})
        for reason in reasons:
            fault(reason, index)
            whole = False
    placed = {box.name for block in blocks.values() for box in block.boxes if box is not None}
    families = {name.partition(":")[0] for name in placed}
    for family in form.print:
        if whole and family not in families:
            fault(f"`print` has labels for {shown(family)}, of which no block has a box", None)
            whole = False
    missing = sorted((payouts or {}).keys() - placed)
    if missing and whole:
        fault(f"no area for {', '.join(missing)}", None)
    if not whole or missing:
        return None
    return FeltPlan(width, height, tuple(blocks.values()), form.reconstructed or "", form.lang or "zh-Hans")


def _block(raw: object, prints: Mapping[str, list[str]], definitions: Definitions) -> FeltBlock | list[str]:
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
            boxes.append(box_among(definitions.boxes, f"{kind.strip()}:{argument}" if colon else argument))
        except InputFault as fault:
            return [fault.reason]
    if not any(boxes):
        return [f"{shown(form.boxes)} names no box"]
    if form.side is not None and form.heading is None:
        return ["`side` says where a heading stands, and there is no `heading`"]
    lines = [_line(each) for each in form.print or prints.get(kind.strip(), [])]
    wrong = [line for line in lines if isinstance(line, str)]
    if wrong:
        return wrong
    x, y, width, height = form.at
    return FeltBlock(
        x,
        y,
        width,
        height,
        form.columns or len(boxes),
        tuple(boxes),
        section=form.section or "",
        lines=tuple(line for line in lines if isinstance(line, PrintLine)),
        heading=form.heading or "",
        side=form.side,
        tone=form.tone,
    )


def _line(text: str) -> PrintLine | str:
    """A label, or why it is none."""
    role, _, words = text.partition(":")
    if role not in list(PrintRole) or not words.strip():
        return f"a label is one of {', '.join(PrintRole)}, a colon and its words, got {shown(text)}"
    return PrintLine(PrintRole(role), words.strip())


def _labels_wrong(block: FeltBlock, payouts: Payouts) -> list[str]:
    """Why labels of a block cannot be printed."""
    names = [box.name for box in block.boxes if box is not None and box.name in payouts]
    pays = [payouts[name] for name in names]
    wrong = [label_fault(line.text, names, pays) for line in block.lines]
    wrong.append(label_fault(block.heading, names, pays))
    found = [reason for reason in wrong if reason is not None]
    if found:
        return found
    for line in block.lines:
        if line.role in {PrintRole.DICE, PrintRole.NUMBERS}:
            allowed = "123456" if line.role is PrintRole.DICE else "0123456789"
            printed = {mark for name, odds in zip(names, pays, strict=True) for mark in label(line.text, name, odds)}
            if printed - set(allowed) - {" "}:
                found.append(f"`{line.role}: {line.text}` may print {allowed} and spaces only")
    headings = {label(block.heading, name, odds): name for name, odds in zip(names, pays, strict=True)}
    if len(headings) > 1:
        (one, first), (two, second), *_ = headings.items()
        found.append(f"the heading says {shown(one)} for {first} and {shown(two)} for {second}")
    return found


def _misplaced(
    block: FeltBlock, others: Mapping[int, FeltBlock], width: int, height: int, payouts: Payouts | None
) -> Iterator[str]:
    for box in block.boxes:
        if box is not None and payouts is not None and box.name not in payouts:
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
