"""Migrations: numbered, known, unaltered and current."""

from __future__ import annotations

import pytest

from taisai.journal import UnknownFormat
from taisai.journal.migrations import Migration, require_current, require_known, require_same, shipped
from taisai.journal.postgres import schema as postgres
from taisai.journal.sqlite import schema as sqlite

STEPS = (Migration(1, "records", "CREATE TABLE record (a)"), Migration(2, "heads", "CREATE TABLE head (a)"))


@pytest.mark.parametrize(
    ("package", "names"),
    [
        (sqlite.PACKAGE, ["records", "checkpoints", "drawer", "heads"]),
        (postgres.PACKAGE, ["journal", "lease", "written"]),
    ],
)
def test_shipped_migrations_are_numbered(package: str, names: list[str]) -> None:
    """The migrations of each store begin as they were released, and are numbered from 1 without gaps."""
    steps = shipped(package)
    assert [one.number for one in steps] == list(range(1, len(steps) + 1))
    assert [one.name for one in steps][: len(names)] == names


def test_a_newer_store_is_refused() -> None:
    """A schema version that this taisai does not know is refused with both versions."""
    require_known(2, STEPS, "a.db")
    with pytest.raises(UnknownFormat, match=r"^a.db was made by a newer taisai: its schema has version 3, .* up to 2$"):
        require_known(3, STEPS, "a.db")


def test_an_altered_migration_is_refused() -> None:
    """The listed migrations must have the numbers, names and checksums of this taisai; fewer of them are fine."""
    rows = [(one.number, one.name, one.checksum) for one in STEPS]
    for some in ([], rows[:1], rows, [*rows, (3, "more", b"")]):
        require_same(some, STEPS, "a.db")
    for row in ((2, "heads", b"another"), (2, "tails", rows[1][2]), (5, "heads", rows[1][2])):
        with pytest.raises(UnknownFormat, match=r"^a.db: migration \d \(\w+\) is not the one that this taisai has$"):
            require_same([rows[0], row], STEPS, "a.db")


def test_an_outdated_store_is_not_read() -> None:
    """A caller that may only read cannot migrate: it is told what to do."""
    require_current(2, STEPS, "a.db")
    with pytest.raises(UnknownFormat, match="has version 1, and version 2 is needed: open it once for writing"):
        require_current(1, STEPS, "a.db")
