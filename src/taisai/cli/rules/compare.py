"""`taisai compare`: two layouts side by side, box by box."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.odds import BoxOdds, Comparison, percent
from taisai.core.odds import compare as compare_layouts
from taisai.protocol.books import exact


def compare(
    one: Annotated[str, Parameter(help="First layout, as BOOK/LAYOUT.")],
    two: Annotated[str, Parameter(help="Second layout.")],
    /,
    *,
    everything: Annotated[bool, Parameter(name="--all", help="Show the boxes that agree too.", negative=())] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Two layouts side by side: what differs, box by box.

    Examples:
      taisai compare nz-division-9/2 rws-tai-sai-v6/C
      taisai compare rws-open-cover-v3/A rws-tai-sai-v6/A --all
    """
    shelf = shelf_of(book_dir)
    first, second = shelf.layout(one, "one"), shelf.layout(two, "two")
    rows = compare_layouts(first, second)
    differing = [row for row in rows if row.differs]
    shown = list(rows) if everything else differing
    if json:
        print_json(
            {
                "one": first.name,
                "two": second.name,
                "same": len(rows) - len(differing),
                "different": len(differing),
                "boxes": [_plain(row) for row in shown],
            }
        )
        return
    out = console()
    same = len(rows) - len(differing)
    out.print(f"[bold]{first.name}[/] and [bold]{second.name}[/]: {len(differing)} boxes differ, {same} agree")
    if not shown:
        return
    table = grid(
        "box", "bet", (f"{first.name} pays", "right"), ("edge", "right"), (f"{second.name} pays", "right"),
        ("edge", "right"), ("difference", "right"),
    )  # fmt: skip
    for row in shown:
        either = row.one or row.two
        difference = f"{percent(row.two.edge - row.one.edge)}" if row.one and row.two else ""
        table.add_row(
            row.name,
            either.bet if either else "",
            _pays(row.one),
            _edge(row.one),
            _pays(row.two),
            _edge(row.two),
            difference,
        )
    out.print(table)
    out.print("difference: second edge less first; – means that the layout does not have the box", style="dim")


def _pays(box: BoxOdds | None) -> str:
    return "–" if box is None else "/".join(str(each.pays) for each in box.pay_ways)


def _edge(box: BoxOdds | None) -> str:
    return "" if box is None else percent(box.edge)


def _plain(row: Comparison) -> dict[str, object]:
    return {"box": row.name, "differs": row.differs, "one": _side(row.one), "two": _side(row.two)}


def _side(box: BoxOdds | None) -> dict[str, object] | None:
    if box is None:
        return None
    return {
        "bet": box.bet,
        "pays": [each.pays for each in box.pay_ways],
        "edge": exact(box.edge),
        "clauses": box.clauses,
    }
