"""What the felt says: names in English and Chinese, odds, headings.

Enters: a layout and a box. Leaves: words. Odds are always the layout's own, never typed in here. Serves
`nz-division-9` §3.2 (an area for each wager and its payout odds) and the words of all appendices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from taisai.core.boxes import BIG_TOTALS, FIELD_TOTALS, SMALL_TOTALS, Box, BoxName, Kind
from taisai.core.rulebook import Layout, PayRow
from taisai.core.words import box_title

FACE_WORDS: Final = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX")
HAN: Final = {
    Kind.BIG: "大",
    Kind.SMALL: "小",
    Kind.ODD: "单",
    Kind.EVEN: "双",
    Kind.ANY_TRIPLE: "围骰",
}
TRIPLE_LOSES: Final = ("LOSE IF ANY", "TRIPLE APPEARS")
TRIPLE_LOSES_HAN: Final = "围骰通吃"
FIELD_NUMBERS: Final = tuple(sorted(FIELD_TOTALS))

_DICE_WORDS: Final = {1: "ONE DIE", 2: "TWO DICE", 3: "THREE DICE"}


def range_of(box: Box) -> str | None:
    """The totals of Big and Small as the felt prints them."""
    totals = {Kind.SMALL: SMALL_TOTALS, Kind.BIG: BIG_TOTALS}.get(box.kind)
    return None if totals is None else f"{totals[0]} TO {totals[-1]}"


def digits_of(box: Box) -> str:
    """The faces as the felt prints them: three in the order of the name, four from the highest down."""
    return "".join(map(str, reversed(box.faces) if box.kind is Kind.FOUR else box.faces))


Rows = Mapping[BoxName, Sequence[PayRow]]
"""The pay rows of every box of a layout."""


def rows_of(layout: Layout) -> Rows:
    """All boxes' rows at once: a felt asks for each of them several times."""
    rows: dict[BoxName, list[PayRow]] = {name: [] for name in layout.boxes}
    for row in layout.rows:
        for box in row.boxes:
            rows[box.name].append(row)
    return rows


def odds_of(rows: Sequence[PayRow]) -> tuple[str, ...]:
    """What a box pays: `1 WINS 62`, or one line for each case where it depends on the dice."""
    if len({row.pays for row in rows}) == 1:
        return (f"1 WINS {rows[0].pays}",)
    return tuple(dict.fromkeys(f"{row.pays} TO 1 ON {_case(row)}" for row in rows))


def _case(row: PayRow) -> str:
    cases = []
    if row.dice is not None:
        cases.append(_DICE_WORDS[row.dice])
    if row.totals is not None:
        cases.append(", ".join(map(str, sorted(row.totals))))
    return " AND ".join(cases)


def label_of(box: Box, rows: Sequence[PayRow]) -> str:
    """A box in a sentence, for those who do not see it: `Total 9, pays 7 to 1`."""
    if len({row.pays for row in rows}) == 1:
        odds = f"{rows[0].pays} to 1"
    else:
        odds = ", ".join(dict.fromkeys(f"{row.pays} to 1 on {_case(row).lower()}" for row in rows))
    return f"{box_title(box)}, pays {odds}"


def heading_of(boxes: Sequence[Box], rows: Rows) -> str | None:
    """What stands once beside a group of areas that all pay alike; None where the real felts have no such words."""
    kinds = {box.kind for box in boxes}
    odds = {odds_of(rows[box.name]) for box in boxes}
    if len(kinds) != 1 or len(odds) != 1:
        return None
    # What belongs together does not break over two lines.
    words = " · ".join(line.replace(" ", "\u00a0") for line in odds.pop())
    match kinds.pop():
        case Kind.DOUBLE:
            return f"EACH\u00a0DOUBLE {words}"
        case Kind.PAIR:
            return f"ON\u00a0EACH 2\u00a0DICE COMBINATION {words}"
        case Kind.SINGLE | Kind.TRIPLE | Kind.THREE | Kind.FOUR:
            return words
        case _:
            return None
