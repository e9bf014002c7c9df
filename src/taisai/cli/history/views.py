"""`taisai views`: an export as views of a DuckDB file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import console
from taisai.core.faults import InputFault


def views(
    folder: Annotated[Path, Parameter(help="The folder of an export.")],
    file: Annotated[Path, Parameter(help="The DuckDB file: a new one, or one whose views are made again.")],
    /,
) -> None:
    """Make views of an export in a DuckDB file: rounds, bets, placements, postings, events, and `hours`.

    They show what is committed whenever they are asked, also while `taisai export --follow` goes on.

    Examples:
      taisai views history/ floor.duckdb
      duckdb floor.duckdb "SELECT book, currency, house_hour, SUM(win) / SUM(staked) FROM hours GROUP BY ALL"
    """
    try:
        from taisai.history.folder import open_export  # noqa: PLC0415 - Arrow is an extra, and heavy
        from taisai.history.views import write_views  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("", "views need the extra `history`: pip install 'taisai[history]'") from None
    names = write_views(open_export(folder), file)
    console().print(f"{file}: {', '.join(names)}", markup=False, soft_wrap=True)
