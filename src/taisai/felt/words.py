"""What the felt says: the labels of the book, or plain ones where it gives none.

Enters: a layout, a block of its plan, a box. Leaves: lines of words, and the headings of blocks. Payouts are always the
layout's own, never typed in here. Serves `nz-division-9` §3.2 (an area for each wager and its payout odds) and the
labels of all appendices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from taisai.core.boxes import BoxName
from taisai.core.cloth import FeltBlock, PrintLine, PrintRole, argument_of, faces_of, label
from taisai.core.dice import ALL_COMBINATIONS
from taisai.core.money import odds_number
from taisai.core.rulebook import Layout, PayRow

_DICE_WORDS: Final = {1: "ONE DIE", 2: "TWO DICE", 3: "THREE DICE"}

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


def odds_of(rows: Sequence[PayRow]) -> tuple[str, ...]:
    """What a box pays in plain words: `1 WINS 62`, or one line for each case where it depends on the dice."""
    if len(payouts_of(rows)) == 1:
        return (f"1 WINS {odds_number(rows[0].pays)}" if rows[0].pays else "PUSH",)
    return tuple(dict.fromkeys(f"{row.odds.upper()} ON {_case(row)}" for row in rows))


def _case(row: PayRow) -> str:
    cases = []
    if row.dice is not None:
        cases.append(_DICE_WORDS[row.dice])
    if row.totals is not None:
        cases.append(", ".join(map(str, sorted(row.totals))))
    if row.when is not None:
        cases.append(row.when.text)
    return " AND ".join(cases)


def label_of(layout: Layout, name: BoxName, rows: Sequence[PayRow]) -> str:
    """A box in a sentence, for those who do not see it: `Total 9, pays 7 to 1`."""
    if len(payouts_of(rows)) == 1:
        odds = rows[0].odds
    else:
        odds = ", ".join(dict.fromkeys(f"{row.odds} on {_case(row).lower()}" for row in rows))
    return f"{layout.names.bet(layout.boxes[name], rows[0].bet)}, pays {odds}"


def lines_of(layout: Layout, block: FeltBlock, name: BoxName, rows: Sequence[PayRow]) -> tuple[PrintLine, ...]:
    """What stands in an area: the block's labels on this box, or plain ones."""
    if block.lines:
        payouts = payouts_of(rows)
        return tuple(PrintLine(role, label(text, name, payouts)) for role, text in block.lines)
    return (*_plain_name(layout, block, name, rows), *(PrintLine(PrintRole.ODDS, line) for line in odds_of(rows)))


def _plain_name(layout: Layout, block: FeltBlock, name: BoxName, rows: Sequence[PayRow]) -> tuple[PrintLine, ...]:
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
    return (PrintLine(PrintRole.NAME, rows[0].bet.upper() if alone else argument_of(name)),)


def heading_of(block: FeltBlock, rows: Rows) -> str:
    """What stands once beside a block; empty where nothing does."""
    names = [box.name for box in block.boxes if box is not None]
    if block.heading:
        return label(block.heading, names[0], payouts_of(rows[names[0]]))
    odds = {odds_of(rows[name]) for name in names}
    if block.lines or len(names) == 1 or len(odds) != 1:
        return ""
    # What belongs together does not break over two lines.
    words = [rows[names[0]][0].bet.upper(), *(line.replace(" ", "\u00a0") for line in odds.pop())]
    return " · ".join(words)


def section_of(block: FeltBlock, rows: Rows) -> str:
    """The part of the felt that a block belongs to, by the name that screens show."""
    return block.section or rows[next(box.name for box in block.boxes if box is not None)][0].bet
