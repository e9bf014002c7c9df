"""`taisai deal`: a shift from a file with its calls on screen, or a table dealt in the terminal (`terminal`).

Enters: a `*.shift` file, or a layout. Leaves: what was called, what happened, what was refused, and the table at the
end; or the shift as JSON, or checked against the output that the file holds.
"""

from __future__ import annotations

import sys
from typing import Annotated, Final

from cyclopts import Parameter

from taisai.cli.floor.screen import show_shift
from taisai.cli.floor.terminal import TerminalTable
from taisai.cli.show import AsJson, BookDirs, print_json, shelf_of
from taisai.core.faults import InputFault
from taisai.outside import bounded, read_text, text_of
from taisai.table.figures import table_result
from taisai.table.notation.run import Transcript, blessed, differences, run_shift
from taisai.table.notation.script import (
    Script,
    format_shift,
    parse_shift,
)

EXIT_DIFFERENT: Final = 1
SHIFT_BYTES_MAX: Final = 16 * 2**20


def deal(
    shift: Annotated[
        str,
        Parameter(
            help="A .shift file; - is standard input; with --interactive a layout, as BOOK/LAYOUT.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    interactive: Annotated[
        bool, Parameter(help="Deal a table of that layout in the terminal, with virtual dice.", negative=())
    ] = False,
    check: Annotated[
        bool, Parameter(help="Compare with the output in the file; exit code 1 when it differs.", negative=())
    ] = False,
    notation: Annotated[
        bool, Parameter(help="Print the shift with its output, as a file that --check would pass.", negative=())
    ] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Deal a shift from a file, or a table in the terminal.

    A file holds one command a line: who, verb, arguments (docs/shifts.md). Calls, events and refusals are shown as they
    come; a refused command does not stop the shift. At a terminal, begin with quick; help tells what is possible.

    Examples:
      taisai deal evening.shift
      taisai deal evening.shift --check
      taisai deal evening.shift --json > transcript.json
      taisai deal draft.shift --notation > evening.shift
      taisai deal --interactive rws-tai-sai-v6/A
    """
    if sum((interactive, check, notation, json)) > 1:
        raise InputFault("", "give one of --interactive, --check, --notation and --json")
    shelf = shelf_of(book_dir)
    if interactive:
        return TerminalTable(shelf, shift).run()
    script = parse_shift(_text_of(shift), "standard input" if shift == "-" else shift)
    head = script.head
    shelf.layout(f"{head.book}/{head.layout}", "table")
    transcript = run_shift(shelf.book, script)
    if check:
        return _check(script, transcript)
    if notation:
        sys.stdout.write(format_shift(blessed(script, transcript)))
    elif json:
        print_json(_plain(script, transcript))
    else:
        show_shift(script, transcript)
    return 0


def _text_of(file: str) -> str:
    if file == "-":
        return text_of(bounded(sys.stdin.buffer, SHIFT_BYTES_MAX, "standard input"), "standard input")
    return read_text(file, SHIFT_BYTES_MAX)


def _check(script: Script, transcript: Transcript) -> int:
    found = differences(script, transcript)
    for line in found:
        sys.stdout.write(f"{line}\n")
    refused = sum(entry.refusal is not None for entry in transcript.entries)
    count = f"{len(transcript.entries)} commands, {refused} of them refused"
    sys.stdout.write(f"{count}: the output differs\n" if found else f"{count}: all as expected\n")
    return EXIT_DIFFERENT if found else 0


def _plain(script: Script, transcript: Transcript) -> dict[str, object]:
    head, result = script.head, table_result(transcript.state)
    return {
        "table": head.table,
        "layout": f"{head.book}/{head.layout}",
        "entries": transcript.entries,
        "result": {**result._asdict(), "hold": None if result.hold is None else str(result.hold)},
        "state": transcript.state,
    }
