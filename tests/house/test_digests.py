"""Digests: of the program, the books, the settings; what differs is listed and logged."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from taisai.books import open_shelf
from taisai.house.digests import (
    PACKAGE,
    Difference,
    Manifest,
    dependency_versions,
    differences,
    last_start,
    manifest,
    note_differences,
    program_digest,
    shipped_files,
)
from taisai.house.log import append_house
from taisai.journal import MemoryJournal
from taisai.settings.forms import JournalPlace, Settings, demo_settings
from taisai.streams.house_events import DigestDiffers, HouseEvent, HouseStopped
from taisai.version import __version__
from tests.house.people import START, HandClock, Heard

BOOK = "rws-tai-sai-v6"


@pytest.fixture(scope="module")
def now() -> Manifest:
    """The house as it is."""
    return manifest(demo_settings(), open_shelf(environment={}))


def test_a_manifest_has_everything(now: Manifest) -> None:
    """Version, program, settings, every book, Python and the packages below are all in it."""
    shelf = open_shelf(environment={})
    assert now.version == __version__
    assert re.fullmatch("[0-9a-f]{64}", now.program)
    assert now.settings == demo_settings().digest()
    assert now.books == {book.id: book.digest for book in shelf.books()}
    assert {"msgspec", "apsw", "argon2-cffi"} <= set(now.dependencies)
    assert dependency_versions() == now.dependencies


def test_packages_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra that is not there has no version."""
    named = ["msgspec>=0.20", "no-such-package-anywhere>=1; extra == 'x'"]
    monkeypatch.setattr("taisai.house.digests.metadata.requires", lambda _: named)
    assert list(dependency_versions()) == ["msgspec"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a part of the package."""
    shutil.copytree(PACKAGE / "core", tmp_path / "core")
    return tmp_path / "core"


def test_the_digest_is_of_names_and_contents(copy: Path) -> None:
    """A byte, a name, a new file or a missing one changes the digest; what Python leaves behind does not."""
    digest = program_digest(copy)
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / "dice.cpython-311.pyc").write_bytes(b"compiled")
    assert program_digest(copy) == digest
    file = copy / "dice.py"
    before = file.read_bytes()
    file.write_bytes(before.replace(b"6", b"7", 1))
    changed = program_digest(copy)
    file.write_bytes(before)
    assert program_digest(copy) == digest
    (copy / "extra.py").write_bytes(b"")
    added = program_digest(copy)
    (copy / "extra.py").unlink()
    file.rename(copy / "dies.py")
    renamed = program_digest(copy)
    (copy / "dies.py").unlink()
    assert len({digest, changed, added, renamed, program_digest(copy)}) == 5


def test_contents_do_not_run_into_one_another(tmp_path: Path) -> None:
    """Moving a byte from the end of one file to the beginning of the next is another program."""
    digests = set()
    for number, (one, two) in enumerate(((b"ab", b"c"), (b"a", b"bc"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "one").write_bytes(one)
        (folder / "two").write_bytes(two)
        digests.add(program_digest(folder))
    assert len(digests) == 2


def test_rule_books_and_migrations_are_part_of_the_program() -> None:
    """Not only Python is shipped: the books' TOML and the journal's SQL count."""
    names = {path.relative_to(PACKAGE).as_posix() for path in shipped_files()}
    assert {"__init__.py", f"books/data/{BOOK}/book.toml", "journal/sqlite/migrations/0001_records.sql"} <= names
    assert not any("__pycache__" in name for name in names)


def test_settings_have_a_digest_without_their_password() -> None:
    """Another setting is another digest; another password is not, since the digest stands in the log."""
    one = Settings(journal=JournalPlace(url="postgresql://joe:first@db/floor"))
    two = Settings(journal=JournalPlace(url="postgresql://joe:second@db/floor"))
    three = Settings(journal=JournalPlace(url="postgresql://joe:first@db/other"))
    assert one.digest() == two.digest() != three.digest()


def test_the_same_house_does_not_differ(now: Manifest) -> None:
    """Nothing changed, nothing to say: between two manifests, and between a start in the journal and now."""
    again = manifest(demo_settings(), open_shelf(environment={}))
    # The sources themselves may be edited while tests run; that their digest holds still is shown on a copy.
    again = replace(again, program=now.program)
    assert differences(now, again) == []
    assert differences(now.started(), again) == []


def test_what_differs_is_listed_and_logged(now: Manifest) -> None:
    """A changed book, a new package and a changed program are each listed, and each is in the log."""
    before = replace(
        now,
        program="0" * 64,
        books={**now.books, BOOK: "1" * 64, "old-book": "2" * 64},
        dependencies={name: version for name, version in now.dependencies.items() if name != "msgspec"},
    )
    heard = Heard()
    found = asyncio.run(note_differences(before, now, heard, HandClock(), by="ada"))
    assert found == [
        Difference("program", "0" * 64, now.program),
        Difference("book old-book", "2" * 64, ""),
        Difference(f"book {BOOK}", "1" * 64, now.books[BOOK]),
        Difference("package msgspec", "", now.dependencies["msgspec"]),
    ]
    assert str(found[1]) == f"book old-book: was {'2' * 64}, is absent"
    assert heard.all(DigestDiffers) == [DigestDiffers(*each) for each in found]
    assert {event.by for event in heard.events} == {"ada"}


def test_the_first_start_has_nothing_to_compare_with(now: Manifest) -> None:
    """A house that never started differs from nothing."""
    heard = Heard()
    assert asyncio.run(note_differences(last_start(MemoryJournal()), now, heard, HandClock())) == []
    assert heard.events == []


def test_the_last_start_is_found_in_the_journal(now: Manifest) -> None:
    """Of several starts the last counts, whatever came after it."""
    journal = MemoryJournal()
    older = replace(now, version="0.0.1")
    for what in (older.started(), HouseStopped(), now.started(), HouseStopped()):
        append_house(journal, [HouseEvent(START, "house", what)])
    assert last_start(journal) == now.started()
