"""Betting boxes: what each is called, by which definition, and on which rolls it wins.

Enters: definitions, which are data: a name such as `double:{a}`, a predicate such as `n(a) >= 2`, and words. Leaves: a
`Box` for each name that a definition covers. How much a box then pays is in the rule book's pay rows. Serves
`nz-division-9` §4.1; the bet columns of `rws-*` §4.1; `rws-mini-dice-v3` §1.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Final, NewType

from taisai.core.dice import FACES
from taisai.core.faults import InputFault, shown
from taisai.core.predicates import FACE_VARIABLES, TOTAL_VARIABLE, Combinations, Predicate

BoxName = NewType("BoxName", str)
"""The text form of a box, the same in files, API, events and screens."""

TOTALS: Final = range(4, 18)
"""What `{t}` stands for: the totals that are not a triple's alone."""
_PATTERN: Final = re.compile(r"([a-z][a-z0-9-]{0,30})(?::((?:\{[a-z]\})+|[0-9]{1,6}))?")
NAME_WORDS: Final = "small letters, digits and hyphens; after a colon figures or variables: `red-twice`, `double:{a}`"


@dataclass(frozen=True, slots=True)
class Definition:
    """A family of boxes: its name with variables, when they win, and the words for them."""

    pattern: str
    kind: str
    """The name up to the colon. Limits and reports go by it."""
    letters: tuple[str, ...]
    """The variables in the order of the name; a letter that stands twice is a face that does."""
    when: Predicate | None
    """None where only the pay rows say when a box wins."""
    group: str
    """Families that lie together on felt and screens."""
    title: str
    needs: str
    """Words, in which `{n}` stands for the faces or the total, and `{a}` for the value of a variable."""
    plural: str
    """All boxes of the kind together, as the table's sign has them."""

    def boxes(self) -> Iterator[Box]:
        """Every box of the family. Different letters are different faces; they rise, unless one stands twice."""
        letters = tuple(dict.fromkeys(self.letters))
        if letters == (TOTAL_VARIABLE,):
            yield from (self._box({TOTAL_VARIABLE: total}) for total in TOTALS)
            return
        choose = combinations if letters == self.letters else permutations
        for faces in choose(FACES, len(letters)):
            yield self._box(dict(zip(letters, faces, strict=True)))

    def _box(self, values: Mapping[str, int]) -> Box:
        figures = tuple(values[letter] for letter in self.letters)
        argument = "".join(map(str, figures))
        is_total = self.letters == (TOTAL_VARIABLE,)
        return Box(
            name=BoxName(f"{self.kind}:{argument}" if argument else self.pattern),
            definition=self,
            values=values,
            faces=() if is_total else figures,
            total=figures[0] if is_total else None,
            wins=0 if self.when is None else self.when.holds(values),
        )


@dataclass(frozen=True, slots=True)
class Box:
    """One betting area: `name` is its identity, the rest follows from its definition."""

    name: BoxName
    definition: Definition = field(compare=False, repr=False)
    values: Mapping[str, int] = field(compare=False, repr=False)
    """What the variables of the definition stand for."""
    faces: tuple[int, ...] = field(compare=False)
    """The faces in the order of the name; empty for a box without faces."""
    total: int | None = field(compare=False)
    wins: Combinations = field(compare=False, repr=False)
    """Where its definition says that it wins."""

    @property
    def kind(self) -> str:
        """The name up to the colon."""
        return self.definition.kind

    @property
    def group(self) -> str:
        """Where it belongs on felt and screens."""
        return self.definition.group

    def __str__(self) -> str:
        return self.name


