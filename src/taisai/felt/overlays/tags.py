"""Tags: the book's names of the bets around the table, with a line from each to its areas.

Enters: callouts. Leaves: how much room their tags need around the table, and their drawing. No tag covers another or
the table, and no name is cut while it can be made smaller instead. Serves `rws-tai-sai-v6` App. B, App. D, App. F.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from taisai.felt import svg
from taisai.felt.cloth import Margins
from taisai.felt.geometry import Rect
from taisai.felt.lettering import balanced, shortened, width_of, wrapped
from taisai.felt.overlays.callouts import DOT, LETTERS, Callout, Side
from taisai.felt.palette import Palette
from taisai.felt.svg import Markup, element

_WIDEST: Final = 208.0
"""How wide a tag beside the table may be."""
_MARGIN_FREE: Final = 26.0
"""How much room stays where a side has no tags."""
_LEADER_X: Final = 44.0
_LEADER_Y: Final = 36.0
"""How far the tags stand from the table, where lines may run aslant."""
_RIM: Final = 10.0
_BETWEEN: Final = 10.0
_LETTERS_LEAST: Final = 7.0
_LINES_MOST: Final = 6
_NAME_MOST: Final = 70.0
"""No name is longer than this, in em: more than twice the longest that a real book has."""
_LEADING: Final = 1.22
_PADDING: Final = 0.7


class Tag(NamedTuple):
    """A name in lines, in its place beside the table."""

    callout: Callout
    lines: tuple[str, ...]
    size: float
    rect: Rect


def tags_of(callouts: Sequence[Callout], table: Rect) -> tuple[tuple[Tag, ...], Margins]:
    """The tags around a table, and how much room they need there."""
    by_side = {side: [one for one in callouts if one.side is side] for side in Side}
    left = _tags(by_side[Side.LEFT], Side.LEFT, table, table.y, table.bottom)
    right = _tags(by_side[Side.RIGHT], Side.RIGHT, table, table.y, table.bottom)
    # The table stands in the middle of the picture, so both margins are as wide as the wider one.
    beside = [table.x - tag.rect.x for tag in left] + [tag.rect.right - table.right for tag in right]
    across = max([_MARGIN_FREE, *(width + _RIM for width in beside)])
    start, end = table.x - across, table.right + across
    top = _tags(by_side[Side.TOP], Side.TOP, table, start, end)
    bottom = _tags(by_side[Side.BOTTOM], Side.BOTTOM, table, start, end)
    margins = Margins(
        top=max([_MARGIN_FREE, *(table.y - tag.rect.y + _RIM for tag in top)]),
        left=across,
        right=across,
        bottom=max([_MARGIN_FREE, *(tag.rect.bottom - table.bottom + _RIM for tag in bottom)]),
    )
    return (*top, *left, *right, *bottom), margins


def _lines(bet: str, side: Side, size: float) -> tuple[str, ...]:
    """A name in lines: above and below the table in few, beside it no wider than the margin."""
    name = shortened(bet, _NAME_MOST)
    if side.is_level:
        wide = width_of(name)
        return balanced(name, 1 if wide < 9 else 2 if wide < 26 else 3)
    return wrapped(name, _WIDEST / size - 2 * _PADDING, _LINES_MOST)


def _shape(lines: Sequence[str], size: float) -> tuple[float, float]:
    """Width and height of a tag."""
    return (max(map(width_of, lines)) + 2 * _PADDING) * size, (len(lines) * _LEADING + _PADDING) * size


def draw(tags: Sequence[Tag], table: Rect, palette: Palette) -> Markup:
    """All lines, then all tags, so that no line crosses a name."""
    return element(
        "g", *(_line(tag, table, palette) for tag in tags), *(_tag(tag, palette) for tag in tags), class_="callouts"
    )


def _tags(callouts: Sequence[Callout], side: Side, table: Rect, start: float, end: float) -> list[Tag]:
    """The tags of one side in the order of their points, as near to them as their neighbours allow."""
    ordered = sorted(callouts, key=lambda callout: callout.along)
    size = LETTERS
    lines, shapes, lengths = _sized(ordered, side, size, end - start)
    while size > _LETTERS_LEAST and not (_whole(ordered, lines) and _fits(lengths, end - start)):
        size -= 0.5
        lines, shapes, lengths = _sized(ordered, side, size, end - start)
    middles = _spread([one.along for one in ordered], lengths, start + _BETWEEN, end - _BETWEEN)
    tags = []
    for callout, own, (width, height), middle in zip(ordered, lines, shapes, middles, strict=True):
        x = {Side.LEFT: table.x - _LEADER_X - width / 2, Side.RIGHT: table.right + _LEADER_X + width / 2}.get(
            side, middle
        )
        y = {Side.TOP: table.y - _LEADER_Y - height / 2, Side.BOTTOM: table.bottom + _LEADER_Y + height / 2}.get(
            side, middle
        )
        tags.append(Tag(callout, own, size, Rect(x - width / 2, y - height / 2, width, height)))
    return tags


def _sized(
    callouts: Sequence[Callout], side: Side, size: float, room: float
) -> tuple[list[tuple[str, ...]], list[tuple[float, float]], list[float]]:
    """The lines of each tag at a size, its width and height, and how much of its side it takes."""
    lines = [_lines(one.bet, side, size) for one in callouts]
    if side.is_level and size <= _LETTERS_LEAST:
        # Names without end are cut after all, each to its share of the side.
        share = (room / max(len(callouts), 1) - 2 * _BETWEEN) / size - 2 * _PADDING
        lines = [tuple(shortened(line, share) for line in own) for own in lines]
    shapes = [_shape(own, size) for own in lines]
    return lines, shapes, [width if side.is_level else height for width, height in shapes]


def _whole(callouts: Sequence[Callout], lines: Sequence[Sequence[str]]) -> bool:
    return all(" ".join(own) == shortened(one.bet, _NAME_MOST) for one, own in zip(callouts, lines, strict=True))


def _fits(lengths: Sequence[float], room: float) -> bool:
    return sum(lengths) + _BETWEEN * (len(lengths) + 1) <= room


def _spread(wanted: Sequence[float], lengths: Sequence[float], start: float, end: float) -> list[float]:
    """Middles near the wanted ones, in the same order, without overlap, from start to end."""
    middles = []
    edge = start
    for want, length in zip(wanted, lengths, strict=True):
        middle = max(want, edge + length / 2)
        middles.append(middle)
        edge = middle + length / 2 + _BETWEEN
    edge = end
    for place in range(len(middles) - 1, -1, -1):
        middles[place] = min(middles[place], edge - lengths[place] / 2)
        edge = middles[place] - lengths[place] / 2 - _BETWEEN
    return middles


def _line(tag: Tag, table: Rect, palette: Palette) -> Markup:
    """Straight over the cloth to the edge of the table, then aslant to the tag."""
    callout, rect = tag.callout, tag.rect
    edge_x, edge_y, tag_x, tag_y = {
        Side.TOP: (callout.x, table.y, rect.middle_x, rect.bottom),
        Side.BOTTOM: (callout.x, table.bottom, rect.middle_x, rect.y),
        Side.LEFT: (table.x, callout.y, rect.right, rect.middle_y),
        Side.RIGHT: (table.right, callout.y, rect.x, rect.middle_y),
    }[callout.side]
    points = " ".join(
        f"{svg.number(x)},{svg.number(y)}" for x, y in ((callout.x, callout.y), (edge_x, edge_y), (tag_x, tag_y))
    )
    return element(
        "g",
        element("polyline", points=points, stroke=palette.tag_ink, stroke_width=6, opacity=0.75),
        element("polyline", points=points, stroke=palette.tag, stroke_width=2.5),
        element(
            "circle", cx=callout.x, cy=callout.y, r=DOT, fill=palette.tag, stroke=palette.tag_ink, stroke_width=2.5
        ),
        class_="leader",
        fill="none",
    )


def _tag(tag: Tag, palette: Palette) -> Markup:
    rect, size = tag.rect, tag.size
    ground = element(
        "rect",
        x=rect.x,
        y=rect.y,
        width=rect.width,
        height=rect.height,
        rx=min(10.0, rect.height / 2),
        fill=palette.tag,
        stroke=palette.line,
        stroke_width=2,
    )
    lines = (
        element(
            "text",
            svg.words(line),
            x=rect.middle_x,
            y=rect.y + (_PADDING / 2 + _LEADING * number + 0.93) * size,
            font_size=size,
            fill=palette.tag_ink,
        )
        for number, line in enumerate(tag.lines)
    )
    title = element("title", svg.words(tag.callout.bet))
    return element("g", title, ground, *lines, class_="callout", data_bet=tag.callout.bet)
