"""`taisai backup` and `taisai restore`: a journal copied while it runs, and put back only when it is sound."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.journal.audit import progress_bar
from taisai.cli.show import console
from taisai.house.log import append_house
from taisai.journal import Journal, open_journal
from taisai.journal.restore import restore as restore_file
from taisai.streams.house_events import HouseEvent, HouseEventBody, JournalRestored

CONSOLE = "console"
"""Who acts where nobody is signed in: whoever may use the server's own command line."""


def backup(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    target: Annotated[Path, Parameter(help="The file to write; it must not exist.")],
    /,
) -> None:
    """Copy a journal as it is at one moment, while tables go on playing.

    Examples:
      taisai backup floor.db backups/monday.db
    """
    with open_journal(journal, read_only=True) as opened, progress_bar("copying") as progress:
        opened.backup(target, progress)
        records = opened.position()
    console().print(f"{records:,} records copied to {target}", markup=False, soft_wrap=True)


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
