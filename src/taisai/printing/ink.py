"""Ink: the drawing of a felt on paper.

Enters: the SVG that `felt.draw` makes, and which part of it goes where. Leaves: marks on the page of a PDF, as lines
and letters that are sharp at any size. Grounds are of one colour, as a cloth is: the light on the screen's cloth is no
part of the print. Only the vocabulary of `felt` is known here; an element outside it is a fault of the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from xml.etree.ElementTree import Element, fromstring

from taisai.felt.geometry import Rect
from taisai.printing.pen import Pen

_SPACE: Final = "{http://www.w3.org/2000/svg}"
_SILENT: Final = frozenset({"title", "defs"})
_MOVED: Final = re.compile(r"translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)")
_AROUND: Final = frozenset({"cloth", "hem"})
"""Of the table, the parts that are cloth: rail and shadows are not printed."""


@dataclass(frozen=True, slots=True)
class _Style:
    """What an element hands on to those inside it."""

    fill: str = "#000000"
    weight: str = "400"
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Place:
    """Which part of the drawing goes where: a point of it, at a point of the page, so many millimetres to the unit."""

    window: Rect
    """The part that shows, in units of the drawing."""
    x: float
    y: float
    scale: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the drawing lies on the page."""
        return self.x + (x - self.window.x) * self.scale, self.y + (y - self.window.y) * self.scale

    def moved(self, transform: str | None) -> Place:
        """The place of a group that is moved and scaled."""
        if transform is None:
            return self
        found = _MOVED.fullmatch(transform)
        if found is None:
            raise AssertionError(f"a group of a felt is not turned: {transform}")
        x, y, scale = map(float, found.groups())
        return Place(Rect(0, 0, self.window.width, self.window.height), *self.at(x, y), self.scale * scale)


