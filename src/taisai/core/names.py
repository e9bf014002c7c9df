"""What a book calls things, in one language: bets, boxes, faces, sections, clauses; and what the dealer calls.

Enters: the book's own words, and a translation of them that `books` has read. Leaves: the words for a box, a bet or any
part of the book; what a translation lacks keeps the book's own words. Wording only: no rule depends on a name. Serves
the rules `bet-names-shown` and `layout-marked` of all four books; `nz-division-9` §6.3: faces are called from low to
high, doubles and triples by name, then the total.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from taisai.core.boxes import Box
from taisai.core.dice import FACES, Roll

DIGITS: Final = tuple(map(str, FACES))
"""What faces are called where a book names none."""


OWN_LANGUAGE: Final = "en"
"""The language of the books; a file of names in it puts other words in the place of the book's own."""


class Colour(StrEnum):
    """The colour of a face."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    BLACK = "black"
    YELLOW = "yellow"
    ORANGE = "orange"
    PINK = "pink"
    PURPLE = "purple"
    GREY = "grey"


@dataclass(frozen=True, slots=True)
class Face:
    """One face of the dice: its name, and what is painted on it instead of pips."""

    name: str
    colour: Colour | None = None
    """Of the picture, or of the pips; ones and fours are red where a book says nothing."""
    picture: tuple[str, ...] = ()
    """Outlines to be filled, as SVG path data in a square of 100; empty for pips."""


class Part(StrEnum):
    """What of a book has a name; the key of a translation is the book's own word for it."""

    BOOK = "book"
    """`title`."""
    BETS = "bets"
    """By the `bet` of pay rows."""
    BOXES = "boxes"
    """By family, `double:{a}`: what screens call a box."""
    NEEDS = "needs"
    """By family: what a box needs to win."""
    KINDS = "kinds"
    """By the name up to the colon: what the sign calls all boxes of a kind."""
    LAYOUTS = "layouts"
    """By the id of the layout."""
    SECTIONS = "sections"
    """By the `section` of a felt's blocks, or the bet of one that has none."""
    LABELS = "labels"
    """By what is printed on the cloth: lines and headings."""
    FACES = "faces"
    """By the face, `1` to `6`."""
    CALLS = "calls"
    """By the key of the call."""
    FACTS = "facts"
    """By the book's word for the reason."""
    OPENING = "opening"
    """By the item."""
    CLAUSES = "clauses"
    """By the id of the clause."""


_COUNTS: Final = frozenset({"two", "three", "four"})
_VARIABLE: Final = re.compile(r"\{([a-z])\}")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a book in one language. `words` has, for each part, the words by the book's own."""

    lang: str = OWN_LANGUAGE
    faces: tuple[str, ...] = DIGITS
    words: Mapping[Part, Mapping[str, str]] = field(default_factory=dict)
    digest: str = ""
    """Of the translation; empty for the book's own words, which the digest of the book covers."""
    titled: Set[str] = frozenset()
    """Families that the book itself gives a title; any other box goes by the name of its bet."""

    def of(self, part: Part, key: str, own: str | None = None) -> str:
        """The words for one thing: those of the translation, or the book's own (the key, if nothing is given)."""
        return self.words.get(part, {}).get(key, key if own is None else own)

    def box(self, box: Box) -> str:
        """What screens call a box: `Small`, `Total 9`, `Combination 2-5`."""
        return self._filled(self.of(Part.BOXES, box.definition.pattern, box.definition.title), box, "-")

    def bet(self, box: Box, bet: str) -> str:
        """What the book calls the bet on a box: `Domino Combination Bet 2-5`."""
        if self.lang != OWN_LANGUAGE and bet not in self.words.get(Part.BETS, {}):
            return self.box(box)  # Better the name of the box in this language than half a sentence in another.
        words = self.of(Part.BETS, bet)
        if not box.values or "{" in words:
            return self._filled(words, box, "-")
        figures = self._filled("{n}", box, "-")
        return self.box(box) if figures in words.split() else f"{_one_of(words)} {figures}"

    def needs(self, box: Box) -> str:
        """What a box needs to win, to follow "it needs": `a total of 9`, `both 2 and 5`."""
        return self._filled(self.of(Part.NEEDS, box.definition.pattern, box.definition.needs), box, ", ")

    def kind(self, box: Box, bets: Sequence[str] = ()) -> str:
        """What all boxes of a kind are called together: `Totals`. `bets` are their bets, best for one without title."""
        own = box.definition.plural
        if bets and box.definition.pattern not in self.titled:
            own = " / ".join(self.of(Part.BETS, bet) for bet in bets)
        return self.of(Part.KINDS, box.kind, own)

    def roll(self, roll: Roll, between: str = ", ") -> str:
        """The faces of a roll from low to high."""
        return self.face_words(roll.low_to_high, between)

    def face_words(self, faces: Sequence[int], between: str) -> str:
        """Faces by their names."""
        return between.join(self.faces[face - 1] for face in faces)

    def _filled(self, words: str, box: Box, between: str) -> str:
        if "{" not in words:
            return words
        number = str(box.total) if box.faces == () else self.face_words(box.faces, between)
        values = {
            letter: str(value) if box.faces == () else self.faces[value - 1] for letter, value in box.values.items()
        }
        return _VARIABLE.sub(lambda found: values.get(found[1], number if found[1] == "n" else found[0]), words)


def _one_of(bets: str) -> str:
    """One bet of a kind that a pay table names in the plural; `Four Numbers` are one bet."""
    *before, last = bets.split() or [""]
    is_plural = last.endswith("s") and not (before and before[-1].lower() in _COUNTS)
    return bets.removesuffix("s") if is_plural else bets


OWN: Final = Names()
"""The book's own words, with dice of pips."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What the dealer says, and the forms of the result call."""

    clauses: tuple[str, ...]
    open: str
    close: str
    void: str
    plain: str
    double_first: str
    double_last: str
    triple: str
    bell: bool
    faces: tuple[str, ...] = DIGITS
    """What the dealer calls each face."""


CALL_WORDS: Final[dict[str, frozenset[str]]] = {
    "plain": frozenset({"low", "middle", "high", "total"}),
    "double_first": frozenset({"double", "single", "total"}),
    "double_last": frozenset({"double", "single", "total"}),
    "triple": frozenset({"face", "total"}),
}
"""The words that each form of the result call must fill in."""


def result_call(calls: Calls, roll: Roll) -> str:
    """The result as the dealer announces it: `1, 3, 6, total 10`, `double 3, 4, total 10`, `triple 5, total 15`."""
    low, middle, high = (calls.faces[face - 1] for face in roll.low_to_high)
    total = roll.total
    if low == high:
        return calls.triple.format(face=low, total=total)
    if low == middle:
        return calls.double_first.format(double=low, single=high, total=total)
    if middle == high:
        return calls.double_last.format(double=high, single=low, total=total)
    return calls.plain.format(low=low, middle=middle, high=high, total=total)
