"""How the tests read a felt: as XML, area by area, with the place that each line of words and each die covers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from taisai.core.boxes import Box
from taisai.core.cloth import FeltPlan
from taisai.core.rulebook import Layout, PayRow, make_layout
from taisai.felt.geometry import Rect
from taisai.felt.lettering import drop_of, rise_of, width_of
from tests.core.samples import parse_boxes

LAYOUT_NAMES = (
    "nz-division-9/1",
    "nz-division-9/2",
    "rws-open-cover-v3/A",
    "rws-open-cover-v3/B",
    "rws-tai-sai-v6/A",
    "rws-tai-sai-v6/C",
    "rws-tai-sai-v6/E",
    "rws-mini-dice-v3/A",
)

SVG = "{http://www.w3.org/2000/svg}"


class DrawnBox(NamedTuple):
    """One `<g class="box">`."""

    name: str
    id: str
    classes: frozenset[str]
    title: str
    ground: Rect
    lines: tuple[str, ...]
    """The lines of words printed in it."""
    printed: tuple[Rect, ...]
    """What each line and each die covers."""
    dice: tuple[int, ...]


def root_of(svg: str) -> ET.Element:
    """The document as a tree; fails when it is not well-formed."""
    return ET.fromstring(svg)


def with_class(root: ET.Element, name: str) -> list[ET.Element]:
    """All elements of a class."""
    return [element for element in root.iter() if name in element.get("class", "").split()]


def boxes_of(svg: str) -> list[DrawnBox]:
    """Every area in the order of the document."""
    return [_box(element) for element in with_class(root_of(svg), "box")]


def text_of(element: ET.Element) -> str:
    """All the words in an element."""
    return "".join(element.itertext())


def _box(element: ET.Element) -> DrawnBox:
    ground = next(child for child in element if child.get("class") == "ground")
    texts = list(element.iter(f"{SVG}text"))
    dice = list(element.iter(f"{SVG}use"))
    return DrawnBox(
        name=element.attrib["data-box"],
        id=element.attrib["id"],
        classes=frozenset(element.attrib["class"].split()),
        title=text_of(element.findall(f"{SVG}title")[0]),
        ground=rect_of(ground),
        lines=tuple(text_of(text) for text in texts),
        printed=(*map(covered_by, texts), *map(rect_of, dice)),
        dice=tuple(int(die.attrib["href"][-1]) for die in dice),
    )


def is_chinese(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return any("\u4e00" <= mark <= "\u9fff" for mark in text)


def rect_of(element: ET.Element) -> Rect:
    """The place of an element that has x, y, width and height."""
    x, y, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
    return Rect(x, y, width, height)


def covered_by(text: ET.Element) -> Rect:
    """The place that a line of words covers in the broadest common font, turned lines included."""
    words, size = text_of(text), float(text.attrib["font-size"])
    x, y = float(text.attrib["x"]), float(text.attrib["y"])
    wide = width_of(words) * size
    shift = {"start": 0.0, "end": wide}.get(text.get("text-anchor", ""), wide / 2)
    left, right, up, down = shift, wide - shift, rise_of(words) * size, drop_of(words) * size
    if text.get("transform", "").startswith("rotate(-90"):
        return Rect(x - up, y - right, up + down, wide)
    return Rect(x - left, y - up, wide, up + down)


def names_in(svg: str, state: str) -> set[str]:
    """The boxes whose areas have a state, without reading the whole document."""
    return set(re.findall(rf'class="box {state}" data-box="([^"]+)"', svg))


def order_of(plan: FeltPlan, family: str) -> list[list[str]]:
    """For each block of a family, its boxes as the felt prints them, `-` for an empty place."""
    return [
        ["-" if box is None else _short(box) for box in block.boxes]
        for block in plan.blocks
        if any(box is not None and box.name.partition(":")[0] == family for box in block.boxes)
    ]


def _short(box: Box) -> str:
    return box.name.partition(":")[2] or box.name


def row_of(bet: str, boxes: str, pays: int, *, dice: int | None = None, totals: Sequence[int] = ()) -> PayRow:
    """A pay row in one line."""
    return PayRow(
        bet=bet,
        boxes=parse_boxes(boxes),
        pays=pays,
        clauses=("1",),
        dice=dice,
        totals=frozenset(totals) if totals else None,
    )


def foreign(*rows: PayRow, title: str = "Layout X", felt: FeltPlan | None = None) -> Layout:
    """A layout of a book that is none of ours."""
    return make_layout(
        book_id="house",
        layout_id="X",
        title=title,
        clauses=("1",),
        triple_clauses=(),
        rows=rows,
        felt=felt,
    )


def pairs_of(rects: Sequence[Rect]) -> Iterator[tuple[Rect, Rect]]:
    """Every two of them."""
    for place, one in enumerate(rects):
        for two in rects[place + 1 :]:
            yield one, two


def misfits(svg: str) -> list[str]:
    """The areas whose print leaves them, or covers itself."""
    wrong = []
    for box in boxes_of(svg):
        wrong += [f"{box.name}: {rect} leaves it" for rect in box.printed if not box.ground.holds(rect, 0.05)]
        wrong += [f"{box.name}: {one} covers {two}" for one, two in pairs_of(box.printed) if one.overlaps(two, 0.05)]
    return wrong


def tags_of(root: ET.Element) -> list[tuple[str, Rect, list[ET.Element]]]:
    """Every tag: the bet it stands for, its place, its lines."""
    return [
        (
            tag.attrib["data-bet"],
            rect_of(next(tag.iter(f"{SVG}rect"))),
            list(tag.iter(f"{SVG}text")),
        )
        for tag in with_class(root, "callout")
    ]
