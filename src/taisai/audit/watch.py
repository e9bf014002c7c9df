"""The audit that never ends: a process of its own beside a running floor, at the lowest priority.

    python -m taisai.audit.watch

Enters: one line of JSON on standard input (`Asked`): the journal's address, the folders of the rule books, how long to
wait between two looks. Leaves: lines of JSON (`Look`) on standard output: how far the journal is proven, what was found
and what could not be checked. It reads each record once and keeps the tables in memory, so that a look costs what is
new. It ends when its standard input does, and so with its parent, however that ends.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from taisai.audit.run import Audit
from taisai.books import Shelf
from taisai.core.faults import InputFault
from taisai.core.rulebook import RuleBook
from taisai.journal import Journal, JournalError, open_journal

NICE: Final = 19
TOLD_EVERY_S: Final = 1.0
"""How often a long look tells how far it is."""


class Asked(Struct, frozen=True):
    """What to watch."""

    journal: str
    books: dict[str, str]
    """The folder of each rule book."""
    every_s: float


class Look(Struct, frozen=True, kw_only=True):
    """What is known after a look, or in the middle of one."""

    position: int
    """Everything up to this record was looked at, as the findings say."""
    done: int
    """How far the present look is; the same as `position` when it is over."""
    total: int
    findings: tuple[str, ...] = ()
    """New ones since the last look."""
    not_checked: dict[str, int] = {}
    fault: str = ""
    """Why the journal could not be read; the next look tries again."""


def books_of(folders: dict[str, str]) -> Callable[[str], RuleBook | None]:
    """The rule books in these folders by id; None for one that is not there."""
    shelf = Shelf({name: Path(folder) for name, folder in folders.items()})

    def book_of(name: str) -> RuleBook | None:
        try:
            return shelf.book(name)
        except InputFault:
            return None

    return book_of


class Watcher:
    """An audit that goes on with whatever is new, and tells."""

    def __init__(
        self,
        book_of: Callable[[str], RuleBook | None],
        tell: Callable[[Look], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._audit = Audit(book_of, self._progress)
        self._tell = tell
        self._clock = clock
        self._told_at = clock()

    def look(self, journal: Journal) -> None:
        """Audit what is new in the journal, and tell; a journal that cannot be read is told too."""
        fault, found = "", []
        try:
            found = [str(finding) for finding in self._audit.findings(journal)]
        except JournalError as error:
            fault = str(error)
        self._said(self._audit.position, self._audit.position, tuple(found), fault)

    def _progress(self, done: int, total: int) -> None:
        if self._clock() - self._told_at >= TOLD_EVERY_S:
            self._said(done, total)

    def _said(self, done: int, total: int, findings: tuple[str, ...] = (), fault: str = "") -> None:
        self._told_at = self._clock()
        audit = self._audit
        self._tell(
            Look(
                position=audit.position,
                done=done,
                total=total,
                findings=findings,
                not_checked=dict(audit.not_checked),
                fault=fault,
            )
        )


def main() -> None:
    """Watch until standard input ends."""
    os.nice(NICE)
    asked = msgspec.json.decode(sys.stdin.buffer.readline(), type=Asked)
    out = sys.stdout.buffer

    def tell(look: Look) -> None:
        try:
            out.write(msgspec.json.encode(look) + b"\n")
            out.flush()
        except BrokenPipeError:  # the house was killed: there is nobody to tell, and nothing to write at the end
            os._exit(0)

    watcher = Watcher(books_of(asked.books), tell)
    journal: Journal | None = None
    while True:
        try:
            journal = journal or open_journal(asked.journal, read_only=True)
        except JournalError as error:
            tell(Look(position=0, done=0, total=0, fault=str(error)))
        else:
            watcher.look(journal)
        if select.select([sys.stdin], [], [], asked.every_s)[0]:
            return


if __name__ == "__main__":
    main()
