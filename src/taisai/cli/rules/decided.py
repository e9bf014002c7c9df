"""`taisai decided`: what is certain while only some dice are known, for a round that was interrupted."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import Rule
from taisai.core.settlement import Decision, is_established
from taisai.core.settlement import decided as decided_boxes


def decided(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    known: Annotated[str, Parameter(help="The faces that can be read, such as 3 or 3,5; none when left out.")] = "",
    /,
    *,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """What is certain while only some dice are known.

    After an interruption a round is concluded if any bet is already won or lost, otherwise it is void.

    Examples:
      taisai decided rws-tai-sai-v6/A 3,5
      taisai decided rws-tai-sai-v6/A
    """
    shelf = shelf_of(book_dir)
    chosen = shelf.layout(layout)
    marks = known.replace(",", " ").split()
    if any(mark not in set("123456") for mark in marks):
        raise InputFault("known", f"faces from 1 to 6, such as 3,5; got {known!r}")
    faces = [int(mark) for mark in marks]
    decisions = decided_boxes(chosen, faces)
    established = is_established(chosen, faces)
    book = shelf.book(chosen.book_id)
    clauses = book.clauses_for(Rule.INTERRUPTION_CONCLUDED if established else Rule.INTERRUPTION_VOID)
    if json:
        boxes = dict(decisions)
        print_json(
            {"layout": chosen.name, "known": faces, "established": established, "clauses": clauses, "boxes": boxes}
        )
        return
    out = console()
    verdict = (
        "an outcome is established: the round is concluded" if established else "no outcome yet: the round is void"
    )
    shown = ", ".join(map(str, faces)) or "no die"
    cited = f" ({', '.join(f'§{clause}' for clause in clauses)})" if clauses else ""
    out.print(f"[bold]{chosen.name}[/], {shown} known: {verdict}{cited}")
    table = grid("", ("boxes", "right"), "")
    for decision in Decision:
        names = [name for name, each in decisions.items() if each is decision]
        table.add_row(decision, str(len(names)), " ".join(names))
    out.print(table)
