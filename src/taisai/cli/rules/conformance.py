"""`taisai conformance`: the examiner's report on a rule book."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from taisai.audit.conformance import Status, conformance_of, conformance_page
from taisai.cli.show import AsJson, BookDirs, console, grid, shelf_of
from taisai.core.faults import InputFault
from taisai.version import __version__


def conformance(
    book: Annotated[str, Parameter(help="Id of the rule book.")],
    /,
    *,
    output: Annotated[
        Path | None, Parameter(name=("--output", "-o"), help="Write a page (.html) or plain values (.json).")
    ] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Clause by clause: data, functions, tests, events, checks of the audit, readings, and a status.

    A clause or a reading that no test holds is red, and the exit code is 1.

    Examples:
      taisai conformance rws-tai-sai-v6
      taisai conformance rws-tai-sai-v6 -o conformance.html
      taisai conformance nz-division-9 --json
    """
    if output is not None and output.suffix.lower() not in (".html", ".json"):
        raise InputFault("--output", f"the file's name ends in .html or .json, got {output.name!r}")
    shelf = shelf_of(book_dir)
    report = conformance_of(shelf.book(book), shelf.duties(book), __version__)
    plain = msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n"
    if output is not None:
        page = output.suffix.lower() == ".html"
        output.write_text(conformance_page(report) if page else plain, encoding="utf-8")
    elif json:
        sys.stdout.write(plain)
    else:
        table = grid("clause", "in our words", "status", ("tests", "right"), ("events", "right"), ("checks", "right"))
        for line in (*report.clauses, *report.readings):
            counts = (str(len(each)) for each in (line.tests, line.events, line.checks))
            table.add_row(line.id, line.words, str(line.status), *counts)
        console().print(table)
        clauses, readings = (
            ", ".join(f"{count} {status}" for status, count in counts.items())
            for counts in (report.counts, report.reading_counts)
        )
        console().print(f"{report.book}: {clauses}; readings: {readings}; digest {report.digest}", soft_wrap=True)
    if report.counts[Status.RED] or report.reading_counts[Status.RED]:
        sys.exit(1)
