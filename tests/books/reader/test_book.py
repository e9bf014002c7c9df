"""A folder read as a whole: its files, all faults at once, and what the digest identifies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from taisai.books import open_shelf, read_book
from taisai.core.rulebook import RuleBook, Step
from tests.books.helpers import OWN_IDS, change, copy_own, faults_of, lines_of, write_book

SHELF = open_shelf(environment={})
_NZ, _MINI, OPEN_COVER, V6 = OWN_IDS
EVERY_BOOK = pytest.mark.parametrize("book", [SHELF.book(book_id) for book_id in OWN_IDS], ids=OWN_IDS)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Of a folder that does not exist every file is missing."""
    assert lines_of(tmp_path / "mini") == [
        "book.toml: the file is missing",
        "clauses.toml: the file is missing",
        "layout-*.toml: a book has at least one layout",
    ]


def test_other_files_may_stand_in_the_folder(tmp_path: Path) -> None:
    """Notes and the hidden files of editors are no part of the book; neither is a missing register of readings."""
    folder = write_book(
        tmp_path / "mini", {".layout-B.toml": "junk", "SOURCE.md": "# Source", "layout-B.toml.orig": ""}
    )
    assert list(read_book(folder).layouts) == ["A"]
    (folder / "interpretations.toml").unlink()
    change(folder, "book.toml", '["2", "I1"]', '"2"')
    assert not read_book(folder).interpretations


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    """Faults of different files and rows come together, so that a book is mended in one go."""
    folder = write_book(tmp_path / "mini")
    change(folder, "book.toml", '"minimum", clause = "2"', '"minimum", clause = "9"')
    change(folder, "software.toml", '["people"], room = "people"', '["show"], room = "web"')
    change(folder, "layout-A.toml", "pays = 1,", "pays = 0,")
    change(folder, "layout-A.toml", "[4, 0, 4, 2]", "[3, 0, 4, 2]")
    assert [(fault.file, fault.line) for fault in faults_of(folder)] == [
        ("layout-A.toml", 6),
        ("layout-A.toml", 17),
        ("book.toml", 13),
        ("clauses.toml", 7),
    ]


@EVERY_BOOK
def test_a_digest_does_not_see_spacing_and_remarks(book: RuleBook, tmp_path: Path) -> None:
    """Remarks, empty lines, indents and notes beside the book leave its digest as it is."""
    folder = copy_own(book.id, tmp_path)
    for path in folder.glob("*.toml"):
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("".join(f"  {line}  # a remark\n\n# another\n" for line in lines), encoding="utf-8")
    (folder / "SOURCE.md").unlink()
    (folder / "notes.txt").write_text("Notes.\n", encoding="utf-8")
    assert read_book(folder).digest == book.digest
    assert len(book.digest) == 64


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("layout-C.toml", "pays = 62", "pays = 61", id="odds"),
        pytest.param("layout-E.toml", 'bet = "Small"', 'bet = "Little"', id="name of a bet"),
        pytest.param("layout-A.toml", "total: 4 17", "total: 17 4", id="order of boxes"),
        pytest.param("clauses.toml", "Bet and wager mean the same.", "Bet and wager mean the same..", id="summary"),
        pytest.param("interpretations.toml", "house_choice = true", "house_choice = false", id="whose choice"),
        pytest.param("book.toml", "T08:00:00", "T09:00:00", id="time of day"),
        pytest.param("book.toml", "T08:00:00", "", id="no time of day"),
        pytest.param("book.toml", "T08:00:00", "T08:00:00+08:00", id="time zone"),
        pytest.param("book.toml", "tumbles_min = 3", "tumbles_min = 4", id="tumbles"),
        pytest.param("book.toml", "Place your Bets, please", "Place your bets, please", id="call"),
        pytest.param("book.toml", '  { step = "light",      clause = "5.10" },\n', "", id="step left out"),
    ],
)
def test_a_digest_sees_every_change(tmp_path: Path, file: str, old: str, new: str) -> None:
    """Whatever a book says, if it says otherwise its digest is another."""
    assert read_book(change(copy_own(V6, tmp_path), file, old, new)).digest != SHELF.book(V6).digest


def test_a_digest_sees_the_order_of_steps(tmp_path: Path) -> None:
    """Version 6 allows the tumble at either time, so the same steps in another order are another book."""
    folder = copy_own(V6, tmp_path)
    row = '  { step = "tumble",     clause = ["3.7", "I4"] },\n'
    change(change(folder, "book.toml", row, ""), "book.toml", "steps = [\n", f"steps = [\n{row}")
    other = read_book(folder)
    assert other.procedure.steps[0].step is Step.TUMBLE
    assert other.digest != SHELF.book(V6).digest


def test_a_digest_sees_the_name_of_the_folder_and_the_files(tmp_path: Path) -> None:
    """The same files under another id, or a layout under another letter, are another book."""
    digests = {SHELF.book(OPEN_COVER).digest, read_book(copy_own(OPEN_COVER, tmp_path, "other")).digest}
    folder = copy_own(OPEN_COVER, tmp_path)
    shutil.move(folder / "layout-B.toml", folder / "layout-C.toml")
    digests.add(read_book(folder).digest)
    assert len(digests) == 3
