"""A pay table from a second person or a laboratory, checked against the layout cell by cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.core.dice import ALL_COMBINATIONS
from taisai.core.money import odds_words
from tests.books.helpers import lines_of, write_book


def table_of(folder: Path) -> list[list[str]]:
    """The table of layout A as its laboratory would write it."""
    layout = read_book(folder).layouts["A"]
    rows = [["dice", *layout.boxes]]
    for roll in ALL_COMBINATIONS:
        paid = [layout.pays(box, roll) for box in layout.boxes]
        rows.append([str(roll), *("" if pays is None else odds_words(pays) for pays in paid)])
    return rows


def put(folder: Path, rows: list[list[str]], name: str = "recount-A.csv") -> Path:
    """Write a table into a book's folder."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    (folder / name).write_text(text.getvalue(), encoding="utf-8")
    return folder


def test_a_recount_that_agrees_is_no_fault(tmp_path: Path) -> None:
    """With the same table beside it the book is read; its digest does not depend on it."""
    folder = write_book(tmp_path / "mini")
    before = read_book(folder)
    assert read_book(put(folder, table_of(folder))).digest == before.digest


def test_each_cell_that_differs_is_named(tmp_path: Path) -> None:
    """Line, box, roll, what the recount says and what the layout does."""
    folder = write_book(tmp_path / "mini")
    rows = table_of(folder)
    rows[1][2], rows[2][1], rows[3][1] = "90", "", "2:1"
    assert [line[:90] for line in lines_of(put(folder, rows))] == [
        "recount-A.csv:2: double:1 on 1,1,1: the recount says 90 to 1, the layout 9 to 1",
        "recount-A.csv:3: small on 1,1,2: the recount says loses, the layout 1 to 1",
        'recount-A.csv:4: small on 1,1,3: `pays` is odds up to 1000000 to 1, such as 8, "8 to 1", "',
    ]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda _: [], "the first row is `dice` and every box"),
        (lambda rows: [["dice", "small"], *rows[1:]], "see double:1, double:2, four:1234"),
        (lambda rows: rows[:-1], "these are missing: 6,6,6"),
        (lambda rows: [*rows, rows[5]], "each combination stands once"),
        (lambda rows: [*rows, []], "'' is no roll"),
        (lambda rows: [*rows[:9], ["9,9,9"], *rows[9:]], "'9,9,9' is no roll"),
    ],
)
def test_a_table_of_another_shape_is_refused(tmp_path: Path, spoil: object, words: str) -> None:
    """Every box, every combination, once each."""
    assert callable(spoil)
    folder = write_book(tmp_path / "mini")
    (line, *_) = lines_of(put(folder, spoil(table_of(folder))))
    assert words in line


def test_a_recount_of_no_layout_is_refused(tmp_path: Path) -> None:
    """A misspelt name would be ignored silently; bytes that are no text are a fault too."""
    folder = write_book(tmp_path / "mini")
    assert lines_of(put(folder, [], "recount-B.csv")) == ["recount-B.csv: there is no such layout in this book"]
    (folder / "recount-B.csv").rename(folder / "recount-A.csv")
    (folder / "recount-A.csv").write_bytes(b"\xff")
    assert "is not UTF-8 text" in lines_of(folder)[0]


def test_a_layout_that_is_refused_is_not_compared(tmp_path: Path) -> None:
    """While a layout has faults of its own, its recount waits."""
    folder = write_book(tmp_path / "mini")
    rows = table_of(folder)
    layout = folder / "layout-A.toml"
    layout.write_text(layout.read_text(encoding="utf-8").replace('boxes = "small", pays', 'boxes = "tiny", pays', 1))
    assert all("recount" not in line for line in lines_of(put(folder, rows)))


def test_a_recount_that_is_no_csv_is_a_fault(tmp_path: Path) -> None:
    """A cell beyond what CSV may hold is a line of its own, like any other fault."""
    folder = write_book(tmp_path / "mini")
    rows = table_of(folder)
    rows[1][2] = "9" * 200_000
    (line,) = lines_of(put(folder, rows))
    assert line.startswith("recount-A.csv:2: is not CSV: field larger")
