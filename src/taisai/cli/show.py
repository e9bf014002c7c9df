"""What the subcommands share: the rule books they read, and how things are shown.

Enters: values of the core. Leaves: JSON on standard output, tables, dates.
"""

from __future__ import annotations

import sys
from datetime import date, datetime
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from taisai.books import Shelf, open_shelf
from taisai.protocol.books import exact

BookDirs = Annotated[
    tuple[Path, ...],
    Parameter(
        name="--book-dir",
        help="Folder with further rule books; may be given several times (see also TAISAI_BOOKS).",
        negative=(),
    ),
]
AsJson = Annotated[bool, Parameter(name="--json", help="Print JSON.", negative=())]

PIPE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""


def shelf_of(book_dirs: tuple[Path, ...]) -> Shelf:
    """The package's books, those of the environment, and those of the folders given."""
    return open_shelf(book_dirs)


@cache
def console() -> Any:
    """The terminal, imported on first use: rich costs more than many commands do."""
    from rich.console import Console  # noqa: PLC0415 - lazily, see above

    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def grid(*columns: str | tuple[str, str], title: str | None = None) -> Any:
    """An empty table; a column is its heading, or heading and justification."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - lazily, as in `console`
    from rich.table import Table  # noqa: PLC0415 - as above

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        heading, justify = (column, "left") if isinstance(column, str) else column
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type] # a name of rich's literal
    return table


def dated(value: date | None) -> str:
    """A date for people."""
    if value is None:
        return "not dated"
    return value.strftime("%Y-%m-%d %H:%M") if isinstance(value, datetime) else value.isoformat()


def bound(value: float) -> str:
    """A bound on an error to one digit, rounded up: what is printed holds too."""
    shown = Decimal(repr(value))
    return f"{shown.quantize(Decimal(1).scaleb(shown.adjusted()), ROUND_CEILING):.0e}"


def print_json(value: object, *, indent: int = 2) -> None:
    """Write JSON to standard output, whatever its encoding."""
    text = msgspec.json.encode(value, enc_hook=_plain)
    sys.stdout.buffer.write(msgspec.json.format(text, indent=indent) + b"\n")


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return exact(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")  # pragma: no cover - a fault of the program
