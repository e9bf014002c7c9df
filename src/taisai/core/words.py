"""The English words for bets, in one place.

Enters: a box. Leaves: its name in a sentence, and what it needs to win. The catalogues of the screens
(`web/static/texts/en.json`) use the same words; a test holds them to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from taisai.core.boxes import Box, Kind

TITLES: Final[Mapping[Kind, str]] = {
    Kind.SMALL: "Small",
    Kind.BIG: "Big",
    Kind.ODD: "Odd",
    Kind.EVEN: "Even",
    Kind.SINGLE: "Single {n}",
    Kind.DOUBLE: "Double {n}",
    Kind.TRIPLE: "Triple {n}",
    Kind.ANY_TRIPLE: "Any triple",
    Kind.TOTAL: "Total {n}",
    Kind.PAIR: "Combination {n}",
    Kind.THREE: "Three-dice combination {n}",
    Kind.FOUR: "Four-number combination {n}",
    Kind.FIELD: "Field",
}
"""What a box is called in a sentence; `{n}` stands for its faces or its total."""

SHORT_TITLES: Final[Mapping[Kind, str]] = {
    **TITLES,
    Kind.THREE: "Three dice {n}",
    Kind.FOUR: "Four numbers {n}",
}
"""What a box is called where there is little space, as on screens."""

NEEDS: Final[Mapping[Kind, str]] = {
    Kind.SMALL: "a total from 4 to 10 without a triple",
    Kind.BIG: "a total from 11 to 17 without a triple",
    Kind.ODD: "an odd total without a triple",
    Kind.EVEN: "an even total without a triple",
    Kind.SINGLE: "{n} on at least one die",
    Kind.DOUBLE: "{n} on at least two dice",
    Kind.TRIPLE: "{n} on all three dice",
    Kind.ANY_TRIPLE: "the same face on all three dice",
    Kind.TOTAL: "a total of {n}",
    Kind.PAIR: "both {n}",
    Kind.THREE: "exactly {n}",
    Kind.FOUR: "three different faces out of {n}",
    Kind.FIELD: "a total of 5 to 8 or 13 to 16",
}
"""What a box needs to win, to follow "it needs"; `{n}` as in `TITLES`."""


def box_title(box: Box) -> str:
    """What a box is called in a sentence: `Small`, `Double 4`, `Combination 2-5`."""
    return TITLES[box.kind].format(n=_faces_or_total(box, "-"))


def box_needs(box: Box) -> str:
    """What a box needs to win, to follow "it needs": `a total of 9`, `both 2 and 5`."""
    return NEEDS[box.kind].format(n=_faces_or_total(box, " and " if box.kind is Kind.PAIR else ", "))


def _faces_or_total(box: Box, between: str) -> str:
    return between.join(map(str, box.faces)) if box.total is None else str(box.total)
