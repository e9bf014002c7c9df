"""Tables replayed in processes of their own, while the first process checks chain, log and signatures.

    python -m taisai.audit.replay.apart

Enters: one line of JSON on standard input (`Share`): the journal's address, the folders of the rule books, which tables
and between which positions, or which stretch of one table (`stretches`). Leaves: on standard output (`Replayed`) the
tables at the end of the share, and findings. A process reads the journal itself, the house's log included, whose own
findings are left to the first one. It ends when its standard input does, and so with its parent. A share whose process
fails, and a table whose stretches do not meet, is replayed by the first one: nothing is left out.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from taisai.audit.actors import ActorKey
from taisai.audit.findings import AuditFinding
from taisai.audit.replay.stretches import (
    Stretch,
    are_one,
    position_of,
    replay_stretch,
    stretches_of,
    together,
)
from taisai.audit.replay.table import BookOf
from taisai.audit.replay.tables import TableFar, Tables
from taisai.books import Shelf
from taisai.journal import Journal, open_journal
from taisai.journal.verify import readable
from taisai.streams.house_events import HOUSE_STREAM

WORTH: Final = 20_000
"""From this many new records on, starting a process costs less than it saves."""
GC_EVERY: Final = 50_000
"""New objects between two looks for cycles: events and states have none, and most of them stay for a round."""


class Apart(Struct, frozen=True):
    """What other processes need to take part."""

    journal: str
    """Its address."""
    books: dict[str, str]
    """The folder of each rule book."""
    processes: int
    """How many there may be altogether."""
    worth: int = WORTH


class Share(Struct, frozen=True):
    """What one process replays."""

    journal: str
    books: dict[str, str]
    tables: tuple[str, ...]
    after: int
    upto: int
    since: dict[str, TableFar] = {}
    """The tables of the share that were audited up to `after` before."""
    stretch: Stretch | None = None
    """Some records of the one table of the share."""


class Replayed(Struct, frozen=True):
    """What became of a share."""

    tables: dict[str, TableFar]
    findings: list[AuditFinding]
    not_checked: dict[str, int]
    told: list[ActorKey]
    """Whoever of the actors something was found of."""
    begun: TableFar | None = None
    """Where a stretch began, if that was at a snapshot."""


def books_of(folders: Mapping[str, str]) -> BookOf:
    """The rule books in these folders by id; None for one that is not there."""
    shelf = Shelf({name: Path(folder) for name, folder in folders.items()})
    return lambda name: shelf.book(name) if name in shelf.ids else None


def replay(share: Share, journal: Journal, book_of: BookOf) -> Replayed:
    """Replay a share."""
    tables, mine, begun, after = Tables(book_of), frozenset(share.tables), None, share.after
    tables.know(journal, anew=False)
    tables.resume(share.since)
    if share.stretch is not None and share.stretch.begin:
        after = position_of(journal, share.stretch)
    tables.know_staff(journal, after)
    if share.stretch is not None:
        begun = replay_stretch(tables, journal, share.stretch, after, share.upto)
    else:
        for rows in readable(journal, after, share.upto):
            tables.see([row for row in rows if row[0] in mine or row[0] == HOUSE_STREAM])
    far = tables.far()
    found = [finding for finding in tables.found if finding.table != HOUSE_STREAM]
    return Replayed(far, found, dict(tables.not_checked), list(tables.actors.told), begun)


def in_stretches(whole: Share, at: Sequence[int]) -> list[Share]:
    """A share of one table in stretches that begin at these snapshots."""
    (table,) = whole.tables
    return [
        replace(whole, stretch=stretch, since={} if stretch.begin else whole.since)
        for stretch in stretches_of(table, at)
    ]


def joined(table: str, parts: Sequence[Replayed | None]) -> Replayed | None:
    """Stretches as one, when each began as the one before it ended and nothing was found in any; otherwise None."""
    far: TableFar | None = None
    not_checked: Counter[str] = Counter()
    for place, part in enumerate(parts):
        if part is None or part.findings:
            return None
        if place and part.begun is None and not any(each is None or each.begun for each in parts[place:]):
            break  # no round was concluded after its snapshot: the one before it went on to the end
        ended = part.tables.get(table)
        if ended is None or (far is not None and (part.begun is None or not are_one(far, part.begun, ended))):
            return None
        if far is not None:
            compared = {**far.compared, **ended.compared}
            ended = replace(ended, course=together(far.course, ended.course), compared=compared)
        far = ended
        not_checked.update(part.not_checked)
    return None if far is None else Replayed({table: far}, [], dict(not_checked), [])


def shared_out(tables: Mapping[str, int], shares: int) -> list[tuple[str, ...]]:
    """The tables in so many shares of about the same number of records, larger tables first; none is empty."""
    found: list[list[str]] = [[] for _ in range(shares)]
    sums = [0] * shares
    for table, records in sorted(tables.items(), key=lambda each: (-each[1], each[0])):
        least = sums.index(min(sums))
        found[least].append(table)
        sums[least] += records
    return [tuple(each) for each in found if each]


class Workers:
    """The processes of one audit."""

    def __init__(self, shares: Iterable[Share], parted: tuple[Share, Sequence[int]] | None = None) -> None:
        """`parted` is a share of one table, and the snapshots that part it into stretches."""
        self._whole = None if parted is None else parted[0]
        self._stretches = [] if parted is None else [(each, _start(each)) for each in in_stretches(*parted)]
        self._shares = [(share, _start(share)) for share in shares]
        self._started = [*self._stretches, *self._shares]

    @property
    def tables(self) -> frozenset[str]:
        """The tables that they replay."""
        return frozenset(table for share, _ in self._started for table in share.tables)

    @property
    def upto(self) -> int:
        """The last position that they replay."""
        return max((share.upto for share, _ in self._started), default=0)

    @property
    def running(self) -> int:
        """How many have not ended."""
        return sum(process.poll() is None for _, process in self._started)

    def replayed(self, again: Callable[[Share], Replayed]) -> Iterable[Replayed]:
        """What each came to; a share whose process failed, or stretches that do not meet, are replayed by `again`."""
        if self._whole is not None:
            found = joined(self._whole.tables[0], [_told(process) for _, process in self._stretches])
            yield again(self._whole) if found is None else found
        for share, process in self._shares:
            yield _told(process) or again(share)

    def stop(self) -> None:
        """End those that still run."""
        for _, process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def _told(process: subprocess.Popen[bytes]) -> Replayed | None:
    assert process.stdout is not None
    told = process.stdout.read()  # its standard input stays open: it would end with it
    return None if process.wait() else msgspec.json.decode(told, type=Replayed)


def _start(share: Share) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "taisai.audit.replay.apart"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    try:
        process.stdin.write(msgspec.json.encode(share) + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it ended already: its exit code says so
    return process


def main() -> None:
    """Replay the share on standard input."""
    gc.freeze()
    gc.set_threshold(GC_EVERY)
    share = msgspec.json.decode(sys.stdin.buffer.readline(), type=Share)
    Thread(target=_end_with_parent, daemon=True).start()
    with open_journal(share.journal, read_only=True) as journal:
        told = msgspec.json.encode(replay(share, journal, books_of(share.books)))
    sys.stdout.buffer.write(told)
    sys.stdout.buffer.flush()
    os._exit(0)  # without waiting for the thread that reads standard input


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    main()
