"""`taisai backup` and `taisai restore`: a journal copied while it runs, and put back only when it is sound."""

from __future__ import annotations

import contextlib
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.journal.audit import progress_bar
from taisai.cli.show import console
from taisai.core.faults import InputFault
from taisai.house.log import append_house
from taisai.journal import Journal, open_journal
from taisai.journal.restore import restore as restore_file
from taisai.journal.signing import public_path
from taisai.outside import place_for
from taisai.streams.house_events import HouseEvent, HouseEventBody, JournalRestored

METRICS = """\
# HELP taisai_backup_timestamp_seconds When the last backup was made.
# TYPE taisai_backup_timestamp_seconds gauge
taisai_backup_timestamp_seconds {seconds}
# HELP taisai_backup_records Records in the last backup.
# TYPE taisai_backup_records gauge
taisai_backup_records {records}
"""
CONSOLE = "console"
"""Who acts where nobody is signed in: whoever may use the server's own command line."""


def backup(
    journal: Annotated[
        str | None,
        Parameter(help="The journal: a file, or its address; with --into also TAISAI_JOURNAL."),
    ] = None,
    target: Annotated[Path | None, Parameter(help="The file to write; it must not exist.")] = None,
    /,
    *,
    into: Annotated[Path | None, Parameter(help="A folder: the copy is named after the time.")] = None,
    keep_days: Annotated[int | None, Parameter(help="Remove copies of this folder that are older.")] = None,
    metrics: Annotated[Path | None, Parameter(help="A .prom file for the textfile collector of Prometheus.")] = None,
) -> None:
    """Copy a journal as it is at one moment, while tables go on playing. Its owner alone can read the copy.

    With --into a service makes a copy every hour: the address, which may hold a password, then comes from the
    environment and is not in the list of processes. The newest copy is never removed.

    Examples:
      taisai backup floor.db backups/monday.db
      TAISAI_JOURNAL=postgresql://... taisai backup --into /var/lib/taisai-backup --keep-days 14
    """
    if keep_days is not None and (into is None or keep_days < 1):
        raise InputFault("--keep-days", "a number of days from 1 on, with --into FOLDER")
    if (target is None) == (into is None):
        raise InputFault("TARGET", "write a file, or --into FOLDER")
    address = journal or (os.environ.get("TAISAI_JOURNAL", "") if into is not None else "")
    if not address:
        raise InputFault("JOURNAL", "which journal? Write its file or address, or set TAISAI_JOURNAL with --into")
    if into is not None and not into.is_dir():
        raise InputFault("--into", f"there is no folder {into}")
    now = datetime.now(UTC)
    if metrics is not None:
        place_for(metrics, "--metrics")
    made = target if into is None else into / f"floor-{now:%Y%m%dT%H%M%SZ}.db"
    assert made is not None
    with open_journal(address, read_only=True) as opened, progress_bar("copying") as progress:
        opened.backup(made, progress)
    with open_journal(made, read_only=True) as copy:  # tables go on playing: the copy says what is in it
        records = copy.position()
    console().print(f"{records:,} records copied to {made}", markup=False, soft_wrap=True)
    if metrics is not None:
        draft = metrics.with_name(f".{metrics.name}.part")
        draft.write_text(METRICS.format(seconds=int(now.timestamp()), records=records), encoding="ascii")
        draft.chmod(0o644)  # another user's collector reads it; it holds no secret
        draft.replace(metrics)
    if into is not None and keep_days is not None:
        for old in outdated(into, now - timedelta(days=keep_days), made):
            for each in (old, public_path(old)):
                each.unlink(missing_ok=True)
            console().print(f"{old} removed", markup=False, soft_wrap=True)


def outdated(folder: Path, before: datetime, newest: Path) -> list[Path]:
    """The copies that `--into` made in a folder before a time; other files are left alone."""
    found = []
    for path in sorted(folder.glob("floor-*.db")):
        with contextlib.suppress(ValueError):
            at = datetime.strptime(path.name, "floor-%Y%m%dT%H%M%SZ.db").replace(tzinfo=UTC)
            found += [path] if at < before and path != newest else []
    return found


def restore(
    source: Annotated[Path, Parameter(help="The backup.")],
    target: Annotated[Path, Parameter(help="Where the journal should stand.")],
    /,
    *,
    force: Annotated[bool, Parameter(help="Replace a journal that stands there.", negative=())] = False,
) -> None:
    """Put a backup in place, after its chain, signatures and structure are proven; a record in it says so.

    What came after the backup is lost, and a house that has signed it signs nothing over less: see `taisai key`.

    Examples:
      taisai restore backups/monday.db floor.db
    """
    restore_file(source, target, force=force)
    with open_journal(target) as restored:
        record(restored, JournalRestored(source.name, restored.position()))
    console().print(f"{source} is sound and stands at {target}", markup=False, soft_wrap=True)


def record(journal: Journal, what: HouseEventBody) -> None:
    """Write what was done to a journal into its house's stream."""
    append_house(journal, [HouseEvent(time.time_ns() // 1_000, CONSOLE, what)])
