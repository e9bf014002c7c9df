"""`taisai move`: a journal copied into another, empty one of any kind, and the copy proven."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.journal.audit import EXIT_FINDINGS, progress_bar
from taisai.cli.journal.backup import record
from taisai.cli.show import console
from taisai.core.faults import InputFault
from taisai.journal import Journal, JournalError, JournalFailed, JournalReadOnly, open_journal
from taisai.journal.opening import file_of, shown_address
from taisai.journal.signing import write_public
from taisai.journal.sqlite.lock import WriterLock
from taisai.journal.transfer import copy
from taisai.journal.verify import verify
from taisai.outside import real_path
from taisai.streams.house_events import JournalMoved


def move(
    source: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    target: Annotated[str, Parameter(help="Where it goes: a new file, or the address of an empty journal.")],
    /,
) -> int:
    """Copy a journal into another kind of journal, every record with its place and its hash, and prove the copy.

    Stop the house first: nobody may write to the source meanwhile. The source stays as it is. The private key is not
    copied; where it belongs is said at the end. Exit code 1 when the copy is not sound.

    Examples:
      taisai move floor.db postgresql://house@db.casino.example/floor
      taisai move postgresql://house@db.casino.example/floor floor.db
    """
    if source == target:
        raise InputFault("TARGET", "a journal cannot be moved onto itself")
    with ExitStack() as all_open:
        all_open.enter_context(_nobody_writes(source))
        there = all_open.enter_context(open_journal(source, read_only=True))
        _require_idle(there)
        here = all_open.enter_context(open_journal(target))
        if here.key_file is None:
            raise InputFault("TARGET", "a journal in memory would end with this command")
        _require_empty(there, here, shown_address(target))
        return _moved(there, here, shown_address(source), shown_address(target))


@contextmanager
def _nobody_writes(source: str) -> Iterator[None]:
    """Hold a file's place for a writer, so that nobody else takes it."""
    file = file_of(source)
    lock: WriterLock | None = None
    if file is not None and file.is_file():
        try:
            lock = WriterLock(real_path(file))
        except JournalReadOnly:
            lock = None  # who may not write there cannot keep others from it
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _require_idle(source: Journal) -> None:
    """A valid lease means that a node is running the table."""
    for table, lease in ({} if source.leases is None else source.leases.current()).items():
        if lease.seconds_left > 0:
            raise InputFault("SOURCE", f"table {table!r} is being dealt by {lease.holder}: stop the house first")


def _require_empty(source: Journal, target: Journal, shown: str) -> None:
    standing = target.standing()
    if standing.position or standing.checkpoint or target.entries(count=1):
        what = f"{standing.position:,} records, {standing.checkpoint:,} checkpoints, {len(target.entries()):,} entries"
        raise InputFault("TARGET", f"{shown} is not empty ({what}): a journal is moved into an empty one")
    theirs, ours = source.public_key(), target.public_key()
    if theirs is not None and ours is not None and theirs != ours:
        raise InputFault("TARGET", f"beside {target.key_file} lies the public key of another journal")


def _moved(source: Journal, target: Journal, source_shown: str, target_shown: str) -> int:
    try:
        with progress_bar("copying") as progress:
            copy(source, target, progress)
    except JournalError:
        console().print(f"{target_shown} is incomplete: remove it before another attempt", markup=False, soft_wrap=True)
        raise
    standing = target.standing()
    if source.standing() != standing or source.entries() != target.entries():
        raise JournalFailed(
            f"somebody wrote to {source_shown} meanwhile: stop the house, remove {target_shown}, and move again"
        )
    public = source.public_key()
    if public is not None and target.key_file is not None:
        target.key_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_public(public, target.key_file.with_suffix(".pub"))
    with progress_bar("proving") as progress:
        findings = list(verify(target, public, progress))
    for finding in findings:
        console().print(f"{finding.code}: {finding.sentence}", markup=False, soft_wrap=True)
    if not findings:
        record(target, JournalMoved(source_shown, standing.position))
    told = (
        f"{standing.position:,} records of {len(standing.heads):,} tables, {standing.checkpoint:,} checkpoints and"
        f" {len(target.entries()):,} key-value entries: copied to {target_shown}"
    )
    verdict = f"not sound, {len(findings)} findings: do not use it" if findings else "and proven"
    console().print(f"{told}, {verdict}", markup=False, soft_wrap=True)
    if standing.checkpoint:
        key = f"put {source.key_file} at {target.key_file}" if source.key_file else f"put it at {target.key_file}"
        console().print(f"The private key stays where it is; to go on signing, {key}", markup=False, soft_wrap=True)
    return EXIT_FINDINGS if findings else 0
