"""Books that do not hold are refused, with every fault named: file, line, row, reason."""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path

import pytest

from taisai.books import read_book
from tests.books import make_broken
from tests.books.broken_cases import CASES, GOOD, Case, Edit
from tests.books.helpers import lines_of, write_book
from tests.books.make_broken import BROKEN, EXPECTED


def expected(case: Case) -> list[str]:
    """The fault lines that a person has read, of which there is at least one."""
    lines = (BROKEN / case.name / EXPECTED).read_text(encoding="utf-8").splitlines()
    assert lines, case.name
    return lines


def tree(root: Path) -> dict[str, str]:
    """The books under a folder as text, by path; what is expected of them left out."""
    files = (path for path in root.rglob("*") if path.is_file() and path.name != EXPECTED)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}


def first_difference(one: str, other: str) -> int:
    """The number of the first line in which two texts differ."""
    lines = zip(count(1), one.split("\n"), other.split("\n"), strict=False)
    return next(number for number, left, right in lines if left != right)


def test_the_good_book_holds(tmp_path: Path) -> None:
    """The small book that all the broken ones are made from is itself without fault."""
    assert list(read_book(write_book(tmp_path / "mini")).layouts) == ["A"]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_fault_is_named(case: Case) -> None:
    """A broken book gives exactly the lines that a person has read and found clear."""
    assert lines_of(BROKEN / case.name) == expected(case)


def test_each_fault_is_one_plain_line() -> None:
    """A fault is one line that begins with a file and holds none of the words of the parser underneath."""
    for case in CASES:
        for line in expected(case):
            assert line.isprintable()
            assert re.match(r"(_folder-name|layout-\*\.toml|[\w-]+\.toml(:\d+)?): \S", line), line
            assert not re.search(r"Expected `|Invalid enum|\$\.|Object (missing|contains)|Traceback|msgspec", line), (
                line
            )


def test_each_fault_names_the_right_line() -> None:
    """Where one line was spoilt, a fault names that file and that line."""
    for case in CASES:
        spoilt = [
            f"{name}:{first_difference(text, GOOD[name])}: "
            for name, text in case.book().items()
            if case.points and text != GOOD[name]
        ]
        assert bool(spoilt) == case.points
        named = [line for line in expected(case) if line.startswith(tuple(spoilt))]
        assert bool(named) == case.points, case.name


def test_the_folders_are_what_is_made(tmp_path: Path) -> None:
    """The broken books in the repository are those that `make_broken` writes, no more and no fewer."""
    make_broken.make(tmp_path)
    assert tree(BROKEN) == tree(tmp_path)
    assert {path.parent.name for path in BROKEN.glob(f"*/{EXPECTED}")} == {case.name for case in CASES}


def test_the_command_makes_and_blesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command removes what is stale, keeps expected lines unless told to bless, and then writes them anew."""
    monkeypatch.setattr(make_broken, "BROKEN", tmp_path)
    (tmp_path / "stale").mkdir()
    (tmp_path / CASES[0].name).mkdir()
    (tmp_path / CASES[0].name / "old.toml").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["make_broken"])
    make_broken.main()
    assert tree(tmp_path) == tree(BROKEN)
    assert not list(tmp_path.rglob(EXPECTED))
    monkeypatch.setattr(sys, "argv", ["make_broken", "--bless"])
    make_broken.main()
    for case in CASES:
        assert (tmp_path / case.name / EXPECTED).read_bytes() == (BROKEN / case.name / EXPECTED).read_bytes()


def test_an_edit_that_fits_nothing_is_noticed() -> None:
    """A case whose text does not stand in the good book once is a mistake of the case."""
    with pytest.raises(ValueError, match=r"stands 0 times in book\.toml"):
        Case("wrong", (Edit("book.toml", "no such text", ""),)).book()
