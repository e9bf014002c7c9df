"""The `taisai` command.

Enters: words of a command line. Leaves: text, tables, JSON or pictures, and an exit code: 0 done, 2 bad input (one line
on standard error says what). Each subcommand is a module of its own, imported when it is called, so that the command
starts quickly however much the house grows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc
from typing import Final

from cyclopts import App, CycloptsError

from taisai.core.faults import InputFault, one_line
from taisai.version import __version__

EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130

_EPILOGUE = """Examples:
  taisai books                       the rule books and their digests
  taisai odds rws-tai-sai-v6/C       what every box pays and keeps
  taisai settle round.json           one round settled, with its clauses
  taisai felt rws-tai-sai-v6/E --lit 1,3,6 -o felt.svg

Exit codes: 0 done, 2 bad input (one line says what)."""

_COMMANDS: Final = {
    "books": ("rules.books", "Installed rule books: layouts, boxes, digests."),
    "conformance": ("rules.conformance", "The examiner's report on a rule book: what keeps and proves each clause."),
    "clause": ("rules.clause", "A clause in our words: duty, interpretation, the tests that hold it."),
    "settle": ("rules.settle", "Settle a round, or a file of them: JSON in, JSON out."),
    "odds": ("rules.odds", "Odds of every box of a layout, or of a set of bets."),
    "compare": ("rules.compare", "Layouts side by side: what differs, box by box."),
    "decided": ("rules.decided", "What is certain while only some dice are known."),
    "session": (
        "maths.session",
        "What a player takes home from so many rounds: every result with its chance.",
    ),
    "house": ("maths.house", "What a table wins in a shift, what it risks, which limits hold it."),
    "bank": ("maths.bank", "Ruin in the long run, and the bank for a given risk, for the house and for a player."),
    "par": ("maths.par", "The PAR sheet of a layout, of a set of bets or of a table's traffic, as PDF, HTML or JSON."),
    "simulate": ("maths.simulate", "A table played many shifts long: players, plans, limits, voids."),
    "dice": (
        "maths.dice",
        "Whether the dice of a tumbler are fair: evidence round by round, from a file or a journal.",
    ),
    "rng": ("maths.rng", "Test a source of dice as GLI-19 lists it: raw output and scaled dice, as a report to sign."),
    "felt": ("rules.felt", "Draw a layout as SVG or PNG: plain, lit, with chips, as a heat map."),
    "serve": ("floor.serve", "Run a floor: live tables over HTTP and WebSocket."),
    "night": ("floor.night", "A table at home: phones as players, play chips, a board for the television."),
    "accounts": ("floor.accounts", "Accounts of the staff, on the server's console: list, unlock, a new link."),
    "persons": ("floor.accounts", "Who stands behind an id in the records; erase who somebody is."),
    "deal": ("floor.deal", "Deal a shift from a file, or a table in the terminal."),
    "replay": ("journal.replay", "Tell a round of a journal as a person would."),
    "explain": ("journal.explain", "A player's bets, each with why it came out so."),
    "audit": ("journal.audit", "Replay and check a whole journal."),
    "verify": (
        "journal.verify",
        "Virtual dice against the commitment that was published before the bets.",
    ),
    "report": ("journal.report", "What tables did, by day, month, year or life."),
    "resettle": (
        "history.resettle",
        "Every bet of a Parquet file or an export settled again; what differs from what was paid.",
    ),
    "export": (
        "history.export",
        "A journal as Parquet: rounds, bets, placements, postings, events; once, or following a running floor.",
    ),
    "views": ("history.views", "Views of an export in a DuckDB file, for analysts."),
    "fairness": ("history.fairness", "The dice and the returns of all tables of an export."),
    "witness": ("floor.witness", "Watch somebody else's log: cosign what extends it, shout otherwise."),
    "key": ("journal.key", "The key of a journal's log: shown, rotated, replaced."),
    "backup": ("journal.backup", "Copy a journal while it runs."),
    "restore": ("journal.backup", "Put a backup in place, after it is proven."),
    "completion": ("rules.completion", "Completion of commands and options for bash, zsh or fish."),
    "move": ("journal.move", "Copy a journal into one of another kind, and prove the copy."),
}
"""The subcommands: the module of each, and its line in the list."""


def make_app(called: str | None) -> App:
    """The command; `called` is the subcommand at hand, which has its own page of help instead of a line in the list."""
    app = App(
        name="taisai",
        help="Regulated three-dice tables (Tai Sai, Sic Bo, Mini Dice), run by the book.",
        help_epilogue=_EPILOGUE if called is None else None,
        help_format="plaintext",
        version=__version__,
    )
    for place, (name, (path, line)) in enumerate(_COMMANDS.items()):
        module = f"taisai.cli.{path}"
        text, examples = line, ""
        if name == called:
            # The parser of docstrings drops examples, so they are handed over by themselves.
            text, _, examples = cleandoc(getattr(import_module(module), name).__doc__).partition("Examples:\n")
        epilogue = f"Examples:\n{examples}" if examples else None
        app.command(
            f"{module}:{name}",
            name=name,
            sort_key=place,
            help=text.strip(),
            help_epilogue=epilogue,
            help_format="plaintext",
        )
    return app


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    given = sys.argv[1:] if words is None else list(words)
    app = make_app(given[0] if given and given[0] in _COMMANDS else None)
    try:
        result = app(given, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except InputFault as fault:
        return _bad_input(str(fault))
    except CycloptsError as error:
        return _bad_input(_one_line(str(error)))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): say nothing, and keep the interpreter from flushing into the void.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from taisai.books import BookRefused  # noqa: PLC0415 - only when something is wrong
        from taisai.journal.contract import JournalError  # noqa: PLC0415 - as above

        if isinstance(error, BookRefused):
            return _bad_input(
                "; ".join(str(fault) for fault in error.faults), prefix=f"rule book {error.book_id} refused: "
            )
        if isinstance(error, JournalError):
            return _bad_input(str(error))
        if isinstance(error, OSError):
            return _bad_input(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        raise
    return result if isinstance(result, int) else 0


def _bad_input(reason: str, prefix: str = "") -> int:
    print(f"taisai: {one_line(prefix + reason)}", file=sys.stderr)
    return EXIT_BAD_INPUT


def _one_line(text: str) -> str:
    return " ".join(text.split())