def split_pattern(text: str, field_name: str = "box") -> tuple[str, tuple[str, ...]]:
    """The kind and the variables of a family's name; `InputFault` when it is no name."""
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise InputFault(field_name, f"{shown(text)} is no name of a box: {NAME_WORDS}")
    letters = tuple((found[2] or "").replace("{", "").replace("}", "")) if "{" in text else ()
    known = (*FACE_VARIABLES, TOTAL_VARIABLE)
    strange = next((letter for letter in letters if letter not in known), None)
    if strange is not None or (TOTAL_VARIABLE in letters and len(letters) > 1):
        raise InputFault(field_name, f"{shown(text)}: a name has faces {{a}} to {{d}}, or one total {{t}}")
    return found[1], letters


def kind_of(box: str) -> str:
    """The kind of a box by its name: what stands before the colon."""
    return box.partition(":")[0]


def as_printed(boxes: Mapping[BoxName, Box], text: str) -> BoxName | None:
    """The box that a felt prints with its faces in another order: `four:6543`, `pair:52`, `three:122`."""
    kind, _, argument = text.partition(":")
    faces = sorted(argument)
    alike = (box for box in boxes.values() if box.faces and box.kind == kind)
    return next((box.name for box in alike if sorted("".join(map(str, box.faces))) == faces), None)


def box_among(boxes: Mapping[BoxName, Box], text: str, field_name: str = "box", lacking: str = "unknown box") -> Box:
    """The box of that name; otherwise an `InputFault` that shows how boxes of its kind are written."""
    box = boxes.get(BoxName(text))
    if box is None:
        raise InputFault(field_name, f"{lacking} {shown(text)}; {_how_named(boxes, text)}")
    return box


def _how_named(boxes: Mapping[BoxName, Box], text: str) -> str:
    kind, colon, argument = text.partition(":")
    alike = [box for box in boxes.values() if box.kind == kind]
    if not alike:
        full_width = not colon and "：" in text
        kinds = list(dict.fromkeys(box.kind for box in boxes.values()))
        near = difflib.get_close_matches(kind.strip().lower().replace(" ", "-"), kinds, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        return "write an ordinary colon (:)" if full_width else f"{meant}kinds are {', '.join(kinds)}"
    turned = as_printed(boxes, text)
    if turned is not None:  # in a book, a box has one name
        return f"write {turned}"
    figures = re.fullmatch(r"(\d+)([-–/+&,;])(\d*)", argument)
    if figures is not None:
        one, mark, two = figures.groups()
        listed = f"write boxes side by side, with spaces alone: {kind}: {one} {two or '...'}"
        return f"{listed}, and every one in between if they are meant too" if mark in "-–" else listed
    if len(alike) == 1:
        return f"the name is {alike[0].name}"
    return f"names run from {alike[0].name} to {alike[-1].name}"


class Definitions:
    """Families of boxes by name; a kind of the first ones hides the same kind of the later ones."""

    def __init__(self, families: Iterable[Definition], others: Definitions | None = None) -> None:
        own = tuple(families)
        kinds = {family.kind for family in own}
        rest = others.families if others is not None else ()
        self.families: tuple[Definition, ...] = (*own, *(family for family in rest if family.kind not in kinds))
        self.boxes: Mapping[BoxName, Box] = {box.name: box for family in self.families for box in family.boxes()}

    def named(self, text: str, field_name: str = "boxes") -> tuple[Box, ...]:
        """A row's boxes: `small`; one kind with its arguments, `total: 4 17`; or a whole family, `double:{a}`."""
        kind, colon, arguments = text.partition(":")
        if "{" in text:
            found = tuple(box for box in self.boxes.values() if box.definition.pattern == text.strip())
            if not found:
                patterns = [family.pattern for family in self.families if family.letters]
                raise InputFault(field_name, f"unknown boxes {shown(text)}; families are {', '.join(patterns)}")
            return found
        if not colon:
            return (box_among(self.boxes, text.strip(), field_name),)
        if not arguments.split():
            raise InputFault(field_name, f"{shown(text)} names no box after the colon")
        return tuple(box_among(self.boxes, f"{kind.strip()}:{each}", field_name) for each in arguments.split())
