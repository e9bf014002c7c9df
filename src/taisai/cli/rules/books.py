"""`taisai books`: the installed rule books, or one of them in full."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from taisai.books import BookRefused
from taisai.cli.show import AsJson, BookDirs, console, dated, grid, print_json, shelf_of
from taisai.core.rulebook import RuleBook
from taisai.protocol.books import book_sheet


def books(
    book: Annotated[str | None, Parameter(help="Id of one book, to show it in full.")] = None,
    /,
    *,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Installed rule books: layouts, boxes, digests.

    A book that does not hold is listed with every fault: file, row and reason.

    Examples:
      taisai books
      taisai books nz-division-9
      taisai books --json
      taisai books --book-dir ./my-casino
    """
    shelf = shelf_of(book_dir)
    if book is not None:
        _show_one(shelf.book(book), as_json=json)
        return 0
    good: list[RuleBook] = []
    refused: list[BookRefused] = []
    for book_id in shelf.ids:
        try:
            good.append(shelf.book(book_id))
        except BookRefused as refusal:
            refused.append(refusal)
    if json:
        faults = [{"id": each.book_id, "faults": [str(fault) for fault in each.faults]} for each in refused]
        print_json({"books": [book_sheet(each) for each in good], "refused": faults})
    else:
        _show_all(good)
        for each in refused:
            console().print(f"\n[bold red]refused: {each.book_id}[/]")
            for fault in each.faults:
                console().print(f"  {fault}", markup=False, soft_wrap=True)
    return 2 if refused else 0


def _show_all(listed: list[RuleBook]) -> None:
    table = grid("book", "game", "in force from", "layout", ("boxes", "right"), ("clauses", "right"), "digest")
    for book in listed:
        for place, layout in enumerate(book.layouts.values()):
            first = place == 0
            table.add_row(
                f"[bold]{book.id}[/]" if first else "",
                f"{book.title}, {book.version}" if first else "",
                dated(book.effective) if first else "",
                layout.name,
                str(len(layout.boxes)),
                str(len(book.clauses)) if first else "",
                book.digest[:16] if first else "",
            )
    console().print(table)
    console().print("`taisai books BOOK` shows one in full; `taisai odds LAYOUT` its mathematics.", style="dim")


def _show_one(book: RuleBook, *, as_json: bool) -> None:
    if as_json:
        print_json(book_sheet(book))
        return
    out = console()
    out.print(f"[bold]{book.id}[/]  {book.document}", soft_wrap=True)
    out.print(f"{book.operator}, {book.jurisdiction}; in force from: {dated(book.effective)}")
    out.print(f"digest {book.digest}", soft_wrap=True)
    for former in book.formerly:
        out.print(f"digest in version {former.version} {former.digest}: {former.reason}", soft_wrap=True)
    for layout in book.layouts.values():
        table = grid("bet", ("pays", "right"), "boxes", "clauses", title=f"\n{layout.name}, {len(layout.boxes)} boxes")
        for row in layout.rows:
            on = f" on {row.dice}" if row.dice else ""
            names = " ".join(box.name for box in row.boxes)
            table.add_row(row.bet, f"{row.pays} to 1{on}", names, ", ".join(row.clauses))
        out.print(table)
    procedure = book.procedure
    steps = grid("step", "clauses", title=f"\nA round ({procedure.device}, at least {procedure.tumbles_min} tumbles)")
    for step in procedure.steps:
        steps.add_row(step.step, ", ".join(step.clauses))
    out.print(steps)
    voids = grid("void reason", "when", "reaches", "clauses", title="\nVoids")
    for rule in procedure.voids.values():
        voids.add_row(rule.reason, rule.summary, rule.scope, ", ".join(rule.clauses))
    out.print(voids)
    out.print(f"`taisai clause {book.id}` lists its {len(book.clauses)} clauses.", style="dim")
