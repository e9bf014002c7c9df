"""`taisai books`: the installed rule books, or one of them in full."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.books import BookRefused
from taisai.cli.rules.drafting import new_book, sheet_of
from taisai.cli.show import AsJson, BookDirs, console, dated, grid, print_json, shelf_of
from taisai.core.faults import InputFault, shown
from taisai.core.odds import flags_of
from taisai.core.rulebook import RuleBook
from taisai.protocol.books import book_sheet


def books(
    book: Annotated[str | None, Parameter(help="Id of one book, to show it in full.")] = None,
    /,
    *,
    new: Annotated[str | None, Parameter(help="Write a skeleton of a book into a new folder of this name.")] = None,
    sheet: Annotated[Path | None, Parameter(help="Write the sheet of the book that two people sign: HTML.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Installed rule books: layouts, boxes, digests.

    A book that does not hold is listed with every fault: file, row and reason. docs/write-your-book.md leads from the
    skeleton to the signed sheet.

    Examples:
      taisai books
      taisai books nz-division-9
      taisai books --json
      taisai books --new my-casino
      taisai books --book-dir ./my-casino
      taisai books my-casino --book-dir ./my-casino --sheet my-casino.html
    """
    if new is not None:
        folder = new_book(new)
        console().print(
            f"{folder} is a book that loads: `taisai books --book-dir {folder}` reads it again as you edit."
        )
        return 0
    shelf = shelf_of(book_dir)
    if sheet is not None and book is None:
        raise InputFault("--sheet", "name the book: taisai books BOOK --sheet FILE.html")
    if book is not None and sheet is not None:
        try:
            sheet.write_text(sheet_of(shelf.book(book)), encoding="utf-8")
        except OSError as error:
            raise InputFault("--sheet", f"{shown(str(sheet))} cannot be written: {error.strerror}") from None
        console().print(f"{sheet}: print it, compare it with the document, and have two people sign it.", markup=False)
        return 0
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
            cases = [f"on {row.dice}"] if row.dice else []
            cases += [f"on totals {', '.join(map(str, sorted(row.totals)))}"] if row.totals else []
            cases += [f"when {row.when.text}"] if row.when else []
            names = " ".join(box.name for box in row.boxes)
            table.add_row(row.bet, " ".join([row.odds, *cases]), names, ", ".join(row.clauses))
        out.print(table)
        for flag in flags_of(layout):
            out.print(f"Look at: {flag}", soft_wrap=True)
    procedure = book.procedure
    steps = grid("step", "clauses", title=f"\nA round ({procedure.device}, at least {procedure.tumbles_min} tumbles)")
    for step in procedure.steps:
        steps.add_row(step.step, ", ".join(step.clauses))
    out.print(steps)
    facts = grid("fact", "when", "then", "clauses", title="\nFacts, and what follows from them")
    for rule in procedure.facts.values():
        facts.add_row(rule.fact, rule.summary, ", ".join(rule.then), ", ".join(rule.clauses))
    out.print(facts)
    out.print(f"`taisai clause {book.id}` lists its {len(book.clauses)} clauses.", style="dim")
