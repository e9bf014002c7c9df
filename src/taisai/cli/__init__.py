"""The `taisai` command.

Enters: words of a command line. Leaves: text, tables, JSON or pictures, and an exit code: 0 done, 2 bad input (one line
on standard error says what). Each subcommand is a module of its own, imported when it is called, so that the command
starts quickly however much the house grows.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from taisai.cli.front import COMMANDS, WHAT, front_page
from taisai.core.faults import InputFault, one_line
from taisai.version import __version__

if TYPE_CHECKING:
    from cyclopts import App

EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130


def make_app(called: str | None) -> App:
    """The command; `called` is the subcommand at hand, which has its own page of help instead of a line in the list."""
    from cyclopts import App  # noqa: PLC0415 - the first page does without

    app = App(name="taisai", help=WHAT, help_format="plaintext", version=__version__)
    for place, (name, (path, line)) in enumerate(COMMANDS.items()):
        module = f"taisai.cli.{path}"
        text, examples = line, ""
        if name == called:
            # The parser of docstrings drops examples, so they are handed over by themselves.
            text, _, examples = cleandoc(getattr(import_module(module), _function(name)).__doc__).partition(
                "Examples:\n"
            )
        epilogue = f"Examples:\n{examples}" if examples else None
        app.command(
            f"{module}:{_function(name)}",
            name=name,
            sort_key=place,
            help=_unwrapped(text.strip()),
            help_epilogue=epilogue,
            help_format="plaintext",
        )
    return app


def _unwrapped(text: str) -> str:
    """Paragraphs in one line each, since the terminal breaks them again; lists and examples stay as they are."""
    parts = text.split("\n\n")
    return "\n\n".join(part if "\n " in part or "\n-" in part else " ".join(part.split()) for part in parts)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    given = sys.argv[1:] if words is None else list(words)
    if given in ([], ["--help"], ["-h"]):
        sys.stdout.write(front_page(get_terminal_size().columns))
        return 0
    for word in given:
        if not word.isprintable() and any("\ud800" <= each <= "\udfff" for each in word):
            return _bad_input(f"{word!r}: its bytes are no text in UTF-8")
    return _run(given)


def _run(given: list[str]) -> int:
    from cyclopts import CycloptsError  # noqa: PLC0415 - as above

    app = make_app(given[0] if given and given[0] in COMMANDS else None)
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


def _function(name: str) -> str:
    """The function of a subcommand: its name, with an underscore where Python has a function of that name."""
    return f"{name}_" if hasattr(builtins, name) else name


def _bad_input(reason: str, prefix: str = "") -> int:
    print(f"taisai: {one_line(prefix + reason)}", file=sys.stderr)
    return EXIT_BAD_INPUT


def _one_line(text: str) -> str:
    return " ".join(text.split())
