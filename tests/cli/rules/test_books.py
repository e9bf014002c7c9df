"""`taisai books`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import ROOT
from tests.books.make_broken import write_broken
from tests.cli.running import printed

HOUSE = ROOT / "tests" / "books" / "sample"


def test_books_lists_all_eight_layouts(capfd: pytest.CaptureFixture[str]) -> None:
    """The list shows each book with its layouts, boxes and digest."""
    shown = printed(capfd, "books")
    for name in ("nz-division-9/2", "rws-open-cover-v3/B", "rws-tai-sai-v6/E", "rws-mini-dice-v3/A"):
        assert name in shown
    listed = json.loads(printed(capfd, "books", "--json"))
    assert [len(layout["boxes"]) for book in listed["books"] for layout in book["layouts"]] == [
        50, 106, 7, 50, 104, 50, 104, 107,
    ]  # fmt: skip
    assert all(len(book["digest"]) == 64 for book in listed["books"])
    assert listed["refused"] == []


def test_one_book_is_shown_in_full(capfd: pytest.CaptureFixture[str]) -> None:
    """Pay rows, steps of a round and void reasons, each with its clauses."""
    shown = printed(capfd, "books", "nz-division-9")
    assert "180 to 1" in shown
    assert "tumbler-fault" in shown
    assert "7.1(b)" in shown
    assert "digest in version 0.1.0 ddad06486b546671" in shown
    assert json.loads(printed(capfd, "books", "nz-division-9", "--json"))["procedure"]["tumble"] == "before-bets"


def test_broken_books_are_shown_with_every_fault(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder of broken books gives exit code 2 and one line for each fault."""
    broken = write_broken(tmp_path)
    shown = printed(capfd, "books", "--book-dir", str(broken), code=2)
    assert "refused: " in shown
    found = json.loads(printed(capfd, "books", "--json", "--book-dir", str(broken), code=2))
    assert len(found["refused"]) == len([*broken.glob("*/book.toml")])
    assert len(found["books"]) == 4


def test_a_fifth_book_needs_no_code(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A casino's own folder is read by --book-dir and by TAISAI_BOOKS."""
    layouts = [
        layout["name"]
        for book in json.loads(printed(capfd, "books", "--json", "--book-dir", str(HOUSE)))["books"]
        for layout in book["layouts"]
        if book["id"] == "harbour-sic-bo"
    ]
    assert layouts
    monkeypatch.setenv("TAISAI_BOOKS", str(HOUSE))
    assert json.loads(printed(capfd, "odds", layouts[0], "--json"))["layout"] == layouts[0]
