"""`taisai compare`: layouts side by side, box by box."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.core.money import odds_number
from taisai.core.odds import BoxOdds, Comparison, percent
from taisai.core.odds import compare as compare_layouts
from taisai.protocol.books import exact


def compare(
    *layouts: Annotated[str, Parameter(help="Layouts, as BOOK/LAYOUT; two or more.")],
    everything: Annotated[bool, Parameter(name="--all", help="Show the boxes that agree too.", negative=())] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Layouts side by side: what differs, box by box.

    Examples:
      taisai compare nz-division-9/2 rws-tai-sai-v6/C
      taisai compare nz-division-9/1 rws-open-cover-v3/A rws-tai-sai-v6/A --all
    """
    if len(layouts) < 2:
        raise InputFault("layouts", "give two or more to compare")
    shelf = shelf_of(book_dir)
    chosen = [shelf.layout(name, "layouts") for name in layouts]
    rows = compare_layouts(*chosen)
    differing = [row for row in rows if row.differs]
    shown = list(rows) if everything else differing
    same = len(rows) - len(differing)
    if json:
        print_json(
            {
                "layouts": [each.name for each in chosen],
                "same": same,
                "different": len(differing),
                "boxes": [_plain(row) for row in shown],
            }
        )
        return
    out = console()
    names = [f"[bold]{each.name}[/]" for each in chosen]
    out.print(f"{', '.join(names[:-1])} and {names[-1]}: {len(differing)} boxes differ, {same} agree")
    if not shown:
        return
    heads = [head for each in chosen for head in ((f"{each.name} pays", "right"), ("edge", "right"))]
    table = grid("box", "bet", *heads, ("difference", "right"))
    for row in shown:
        found = [side for side in row.sides if side is not None]
        edges = [side.edge for side in found]
        spread = percent(edges[1] - edges[0] if len(chosen) == 2 else max(edges) - min(edges)) if len(edges) > 1 else ""
        cells = [cell for side in row.sides for cell in (_pays(side), _edge(side))]
        table.add_row(row.name, found[0].bet, *cells, spread)
    out.print(table)
    which = "second edge less first" if len(chosen) == 2 else "highest edge less lowest"
    out.print(f"difference: {which}; – means that the layout does not have the box", style="dim")


def _pays(box: BoxOdds | None) -> str:
    return "–" if box is None else "/".join(str(odds_number(each.pays) or "push") for each in box.pay_ways)


def _edge(box: BoxOdds | None) -> str:
    return "" if box is None else percent(box.edge)


def _plain(row: Comparison) -> dict[str, object]:
    return {"box": row.name, "differs": row.differs, "sides": [_side(side) for side in row.sides]}


def _side(box: BoxOdds | None) -> dict[str, object] | None:
    if box is None:
        return None
    return {
        "bet": box.bet,
        "pays": [odds_number(each.pays) for each in box.pay_ways],
        "edge": exact(box.edge),
        "clauses": box.clauses,
    }
