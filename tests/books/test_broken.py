"""Books that do not hold are refused, with every fault named: file, line, row, reason."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

import pytest

from taisai.books import read_book
from tests.books.broken_cases import CASES, GOOD, Case, Edit
from tests.books.helpers import lines_of, write_book
from tests.books.make_broken import GOLDEN, expected_lines, write_broken
from tests.golden import require_same

LINES = expected_lines()


def first_difference(one: str, other: str) -> int:
    """The number of the first line in which two texts differ."""
    lines = zip(count(1), one.split("\n"), other.split("\n"), strict=False)
    return next(number for number, left, right in lines if left != right)


def test_the_good_book_holds(tmp_path: Path) -> None:
    """The small book that all the broken ones are made from is itself without fault."""
    assert list(read_book(write_book(tmp_path / "mini")).layouts) == ["A"]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_fault_is_named(case: Case, tmp_path: Path) -> None:
    """A broken book gives exactly the lines that a person has read and found clear."""
    found = lines_of(write_broken(tmp_path, [case]) / case.name)
    require_same(case.name, GOLDEN.command, "\n".join(LINES.get(case.name, ())), "\n".join(found))


def test_every_case_has_its_lines() -> None:
    """Each broken book has at least one fault line."""
    assert [case.name for case in CASES if not LINES[case.name]] == []


def test_each_fault_is_one_plain_line() -> None:
    """A fault is one line that begins with a file and holds none of the words of the parser underneath."""
    for line in (line for lines in LINES.values() for line in lines):
        assert line.isprintable()
        assert re.match(r"(_folder-name|layout-\*\.toml|[\w-]+\.toml(:\d+)?): \S", line), line
        assert not re.search(r"Expected `|Invalid enum|\$\.|Object (missing|contains)|Traceback|msgspec", line), line


def test_each_fault_names_the_right_line() -> None:
    """Where one line was spoilt, a fault names that file and that line."""
    for case in CASES:
        spoilt = [
            f"{name}:{first_difference(text, GOOD[name])}: "
            for name, text in case.book().items()
            if case.points and text != GOOD[name]
        ]
        assert bool(spoilt) == case.points
        named = [line for line in LINES[case.name] if line.startswith(tuple(spoilt))]
        assert bool(named) == case.points, case.name


def test_an_edit_that_fits_nothing_is_noticed() -> None:
    """A case whose text does not stand in the good book once is a mistake of the case."""
    with pytest.raises(ValueError, match=r"stands 0 times in book\.toml"):
        Case("wrong", (Edit("book.toml", "no such text", ""),)).book()
