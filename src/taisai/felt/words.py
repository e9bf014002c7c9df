"""What the felt says: the labels of the book, or plain ones where it gives none.

Enters: a layout in the words of some language, a block of its plan, a box. Leaves: lines of words, and the headings of
blocks. Payouts are always the layout's own, never typed in here. Serves `nz-division-9` §3.2 (an area for each wager,
its payout odds) and the labels of all appendices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from taisai.core.boxes import BoxName
from taisai.core.cloth import FACE_WORDS, FeltBlock, FeltPlan, PrintLine, PrintRole, argument_of, faces_of, label
from taisai.core.dice import ALL_COMBINATIONS
from taisai.core.money import odds_number
from taisai.core.names import DIGITS, OWN_LANGUAGE, Part
from taisai.core.rulebook import Layout, PayRow

_DICE_WORDS: Final = {1: "ONE DIE", 2: "TWO DICE", 3: "THREE DICE"}
_WINS: Final = "1 WINS {pays}"
_ODDS: Final = "{pays} TO 1"
_PUSH: Final = "PUSH"
_CASE: Final = "{odds} ON {case}"
_AND: Final = " AND "
_COMMA: Final = ", "

Rows = Mapping[BoxName, Sequence[PayRow]]
"""The pay rows of every box of a layout."""


def rows_of(layout: Layout) -> Rows:
    """All boxes' rows at once: a felt asks for each of them several times."""
    rows: dict[BoxName, list[PayRow]] = {name: [] for name in layout.boxes}
    for row in layout.rows:
        for box in row.boxes:
            rows[box.name].append(row)
    return rows


def payouts_of(rows: Sequence[PayRow]) -> tuple[str, ...]:
    """What a box pays, each payout once, in the order of the pay table."""
    return tuple(dict.fromkeys(str(odds_number(row.pays)) for row in rows))


def _said(layout: Layout, words: str, **values: str) -> str:
    """A phrase of the cloth in the layout's language, filled in."""
    return layout.names.of(Part.LABELS, words).format_map(values)


def odds_of(layout: Layout, rows: Sequence[PayRow]) -> tuple[str, ...]:
    """What a box pays in plain words: `1 WINS 62`, or one line for each case where it depends on the dice."""
    if len(payouts_of(rows)) == 1:
        return (_wins(layout, rows[0]),)
    return tuple(dict.fromkeys(_said(layout, _CASE, odds=_odds(layout, row), case=_case(layout, row)) for row in rows))


def _wins(layout: Layout, row: PayRow) -> str:
    return _said(layout, _WINS, pays=str(odds_number(row.pays))) if _to_one(row) else _odds(layout, row)


def _odds(layout: Layout, row: PayRow) -> str:
    """The odds in the language of the cloth, or as the book writes them: `60 FOR 1`."""
    if row.pays == 0:
        return _said(layout, _PUSH)
    return _said(layout, _ODDS, pays=str(odds_number(row.pays))) if _to_one(row) else row.odds.upper()


def _to_one(row: PayRow) -> bool:
    return row.pays != 0 and row.odds.endswith(" to 1")


def _case(layout: Layout, row: PayRow) -> str:
    """When a row pays, where its box has several: as the book says it, or from what narrows the row."""
    if row.on:
        return layout.names.of(Part.LABELS, row.on).upper()
    cases = []
    if row.dice is not None:
        cases.append(_said(layout, _DICE_WORDS[row.dice]))
    if row.totals is not None:
        cases.append(", ".join(map(str, sorted(row.totals))))
    if row.when is not None:
        cases.append(row.when.text)
    return _said(layout, _AND).join(cases)


def label_of(layout: Layout, name: BoxName, rows: Sequence[PayRow]) -> str:
    """A box in a sentence, for those who do not see it: `Total 9, pays 7 to 1`."""
    if len(payouts_of(rows)) == 1:
        odds = rows[0].odds
    else:
        odds = ", ".join(dict.fromkeys(f"{row.odds} on {_case(layout, row).lower()}" for row in rows))
    return f"{layout.bet_name(name)}, pays {odds}"


def lines_of(layout: Layout, block: FeltBlock, name: BoxName, rows: Sequence[PayRow]) -> tuple[PrintLine, ...]:
    """What stands in an area: the block's labels on this box, or plain ones."""
    if block.lines:
        payouts = payouts_of(rows)
        return tuple(PrintLine(role, _label(layout, text, name, payouts)) for role, text in block.lines)
    printed = (PrintLine(PrintRole.ODDS, line) for line in odds_of(layout, rows))
    return (*_plain_name(layout, block, name), *printed)


def _label(layout: Layout, text: str, name: BoxName, payouts: Sequence[str]) -> str:
    """A label in the layout's language; dice without names of their own are spelt out in words."""
    names = layout.names
    faces = FACE_WORDS if names.faces == DIGITS else names.faces
    return label(names.of(Part.LABELS, text), name, payouts, faces)


def _plain_name(layout: Layout, block: FeltBlock, name: BoxName) -> tuple[PrintLine, ...]:
    """The faces that a box is named after, if all its winning rolls show them; otherwise its number or its name."""
    common: Counter[int] | None = None
    for roll in ALL_COMBINATIONS:
        if name in layout.winners[roll.index]:
            shown = Counter(roll.faces)
            common = shown if common is None else common & shown
    if common and set(common) == set(faces_of(name)):
        faces = "".join(str(face) for face in faces_of(name) if face in common)
        count = sum(common.values())
        drawn = faces if len(faces) == count else "".join(map(str, sorted(common.elements())))
        return (PrintLine(PrintRole.DICE, drawn),)
    alone = not argument_of(name) or len([box for box in block.boxes if box is not None]) == 1
    words = layout.box_name(name).upper() if alone else argument_of(name)
    return (PrintLine(PrintRole.NAME, words),)


def heading_of(layout: Layout, block: FeltBlock, rows: Rows) -> str:
    """What stands once beside a block; empty where nothing does."""
    names = [box.name for box in block.boxes if box is not None]
    if block.heading:
        return _label(layout, block.heading, names[0], payouts_of(rows[names[0]]))
    odds = {odds_of(layout, rows[name]) for name in names}
    if block.lines or len(names) == 1 or len(odds) != 1:
        return ""
    # What belongs together does not break over two lines.
    bet = layout.names.of(Part.BETS, rows[names[0]][0].bet).replace("{n}", "").strip()
    words = [bet.upper(), *(line.replace(" ", "\u00a0") for line in odds.pop())]
    return " · ".join(words)


def sections_of(layout: Layout, plan: FeltPlan, rows: Rows) -> list[str]:
    """For each block the part of the felt that it belongs to, by the name that screens show.

    A part that a translation does not name is called by the kinds of bets that it has.
    """
    names = layout.names
    own = [
        block.section or rows[next(box.name for box in block.boxes if box is not None)][0].bet for block in plan.blocks
    ]
    if names.lang == OWN_LANGUAGE:
        return [names.of(Part.SECTIONS, section) for section in own]
    kinds: dict[str, dict[str, None]] = {section: {} for section in own}
    for section, block in zip(own, plan.blocks, strict=True):
        kinds[section] |= dict.fromkeys(layout.kind_name(box.kind) for box in block.boxes if box is not None)
    return [names.of(Part.SECTIONS, section, _said(layout, _COMMA).join(kinds[section])) for section in own]
