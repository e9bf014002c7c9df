"""`taisai export`: a journal as partitioned Parquet, incrementally and exactly once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from taisai.cli.journal.audit import EXIT_FINDINGS, progress_bar
from taisai.cli.show import AsJson, console, print_json
from taisai.core.faults import InputFault

if TYPE_CHECKING:
    from taisai.history.export import Exporter
    from taisai.history.folder import Export
    from taisai.journal import Journal


def export(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    folder: Annotated[Path, Parameter(help="The folder of the export: empty, or begun by an export before.")],
    /,
    *,
    follow: Annotated[bool, Parameter(help="Go on with a running floor until interrupted.", negative=())] = False,
    every: Annotated[float, Parameter(help="Seconds between two steps when following.")] = 10.0,
    upto: Annotated[int | None, Parameter(help="Only up to this position of the journal.")] = None,
    zone: Annotated[str, Parameter(help="The time zone of the house's days, as Asia/Singapore; UTC unless set.")] = "",
    check: Annotated[bool, Parameter(help="Read every file of the export again, and prove it.", negative=())] = False,
    json: AsJson = False,
) -> int:
    """Write a journal as Parquet: rounds, bets, placements, postings and events, for DuckDB, Spark and others.

    A second export goes on where the last one ended; a crash leaves the folder as it was before a step or after it.
    A folder of another journal is refused. The columns are described in docs/history.md. With --check, exit code 1 when
    a file is not as it was written.

    Examples:
      taisai export floor.db history/ --zone Asia/Singapore
      taisai export postgresql://auditor@db.casino.example/floor history/ --follow
      taisai export floor.db history/ --upto 1000000
      taisai export floor.db history/ --check
    """
    if follow and (upto is not None or check):
        raise InputFault("--follow", "goes on with everything; leave --upto and --check out")
    if upto is not None and upto < 1:
        raise InputFault("--upto", f"a position is from 1 on, got {upto}")
    if every <= 0:
        raise InputFault("--every", f"seconds are more than 0, got {every:g}")
    try:
        from taisai.history.export import Exporter  # noqa: PLC0415 - Arrow is an extra, and heavy
    except ImportError:
        raise InputFault("", "export needs the extra `history`: pip install 'taisai[history]'") from None
    from taisai.journal import open_journal  # noqa: PLC0415 - with the others

    with open_journal(journal, read_only=True) as opened, Exporter(opened, folder, zone=zone) as exporter:
        begun = exporter.export.position
        with progress_bar("exporting") as progress:
            exporter.run(upto, progress)
        if follow:
            _follow(opened, exporter, every)
        made = exporter.export
        faults = []
        if check:
            with progress_bar("checking") as progress:
                faults = list(made.faults(progress))
    if json:
        print_json({**_plain(made, begun), "faults": [fault._asdict() for fault in faults] if check else None})
    else:
        _show(made, begun)
        for fault in faults:
            console().print(f"{fault.name} {fault.sentence}", markup=False, soft_wrap=True)
        if check and not faults:
            console().print("Every file is as it was written.")
    return EXIT_FINDINGS if faults else 0


def _follow(journal: Journal, exporter: Exporter, every_s: float) -> None:
    """Go on until somebody interrupts; what is in the folder then is whole."""
    from taisai.history.export import word_of  # noqa: PLC0415 - as above

    def told(made: Export) -> None:
        print(f"{made.position:,} records exported", file=sys.stderr, flush=True)

    try:
        with word_of(journal) as wait:
            exporter.follow(wait, every_s=every_s, told=told)
    except KeyboardInterrupt:
        print("interrupted: the export is whole as far as it went", file=sys.stderr)


def _plain(made: Export, begun: int) -> dict[str, object]:
    from taisai.history.schema import DATASETS  # noqa: PLC0415 - as above

    return {
        "folder": str(made.folder),
        "position": made.position,
        "exported": made.position - begun,
        "tables": made.game_tables,
        "rows": {dataset: made.rows(dataset) for dataset in DATASETS},
        "files": len(made.files()),
    }


def _show(made: Export, begun: int) -> None:
    from taisai.history.schema import DATASETS  # noqa: PLC0415 - as above

    rows = ", ".join(f"{made.rows(dataset):,} {dataset}" for dataset in DATASETS)
    console().print(
        f"{made.position - begun:,} records exported to {made.folder}, {made.position:,} in all: {rows}",
        markup=False,
        soft_wrap=True,
    )
