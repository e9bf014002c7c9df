"""Three dice.

Enters: three faces. Leaves: a `Roll`, one of exactly 216, with its total and its index in `ALL_ROLLS`.
Serves `nz-division-9` §1.0, §4.2; `rws-open-cover-v3` §3.5; `rws-tai-sai-v6` §1.8, §2.2.1, §3.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from taisai.core.faults import InputFault, shown

FACES: Final = (1, 2, 3, 4, 5, 6)
DICE_COUNT: Final = 3
_FACE_MARKS: Final = {str(face): face for face in FACES}


@dataclass(frozen=True, slots=True)
class Roll:
    """Three uppermost faces as they lie, die by die. Take one with `roll_of`; there are 216 and no more."""

    faces: tuple[int, int, int]
    low_to_high: tuple[int, int, int] = field(compare=False)
    total: int = field(compare=False)
    index: int = field(compare=False)
    """Place in `ALL_ROLLS`, 0 to 215: die one counts 36, die two 6, die three 1."""

    @property
    def is_triple(self) -> bool:
        """All three dice show one face."""
        return self.low_to_high[0] == self.low_to_high[2]

    @property
    def double(self) -> int | None:
        """The face that two or more dice show."""
        low, middle, high = self.low_to_high
        return middle if middle in (low, high) else None

    @property
    def single(self) -> int | None:
        """The odd one out beside a double; None when all differ or all agree."""
        low, middle, high = self.low_to_high
        if low == high or middle not in (low, high):
            return None
        return high if low == middle else low

    def count(self, face: int) -> int:
        """How many dice show a face."""
        return self.faces.count(face)

    def __str__(self) -> str:
        return ",".join(map(str, self.faces))


def _all_rolls() -> Iterator[Roll]:
    for index, faces in enumerate(product(FACES, repeat=DICE_COUNT)):
        low, middle, high = sorted(faces)
        yield Roll((faces[0], faces[1], faces[2]), (low, middle, high), sum(faces), index)


ALL_ROLLS: Final[tuple[Roll, ...]] = tuple(_all_rolls())
"""Every roll, die by die: all odds are sums over these."""

ALL_COMBINATIONS: Final[tuple[Roll, ...]] = tuple(roll for roll in ALL_ROLLS if roll.faces == roll.low_to_high)
"""The 56 rolls that differ when the order of the dice is ignored. No bet depends on the order."""

COMBINATION_WAYS: Final[tuple[tuple[Roll, int], ...]] = tuple(
    (roll, {1: 1, 2: 3, 3: 6}[len(set(roll.faces))]) for roll in ALL_COMBINATIONS
)
"""Each of them, and how many of the 216 rolls show it."""


def roll_of(faces: Sequence[object], field_name: str = "dice") -> Roll:
    """The roll that shows these three faces; `InputFault` with the field for anything else."""
    if len(faces) != DICE_COUNT:
        raise InputFault(field_name, f"needs three faces, got {len(faces)}")
    index = 0
    for place, face in enumerate(faces):
        # bool is an int to Python, and True would pass for a one.
        if type(face) is not int or face not in FACES:
            raise InputFault(f"{field_name}[{place}]", f"a face is a whole number from 1 to 6, got {shown(face)}")
        index = index * 6 + face - 1
    return ALL_ROLLS[index]


def parse_roll(text: str, field_name: str = "dice") -> Roll:
    """Read a roll as people write it: `1,3,6`, `1 3 6`, `1-3-6` or `136`."""
    # One separator for the whole text: in `1,-3,6` the dash is a minus, and minus three is no face.
    marks = (
        [mark.strip() for mark in text.split("," if "," in text else "-")] if set(",-") & set(text) else text.split()
    )
    if len(marks) == 1 and len(marks[0]) == DICE_COUNT:
        marks = list(marks[0])
    # str.isdigit also takes superscripts and other scripts' digits; a face is one of six characters.
    faces: list[object] = [_FACE_MARKS.get(mark, mark) for mark in marks]
    return roll_of(faces, field_name)
