"""Chips on the felt.

Enters: bets and the areas of their boxes. Leaves: one stack a box with the amount of all players together, a disc in
the colour of each player. Players are told apart by the order in which they first bet. A box with two areas has its
chips on the first: it is one box with one limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from taisai.core.bets import Bet, PlayerId, totals_by_box
from taisai.core.boxes import BoxName
from taisai.core.money import Chips
from taisai.felt import palette, svg
from taisai.felt.geometry import Rect
from taisai.felt.lettering import width_of
from taisai.felt.svg import Markup, element

_DISCS_MOST: Final = 5
"""A higher stack would hide its neighbours; the amount tells the rest."""
_STEP: Final = 0.17
"""How far a disc rises above the one below, in radii."""
_READABLE: Final = 11.5
_INK: Final = "#14110c"


class Spot(NamedTuple):
    """An area for chips, and what is printed there."""

    place: Rect
    printed: Sequence[Rect]


def draw(bets: Sequence[Bet], spots: Mapping[BoxName, Spot], amount: Callable[[Chips], str]) -> Markup:
    """A stack in every box that has a bet, in the order in which the boxes were first bet on."""
    players = list(dict.fromkeys(bet.player for bet in bets))
    colours = {player: palette.CHIPS[place % len(palette.CHIPS)] for place, player in enumerate(players)}
    in_box: dict[BoxName, dict[PlayerId, None]] = {}
    for bet in bets:
        in_box.setdefault(bet.box, {})[bet.player] = None
    stacks = (
        _stack(name, spots[name], [colours[player] for player in in_box[name]], amount(total))
        for name, total in totals_by_box(bets).items()
    )
    return element("g", *stacks, class_="chips")


class _Stack(NamedTuple):
    """A stack with its lowest disc at a place, and the tag across it if its amount needs one."""

    x: float
    y: float
    radius: float
    rise: float
    tag: Rect | None
    size: float

    def hides(self, printed: Sequence[Rect]) -> float:
        """How much of the print it covers; what comes first in an area is its name and counts more."""
        discs = Rect(
            self.x - self.radius, self.y - self.radius - self.rise, 2 * self.radius, 2 * self.radius + self.rise
        )
        covers = [discs] if self.tag is None else [discs, self.tag]
        return sum(cover.shared(rect) * (1 if at else 3) for cover in covers for at, rect in enumerate(printed))


def _stack(name: BoxName, spot: Spot, colours: Sequence[str], amount: str) -> Markup:
    """Discs in the corner of an area where they hide the least of its print."""
    place = spot.place
    discs = colours[:_DISCS_MOST]
    radius = min(max(min(place.width, place.height) * 0.19, 15.0), 34.0, place.width * 0.4, place.height * 0.3)
    rise = (len(discs) - 1) * _STEP * radius
    far = radius + 5
    left, right = place.x + far, place.right - far
    top, bottom = place.y + far + rise, place.bottom - far - radius * _STEP
    # The lower right corner, unless another hides clearly less: stacks in a row of areas then stand alike.
    corners = ((right, bottom, 0), (left, bottom, 150), (right, top, 250), (left, top, 300))
    stacks = [(_with_amount(place, x, y, radius=radius, rise=rise, amount=amount), malus) for x, y, malus in corners]
    chosen, _ = min(stacks, key=lambda one: one[0].hides(spot.printed) + one[1])
    x, y = chosen.x, chosen.y
    parts = [element("ellipse", cx=x + 2, cy=y + 4, rx=radius + 1, ry=radius, fill="#000000", opacity=0.4)]
    for number, colour in enumerate(discs):
        parts += _disc(x, y - number * _STEP * radius, radius, colour)
    parts += _amount(chosen, amount)
    return element("g", element("title", svg.words(f"{amount} on {name}")), *parts, class_="chip", data_box=name)


def _with_amount(place: Rect, x: float, y: float, *, radius: float, rise: float, amount: str) -> _Stack:
    """A stack whose amount stands on the upper disc, or on a tag across it where it would be too small to read."""
    wide = width_of(amount)
    size = min(radius * 1.2 / wide, radius * 0.72)
    if size >= _READABLE:
        return _Stack(x, y, radius, rise, None, size)
    size = min(_READABLE + 1, place.width * 0.92 / (wide + 0.8), place.height * 0.5)
    width, height = (wide + 0.8) * size, 1.3 * size
    inner = place.inset(place.width * 0.03)
    middle = max(min(x, inner.right - width / 2), inner.x + width / 2)
    # Low on the disc, so that the colours above it stay in sight.
    down = min(y - rise + radius * 0.8, place.bottom - place.height * 0.02 - height / 2)
    return _Stack(x, y, radius, rise, Rect(middle - width / 2, down - height / 2, width, height), size)


def _disc(x: float, y: float, radius: float, colour: str) -> list[Markup]:
    return [
        element("circle", cx=x, cy=y + radius * _STEP, r=radius, fill=colour),
        element("circle", cx=x, cy=y + radius * _STEP, r=radius, fill="#000000", opacity=0.38),
        element("circle", cx=x, cy=y, r=radius, fill=colour),
        element(
            "circle",
            cx=x,
            cy=y,
            r=radius * 0.87,
            fill="none",
            stroke=palette.CHIP_INLAY,
            stroke_width=radius * 0.26,
            # Eight marks on the edge: a sixteenth of the way round each.
            stroke_dasharray=svg.number(radius * 0.87 * 6.2832 / 16),
        ),
        element("circle", cx=x, cy=y, r=radius * 0.68, fill=palette.CHIP_INLAY),
        element("circle", cx=x, cy=y, r=radius * 0.68, fill="none", stroke=colour, stroke_width=max(radius * 0.05, 1)),
    ]


def _amount(stack: _Stack, amount: str) -> list[Markup]:
    tag, size = stack.tag, stack.size
    if tag is None:
        x, y, ink = stack.x, stack.y - stack.rise, _INK
    else:
        x, y, ink = tag.middle_x, tag.middle_y, palette.CHIP_INLAY
    text = element("text", svg.words(amount), class_="amount", x=x, y=y + 0.365 * size, font_size=size, fill=ink)
    if tag is None:
        return [text]
    ground = element(
        "rect",
        x=tag.x,
        y=tag.y,
        width=tag.width,
        height=tag.height,
        rx=tag.height / 2,
        fill=_INK,
        stroke=palette.CHIP_INLAY,
        stroke_width=1,
    )
    return [ground, text]
