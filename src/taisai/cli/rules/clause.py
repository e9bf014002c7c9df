"""`taisai clause`: what a clause says in our words, what the software owes it, and which tests hold it."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from taisai.books.citations import citations_of, find_clause
from taisai.books.clause_tests import tests_holding
from taisai.books.duties import NOT_STATED, Duties
from taisai.cli.show import AsJson, BookDirs, console, dated, grid, print_json, shelf_of
from taisai.core.rulebook import Clause, Interpretation, RuleBook
from taisai.protocol.books import entry_sheet


def clause(
    book: Annotated[str, Parameter(help="Id of the rule book.")],
    number: Annotated[
        str | None, Parameter(help="Number of a clause or interpretation; all of them when left out.")
    ] = None,
    /,
    *,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """A clause in our words: duty, interpretation, the tests that hold it.

    A number that is only the beginning of others, such as 5.5, lists them.

    Examples:
      taisai clause rws-tai-sai-v6 5.1.1
      taisai clause nz-division-9 "4.1(d)(ii)"
      taisai clause rws-mini-dice-v3 I9
      taisai clause rws-open-cover-v3
    """
    shelf = shelf_of(book_dir)
    rule_book, duties = shelf.book(book), shelf.duties(book)
    found: list[Clause | Interpretation] = [*rule_book.clauses.values()]
    if number is not None:
        found = find_clause(rule_book, number)
    if json:
        print_json(
            [entry_sheet(rule_book, duties, each) for each in found]
            if number is None or len(found) > 1
            else entry_sheet(rule_book, duties, found[0])
        )
    elif number is None or len(found) > 1:
        _show_list(rule_book, duties, found)
    else:
        _show_one(rule_book, duties, found[0])


def _show_list(book: RuleBook, duties: Duties, found: list[Clause | Interpretation]) -> None:
    table = grid("clause", "in our words", "duty", ("tests", "right"))
    for each in found:
        duty = ", ".join(duties.get(each.id, NOT_STATED).duties) if isinstance(each, Clause) else "interpretation"
        words = each.summary if isinstance(each, Clause) else each.question
        table.add_row(each.id, words, duty, str(len(tests_holding(book.id, each.id))))
    console().print(table)


def _show_one(book: RuleBook, duties: Duties, each: Clause | Interpretation) -> None:
    out = console()
    out.print(f"[bold]{book.id} §{each.id}[/]  ({book.document})")
    if isinstance(each, Clause):
        out.print(each.summary, markup=False)
        owed = duties.get(each.id)
        stated = f"duty: {', '.join(owed.duties)}; kept by: {owed.room}; " if owed is not None else ""
        out.print(f"\n{stated}in force from: {dated(each.effective)}")
        for entry in book.interpretations_of(each.id):
            _show_interpretation(entry)
    else:
        _show_interpretation(each)
        out.print(f"\non: {', '.join(f'§{clause_id}' for clause_id in each.clauses)}")
    cited = citations_of(book, each.id)
    if cited:
        out.print("\ncited by:")
        for row in cited:
            out.print(f"  {row}", markup=False)
    tests = tests_holding(book.id, each.id)
    out.print("\nheld by the tests:" if tests else "\nno test holds it yet.")
    for test in tests:
        out.print(f"  {test}", markup=False, soft_wrap=True)


def _show_interpretation(entry: Interpretation) -> None:
    choice = " (a house may choose otherwise)" if entry.house_choice else ""
    console().print(f"\ninterpretation [bold]{entry.id}[/]{choice}")
    console().print(f"  question: {entry.question}", markup=False)
    console().print(f"  reading:  {entry.reading}", markup=False)
