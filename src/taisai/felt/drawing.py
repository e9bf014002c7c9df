"""The felt as a picture: cloth, areas, and what lies on it.

Enters: a layout and what is to be shown of it: a roll, bets, the names of the bets, the house edge. Leaves: one
standalone SVG document, the same bytes for the same arguments, without script or outside reference. Serves
`nz-division-9` §3.2, §3.3(b), App. 1, App. 2; `rws-open-cover-v3` App. A, App. B; `rws-tai-sai-v6` App. A to F;
`rws-mini-dice-v3` App. A.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from taisai.core.bets import Bet, box_on
from taisai.core.dice import Roll
from taisai.core.faults import InputFault, shown
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.felt import cloth, headings, svg
from taisai.felt.boxes import glow, print_boxes
from taisai.felt.cloth import TITLE_HERE, Margins, TitleLine
from taisai.felt.geometry import Rect
from taisai.felt.lettering import FONTS
from taisai.felt.overlays import callouts, chips, tags
from taisai.felt.overlays import heat as heat_map
from taisai.felt.overlays.chips import Spot
from taisai.felt.palette import GREEN, Palette
from taisai.felt.plan import areas_of, plan_for, scale_of
from taisai.felt.svg import Markup, element

_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Felt:
    """A felt that is drawn but for its title, so that a title costs next to nothing."""

    before: str
    line: TitleLine
    after: str

    def titled(self, title: str) -> str:
        """The whole document, the same bytes as if the title had been drawn with the rest."""
        return f"{self.before}{self.line.draw(title)}{self.after}"


def draw(
    layout: Layout,
    *,
    roll: Roll | None = None,
    bets: Sequence[Bet] = (),
    labels: bool = False,
    heat: bool = False,
    title: str = "",
    palette: Palette = GREEN,
    amount: Callable[[Chips], str] = str,
    prefix: str = "felt",
) -> str:
    """The felt of a layout as SVG.

    `roll` lights its winning areas and dims the others; `bets` lie on it as chips, their amounts written by `amount`;
    `labels` names every bet as the book does; `heat` colours every area by its house edge; `title` stands above the
    cloth. Ids begin with `prefix`, so that two felts fit on one page.
    """
    felt = draw_untitled(
        layout,
        roll=roll,
        bets=bets,
        labels=labels,
        heat=heat,
        band=bool(title),
        palette=palette,
        amount=amount,
        prefix=prefix,
    )
    return felt.titled(title)


def draw_untitled(
    layout: Layout,
    *,
    roll: Roll | None = None,
    bets: Sequence[Bet] = (),
    labels: bool = False,
    heat: bool = False,
    band: bool = False,
    palette: Palette = GREEN,
    amount: Callable[[Chips], str] = str,
    prefix: str = "felt",
) -> Felt:
    """The felt as `draw` gives it, for titles that come later; `band` leaves them room, as a roll does."""
    if not _PREFIX.fullmatch(prefix):
        raise InputFault(
            "prefix", f"an id begins with a letter and goes on with letters, digits or -, got {shown(prefix)}"
        )
    for bet in bets:
        box_on(layout, bet.box, "bets")
    plan = plan_for(layout)
    areas = areas_of(plan)
    headed = headings.headings_of(layout, plan)
    lit = frozenset(layout.lit(roll)) if roll is not None else None
    boxes = print_boxes(
        layout, plan, areas, lit, frozenset(one.block for one in headed), heat=heat, palette=palette, prefix=prefix
    )
    size = Rect(0, 0, plan.width * scale_of(plan), plan.height * scale_of(plan))
    band, below = band or roll is not None, heat_map.FOOT if heat else 0.0
    frame = cloth.frame_of(size, Margins(), band=band, foot=below)
    named: tuple[tags.Tag, ...] = ()
    if labels:
        printed = [one.printed for one in headed] + [rect for box in boxes for rect in box.printed]
        groups = callouts.groups_of(layout, areas)
        named, margins = tags.tags_of(callouts.callouts_of(groups, tuple(printed), size), frame.table)
        frame = cloth.frame_of(size, margins, band=band, foot=below)
    table, line = cloth.draw(frame, palette, prefix, roll, foot=plan.reconstructed)
    parts = [
        table,
        element("g", *(headings.draw(one, palette.gold) for one in headed), class_="headings"),
        element("g", *(box.drawn for box in boxes), class_="boxes"),
    ]
    if lit:
        parts.append(glow([area.rect for area in areas if area.box.name in lit], palette))
    if bets:
        spots = {box.area.box.name: Spot(box.area.rect, box.printed) for box in boxes if box.area.copy == 1}
        parts.append(chips.draw(bets, spots, amount))
    if labels:
        parts.append(tags.draw(named, frame.table, palette))
    if heat:
        foot = Rect(frame.table.x, frame.canvas.bottom - heat_map.FOOT, frame.table.width, heat_map.FOOT)
        parts.append(heat_map.legend(foot, palette, prefix))
    document = _document(
        layout, parts, frame.canvas, roll=roll, palette=palette, prefix=prefix, heat=heat, ground=labels or heat
    )
    before, _, after = document.partition(TITLE_HERE)
    return Felt(before, line, after)


def _document(
    layout: Layout,
    parts: Sequence[Markup],
    canvas: Rect,
    *,
    roll: Roll | None,
    palette: Palette,
    prefix: str,
    heat: bool,
    ground: bool,
) -> str:
    """The root element and what all parts inherit."""
    name = f"Felt of {layout.name}, {layout.title}"
    if roll is not None:
        name += f", lit for {', '.join(map(str, roll.faces))}, total {roll.total}"
    background = element(
        "rect",
        class_="background",
        x=canvas.x,
        y=canvas.y,
        width=canvas.width,
        height=canvas.height,
        rx=44,
        fill=palette.background,
    )
    body = element(
        "g",
        *((background,) if ground else ()),
        *parts,
        font_family=FONTS,
        font_weight="700",
        text_anchor="middle",
        fill=palette.ink,
    )
    scale = (heat_map.definitions(prefix),) if heat else ()
    return element(
        "svg",
        element("title", svg.words(name)),
        element("defs", cloth.definitions(palette, prefix, layout.faces), *scale),
        body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(svg.number, canvas)),
        role="img",
        class_=f"felt {palette.name}" + (" rolled" if roll is not None else ""),
        data_layout=layout.name,
    )
