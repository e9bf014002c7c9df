"""From the skeleton of a book, through every usual mistake, to the sheet that two people sign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taisai.books import BookRefused, open_shelf
from taisai.books.reader.book import read_book
from taisai.cli.rules.drafting import new_book, sheet_of
from taisai.core.faults import InputFault
from tests import ROOT

PAGE = (ROOT / "docs" / "write-your-book.md").read_text(encoding="utf-8")
MISTAKES = {
    "unknown box": ("layout-1.toml", '"total: 4 17"', '"totl: 4 17"'),
    "unknown clause '22'": ("layout-1.toml", 'pays = 50,            clause = "2"', 'pays = 50, clause = "22"'),
    "no row of the book cites clause": ("clauses.toml", "\n]", '\n  { id = "9", summary = "Be kind." },\n]'),
    "wins on 1,1,1 but no row pays it": ("layout-1.toml", "dice = 3", "dice = 3, totals = [18]"),
    "duplicate box": ("layout-1.toml", "total: 5 16", "total: 5 17"),
    "step pay is missing": ("book.toml", '  { step = "pay",        clause = "6" },\n', ""),
    "is not TOML": ("book.toml", '"Place your bets"', '"Place your bets'),
    "unknown key 'tite'": ("book.toml", "title =", "tite ="),
}
"""What the page shows, and the change of the skeleton that leads to it."""


def test_the_skeleton_is_a_book(tmp_path: Path) -> None:
    """A new book loads at once, has every key explained, and stands under its own name."""
    folder = new_book("my-casino", tmp_path)
    book = read_book(folder)
    assert (book.id, len(book.layouts), len(book.layouts["1"].boxes)) == ("my-casino", 1, 50)
    assert all(path.read_text(encoding="utf-8").startswith("#") for path in folder.iterdir())


@pytest.mark.parametrize("name", ["", "my casino", "../x", "-x"])
def test_a_name_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    """What cannot be the name of a book makes no folder."""
    with pytest.raises(InputFault, match=r"^--new: the name of a book"):
        new_book(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_book_that_is_there_is_kept(tmp_path: Path) -> None:
    """Nothing is written over."""
    new_book("my-casino", tmp_path)
    with pytest.raises(InputFault, match="is there already"):
        new_book("my-casino", tmp_path)
    with pytest.raises(InputFault, match="cannot be written"):
        new_book("x", tmp_path / "my-casino" / "book.toml")


@pytest.mark.parametrize("says", MISTAKES)
def test_every_mistake_of_the_page_says_what_the_page_says(tmp_path: Path, says: str) -> None:
    """Each usual mistake is named with its file in the words that the page promises."""
    assert f"| {says} |" in PAGE
    file, before, after = MISTAKES[says]
    path = new_book("my-casino", tmp_path) / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(BookRefused) as refused:
        read_book(path.parent)
    assert any(says in str(fault) and fault.file == file for fault in refused.value.faults)


def test_the_page_shows_no_other_mistake() -> None:
    """Whatever the page says the program says is tried here."""
    table = PAGE.partition("| what you wrote |")[2].partition("\n\n")[0].split("\n")[2:]
    assert {row.rsplit("|", 2)[1].strip() for row in table} == set(MISTAKES)


def test_the_sheet_has_what_two_people_compare() -> None:
    """Pay table, ways, edges, felt, clauses, readings, digest and two lines to sign, in one file without links."""
    book = open_shelf(environment={}).book("rws-tai-sai-v6")
    sheet = sheet_of(book)
    assert book.digest in sheet
    assert sheet.count("<svg") == 3
    assert len(re.findall(r"Name, date, signature", sheet)) == 2
    assert "<td>Any Triple Bet</td><td>any-triple</td><td class=n>31: 6</td><td class=n>11.11 %</td>" in sheet
    assert "I6" in sheet
    assert "5.14" in sheet
    assert not re.search(r'(?:src|href)="(?!#)', sheet)
    ids = re.findall(r' id="([^"]+)"', sheet)
    assert len(ids) == len(set(ids))