class Drawing:
    """A felt that was read once and is painted as often as there are sheets."""

    def __init__(self, svg: str) -> None:
        """Read the SVG of a felt."""
        self._root = fromstring(svg)  # made by `felt.draw`, which escapes every word of a book
        self._named: dict[str, Element] = {
            f"#{each.attrib['id']}": each for definitions in self._root.iter(f"{_SPACE}defs") for each in definitions
        }
        self.cloth = next(_rect(each) for each in self._root.iter(f"{_SPACE}rect") if each.get("class") == "cloth")
        self.foot = "".join(each.text or "" for each in self._root.iter(f"{_SPACE}text") if each.get("class") == "foot")
        """What the rail says of the print; the rail is not printed."""

    def paint(self, pen: Pen, place: Place) -> None:
        """Put a part of the felt on the page; nothing shows outside it."""
        window = place.window
        size = window.width * place.scale, window.height * place.scale
        with pen.pdf.rect_clip(place.x, place.y, *size):
            self._all(self._root, pen, place, _Style())

    def _all(self, parent: Element, pen: Pen, place: Place, style: _Style) -> None:
        around = parent.get("class") == "table"
        for child in parent:
            if not around or child.get("class") in _AROUND:
                self._one(child, pen, place, style)

    def _one(self, each: Element, pen: Pen, place: Place, style: _Style) -> None:
        tag = each.tag.removeprefix(_SPACE)
        if tag in _SILENT:
            return
        style = replace(
            style,
            fill=each.get("fill", style.fill),
            weight=each.get("font-weight", style.weight),
            anchor=each.get("text-anchor", style.anchor),
        )
        if (opacity := each.get("opacity")) is not None:
            with pen.pdf.local_context(fill_opacity=float(opacity), stroke_opacity=float(opacity)):
                self._shape(tag, each, pen, place, style)
        else:
            self._shape(tag, each, pen, place, style)

    def _shape(self, tag: str, each: Element, pen: Pen, place: Place, style: _Style) -> None:
        match tag:
            case "g":
                self._all(each, pen, place.moved(each.get("transform")), style)
            case "path":
                self._outline(each.attrib["d"], pen, place, style)
            case "rect":
                self._rectangle(each, pen, place, style)
            case "circle":
                x, y, radius = (float(each.attrib[name]) for name in ("cx", "cy", "r"))
                how = self._dip(each, pen, place, style)
                pen.pdf.circle(*place.at(x, y), radius * place.scale, style=how)
            case "use":
                self._symbol(each, pen, place, style)
            case "text":
                _letters(each, pen, place, style, self._colour(style.fill))
            case _:
                raise AssertionError(f"a felt has no <{tag}>")

    def _rectangle(self, each: Element, pen: Pen, place: Place, style: _Style) -> None:
        rect = _rect(each)
        if not rect.overlaps(place.window):
            return
        how = self._dip(each, pen, place, style)
        # A cloth is cut straight; its round corners on the screen would be white on paper.
        radius = 0.0 if each.get("class") == "cloth" else float(each.get("rx", "0"))
        size = rect.width * place.scale, rect.height * place.scale
        pen.pdf.rect(
            *place.at(rect.x, rect.y), *size, style=how, round_corners=radius > 0, corner_radius=radius * place.scale
        )

    def _outline(self, outline: str, pen: Pen, place: Place, style: _Style) -> None:
        """An outline of a picture (`felt.pips`), filled; what lies within it an even number of times is a hole."""
        from fpdf.drawing import PaintedPath  # noqa: PLC0415 - an extra, and heavy
        from fpdf.drawing_primitives import Transform  # noqa: PLC0415 - as above
        from fpdf.enums import IntersectionRule  # noqa: PLC0415 - as above
        from fpdf.svg import svg_path_converter  # noqa: PLC0415 - as above

        x, y = place.at(0, 0)
        shape = PaintedPath()
        svg_path_converter(shape, outline)
        shape.style.fill_color = self._colour(style.fill)
        shape.style.stroke_color = None
        shape.style.intersection_rule = IntersectionRule.EVENODD
        shape.transform = Transform.scaling(place.scale).translate(x, y)
        with pen.pdf.drawing_context() as drawing:
            drawing.add_item(shape)

    def _dip(self, each: Element, pen: Pen, place: Place, style: _Style) -> str:
        """Take the colours of a shape; whether it is drawn, filled or both."""
        stroke = each.get("stroke", "none")
        if style.fill != "none":
            pen.pdf.set_fill_color(self._colour(style.fill))
        if stroke != "none":
            pen.pdf.set_draw_color(stroke)
            pen.pdf.set_line_width(float(each.get("stroke-width", "1")) * place.scale)
        return ("D" if stroke != "none" else "") + ("F" if style.fill != "none" else "")

    def _symbol(self, each: Element, pen: Pen, place: Place, style: _Style) -> None:
        rect, symbol = _rect(each), self._named[each.attrib["href"]]
        if not rect.overlaps(place.window):
            return
        left, top, wide, _ = map(float, symbol.attrib["viewBox"].split())
        inside = Place(Rect(left, top, wide, wide), *place.at(rect.x, rect.y), place.scale * rect.width / wide)
        self._all(symbol, pen, inside, style)

    def _colour(self, fill: str) -> str:
        """A colour; of a gradient, the one that it begins with."""
        if not fill.startswith("url("):
            return fill
        return self._named[fill[4:-1]][0].attrib["stop-color"]


def _letters(each: Element, pen: Pen, place: Place, style: _Style, colour: str) -> None:
    attributes: Mapping[str, str] = each.attrib
    x, y, size = (float(attributes[name]) for name in ("x", "y", "font-size"))
    words = each.text or ""
    reach = size * (len(words) + 1)
    if not Rect(x - reach, y - reach, 2 * reach, 2 * reach).overlaps(place.window):
        return
    turned = float(attributes["transform"].removeprefix("rotate(").split()[0]) if "transform" in attributes else 0.0
    bold = style.weight == "700"
    pen.text(*place.at(x, y), words, size * place.scale, bold=bold, colour=colour, anchor=style.anchor, turned=turned)


def _rect(each: Element) -> Rect:
    return Rect(*(float(each.attrib[name]) for name in ("x", "y", "width", "height")))
