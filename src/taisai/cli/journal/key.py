"""`taisai key`: the key of a journal's log, through its whole life."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from taisai.cli.show import console
from taisai.core.faults import InputFault
from taisai.house.keys import change_key, restart_log, verifier_of
from taisai.journal import open_journal
from taisai.journal.contract import Journal


def key(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    /,
    *,
    change: Annotated[
        Literal["rotation", "loss", "compromise", "restart"] | None,
        Parameter(help="Put a new key in place, and why; `restart` lets the log go on under a new name as well."),
    ] = None,
    by: Annotated[str, Parameter(help="Who decides it.")] = "",
    reason: Annotated[str, Parameter(help="Why, in words, for the record.")] = "",
    word: Annotated[Path | None, Parameter(help="Where to write the old key's word for the new one.")] = None,
) -> None:
    """Show the key of a journal's log as auditors, witnesses and players need it; or change it.

    Stop the house first. A rotation writes the old key's word for the new one: send it to each witness (POST /add-key)
    and to the auditors. After a loss or a compromise there is no such word: people give the new key to people, and each
    witness pins it by hand. A log whose journal was restored from a backup cannot go on under its name: `restart`.

    Examples:
      taisai key floor.db
      taisai key floor.db --change rotation --by kim --reason "every year" --word next-key.txt
      taisai key floor.db --change compromise --by kim --reason "the laptop was stolen"
      taisai key floor.db --change restart --by kim --reason "restored from Monday's backup after the fire"
    """
    if change is None:
        with open_journal(journal, read_only=True) as opened:
            console().print(str(verifier_of(opened)), markup=False, soft_wrap=True)
        return
    for name, text in (("--by", by), ("--reason", reason)):
        if not text.strip():
            raise InputFault(name, "is needed: a change of the key is recorded with who decided it and why")
    with open_journal(journal, create=False) as opened:
        require_idle(opened)
        if change == "restart":
            after, note = restart_log(opened, by=by, reason=reason, now=_now), None
        else:
            after, note = change_key(opened, change, by=by, reason=reason, now=_now)
    console().print(f"the log is signed with {after}", markup=False, soft_wrap=True)
    if note is None:
        console().print("The old key does not vouch for it: give it to auditors and witnesses yourself", markup=False)
    elif word is None:
        console().print(str(note), markup=False, soft_wrap=True)
    else:
        word.write_text(str(note), encoding="utf-8")
        console().print(f"the old key's word for it: {word}", markup=False, soft_wrap=True)


def require_idle(journal: Journal) -> None:
    """A valid lease means that a node is running."""
    for table, lease in ({} if journal.leases is None else journal.leases.current()).items():
        if lease.seconds_left > 0:
            raise InputFault("JOURNAL", f"{lease.holder} is running ({table!r}): stop the house first")


def _now() -> int:
    return time.time_ns() // 1_000
