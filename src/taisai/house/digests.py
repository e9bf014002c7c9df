"""Digests: proof that the running program is the approved one.

Enters: the files of the package, the rule books, the settings. Leaves: a `Manifest`, the differences between two of
them, and an event in the house's log about each. Made at the start, every day and on demand. Serves R3, R36.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from taisai.books import Shelf
from taisai.house.log import Clock, Log
from taisai.journal.contract import Journal
from taisai.settings.forms import Settings
from taisai.streams.house_events import (
    HOUSE_ACTOR,
    HOUSE_KINDS,
    HOUSE_STREAM,
    DigestDiffers,
    HouseEvent,
    HouseStarted,
    house_event_of,
)
from taisai.version import __version__

PACKAGE: Final = Path(__file__).resolve().parents[1]
_LEFT_BEHIND: Final = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache"})
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Manifest(Struct, frozen=True, kw_only=True):
    """Everything that decides how the house behaves, by digest or version."""

    version: str
    program: str
    settings: str
    books: dict[str, str]
    python: str
    dependencies: dict[str, str]

    def started(self) -> HouseStarted:
        """The event of a start with this manifest."""
        return HouseStarted(
            version=self.version,
            program=self.program,
            settings=self.settings,
            books=self.books,
            python=self.python,
            dependencies=self.dependencies,
        )


class Difference(NamedTuple):
    """Something that has changed; empty where it did not exist."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.what}: was {self.before or 'absent'}, is {self.after or 'absent'}"


def shipped_files(folder: Path = PACKAGE) -> list[Path]:
    """The files of the package by name, without what Python and tools leave behind."""
    return sorted(
        (path for path in folder.rglob("*") if path.is_file() and not _LEFT_BEHIND.intersection(path.parts)),
        key=lambda path: path.relative_to(folder).as_posix(),
    )


def program_digest(folder: Path = PACKAGE) -> str:
    """SHA-256 over every shipped file: the length and text of its name, the length and bytes of its content."""
    whole = sha256()
    for path in shipped_files(folder):
        for part in (path.relative_to(folder).as_posix().encode(), path.read_bytes()):
            whole.update(len(part).to_bytes(8, "big"))
            whole.update(part)
    return whole.hexdigest()


def dependency_versions() -> dict[str, str]:
    """The packages that taisai names, those of its extras too, with the versions that are installed."""
    versions = {}
    for line in metadata.requires("taisai") or ():
        package = _REQUIREMENT.match(line)
        if package is not None:
            try:
                versions[package.group()] = metadata.version(package.group())
            except metadata.PackageNotFoundError:
                continue  # an extra that is not installed
    return dict(sorted(versions.items()))


def manifest(settings: Settings, shelf: Shelf) -> Manifest:
    """The manifest of now. A shelf reads a book once: give a new shelf to read the books again."""
    return Manifest(
        version=__version__,
        program=program_digest(),
        settings=settings.digest(),
        books={book.id: book.digest for book in shelf.books()},
        python=platform.python_version(),
        dependencies=dependency_versions(),
    )


def differences(before: Manifest | HouseStarted, after: Manifest) -> list[Difference]:
    """What has changed."""
    changed = [
        Difference(what, getattr(before, what), getattr(after, what))
        for what in ("version", "program", "settings", "python")
        if getattr(before, what) != getattr(after, what)
    ]
    changed += _changed("book", before.books, after.books)
    changed += _changed("package", before.dependencies, after.dependencies)
    return changed


def _changed(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    for name in sorted({*before, *after}):
        was, now = before.get(name, ""), after.get(name, "")
        if was != now:
            yield Difference(f"{what} {name}", was, now)


def last_start(journal: Journal) -> HouseStarted | None:
    """The last start in the journal; None when there was none."""
    kind = HOUSE_KINDS[HouseStarted]
    last = None
    for record in journal.read(HOUSE_STREAM):
        if record.kind == kind:
            last = record
    what = None if last is None else house_event_of(last).what
    return what if isinstance(what, HouseStarted) else None


async def note_differences(
    before: Manifest | HouseStarted | None, after: Manifest, log: Log, clock: Clock, by: str = HOUSE_ACTOR
) -> list[Difference]:
    """What has changed, each difference written into the house's log; nothing without an earlier manifest."""
    changed = [] if before is None else differences(before, after)
    for each in changed:
        await log(HouseEvent(clock(), by, DigestDiffers(each.what, each.before, each.after)))
    return changed
