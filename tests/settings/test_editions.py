"""Which edition is due, and which books the house admits."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from taisai.books import Shelf, open_shelf
from taisai.settings.editions import Edition, edition_due, moment_of, not_admitted, starts_at
from taisai.settings.forms import House, Settings
from taisai.settings.reading import SettingsRefused, read_settings
from tests.books.editions import FIRST, SECOND, two_editions

TABLE = f"""
[[tables]]
name = "T1"
book = "{FIRST}"
layout = "club"
currency = "SGD"
denominations = [100, 500]
limits = {{ unit = 100, default = {{ min = 100, max = 1000 }} }}
editions = [{{ at = "2025-07-01 06:00", book = "{SECOND}" }}]
"""


def at(text: str) -> int:
    """A time in UTC, in microseconds."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000_000)


def read(tmp_path: Path, text: str, shelf: Shelf) -> Settings:
    """The settings of a file with this text."""
    file = tmp_path / "floor.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file, environment={}, shelf=shelf)


def faults(tmp_path: Path, text: str, shelf: Shelf) -> list[str]:
    """The faults by key and reason."""
    with pytest.raises(SettingsRefused) as refused:
        read(tmp_path, text, shelf)
    return [f"{fault.key}: {fault.reason}" for fault in refused.value.faults]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A shelf with two editions of one book."""
    return open_shelf([two_editions(tmp_path / "books")], environment={})


def test_an_edition_is_due_from_its_date_on(tmp_path: Path, shelf: Shelf) -> None:
    """Before the date the first edition, from the date on the second, by the clock of the house."""
    settings = read(tmp_path, TABLE, shelf)
    (table,) = settings.tables
    assert edition_due(settings, table, at("2025-07-01 05:59")) == Edition(FIRST, "club")
    assert edition_due(settings, table, at("2025-07-01 06:00")) == Edition(SECOND, "club")
    there = replace(settings, house=House(zone="Asia/Singapore"))
    assert edition_due(there, table, at("2025-06-30 21:59")) == Edition(FIRST, "club")
    assert edition_due(there, table, at("2025-06-30 22:00")) == Edition(SECOND, "club")
    assert moment_of(there, at("2025-06-30 22:00")).hour == 6


def test_editions_of_a_table_must_follow_each_other(tmp_path: Path, shelf: Shelf) -> None:
    """A later edition replaces the one before it, is in force at its date, and stands in the order of dates."""
    assert faults(tmp_path, TABLE.replace("2025-07-01", "2025-05-01"), shelf) == [
        f"tables[1].editions[1].at: {SECOND} is in force from 2025-06-01"
    ]
    assert faults(tmp_path, TABLE.replace(f'"{SECOND}" }}', '"rws-tai-sai-v6", layout = "A" }'), shelf) == [
        f"tables[1].editions[1].book: rws-tai-sai-v6 replaces no book, not {FIRST}"
    ]
    assert faults(tmp_path, TABLE.replace("2025-07-01 06:00", "next summer"), shelf) == [
        "tables[1].editions[1].at: a date and time in quotation marks, 2026-12-01 06:00, got 'next summer'"
    ]
    assert starts_at(Settings(), "2025-13-01 06:00") is None


def test_a_book_of_next_year_is_refused_today(tmp_path: Path) -> None:
    """A book that is not in force yet stands under no table, in the settings or by a command."""
    shelf = open_shelf([two_editions(tmp_path / "books", effective="2999-01-01")], environment={})
    text = TABLE.replace(f'"{FIRST}"', f'"{SECOND}"').partition("editions")[0]
    assert faults(tmp_path, text, shelf) == [f"tables[1].book: {SECOND} is in force from 2999-01-01"]
    book = shelf.book(SECOND)
    assert not_admitted(Settings(), book, at("2998-12-31 23:59")) == f"{SECOND} is in force from 2999-01-01"
    assert not_admitted(Settings(), book, at("2999-01-01 00:00")) == ""


def test_the_list_of_approved_books_is_complete_once_it_is_used(tmp_path: Path, shelf: Shelf) -> None:
    """With one book approved, every other is refused: of a table, of an edition, and by a command."""
    digest = shelf.book(FIRST).digest
    approved = f'[books]\n{FIRST} = "{digest}"\n'
    assert faults(tmp_path, approved + TABLE, shelf) == [
        f"tables[1].editions[1].book: {SECOND} is not among the approved books of [books]"
    ]
    settings = Settings(books={FIRST: digest})
    assert not_admitted(settings, shelf.book(FIRST), at("2025-07-01 06:00")) == ""
    assert "not among the approved books" in not_admitted(settings, shelf.book(SECOND), at("2025-07-01 06:00"))
    other = Settings(books={FIRST: "0" * 64})
    assert "is not the approved one" in not_admitted(other, shelf.book(FIRST), at("2025-07-01 06:00"))
