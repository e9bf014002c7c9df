"""What the subcommands that read an export share: the choice of an engine, and the folder opened with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from taisai.cli.journal.audit import progress_bar
from taisai.core.faults import InputFault

if TYPE_CHECKING:
    from taisai.history.engines import Engine
    from taisai.history.folder import Export

EngineChoice = Annotated[
    str | None,
    Parameter(
        name="--engine",
        help="Over an export: duckdb (if nothing is said), spark, or spark:MASTER such as spark:spark://host:7077.",
    ),
]


def is_folder(source: str | Path) -> bool:
    """Whether something is a folder, which only an export can be."""
    return "://" not in str(source) and Path(source).is_dir()


def require_no_engine(engine: str | None, source: str | Path) -> None:
    """Refuse the choice of an engine where none is needed."""
    if engine is not None:
        raise InputFault("--engine", f"is for the folder of an export, and {source} is none")


@contextmanager
def opened_export(folder: str | Path, engine: str | None, what: str) -> Iterator[tuple[Export, Engine]]:
    """The export of a folder and an engine to ask, with a bar for who waits."""
    try:
        from taisai.history.engines import open_engine  # noqa: PLC0415 - Arrow is an extra, and heavy
        from taisai.history.folder import open_export  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("", "an export needs the extra `history`: pip install 'taisai[history]'") from None
    opened = open_export(Path(folder))
    with progress_bar(what) as progress, open_engine(engine or "duckdb", opened, progress) as asked:
        yield opened, asked
