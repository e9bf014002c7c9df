"""docs/security.md names tests that exist, and every row says what holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests import ROOT

NAMED = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")
WITHOUT = ("not promised", "does not apply", "operator")
"""How a row of the lists begins its last cell where no test holds it."""


def missing(page: str) -> Iterator[str]:
    """Tests that a page names and that are not there."""
    for file, name in NAMED.findall(page):
        path = ROOT / file
        if not path.is_file():
            yield file
        elif name and not re.search(rf"^(?:async )?def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{file}::{name}"


def without_word(page: str) -> list[str]:
    """Rows that name no test; those of the lists may say instead that nothing is promised, and why."""
    threats, lists = page.split("## The lists")
    wrong = [row for row in _rows(threats) if "`tests/" not in row]
    return wrong + [
        row
        for row in _rows(lists)
        if "`tests/" not in row and not row.strip("| ").rsplit("|", 1)[-1].strip().startswith(WITHOUT)
    ]


def _rows(part: str) -> list[str]:
    heads = ("| threat |", "| ASVS |", "| GLI-19 B |")
    return [line for line in part.splitlines() if line.startswith("| ") and not line.startswith(heads)]


def test_every_test_that_the_page_names_exists() -> None:
    """A promise is held by a test that is there, and every row names one or says that nothing is promised."""
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert len(_rows(page)) > 50
    assert list(missing(page)) == []
    assert without_word(page) == []


def test_a_wrong_page_is_found() -> None:
    """A test that is not there, a file that is not there, and a row without a word are found."""
    here = "tests/test_security_page.py"
    page = f"| a | `{here}::test_gone` |\n| b | `tests/gone.py` |\n## The lists\n| c | x |\n| d | not promised |\n"
    assert list(missing(page)) == [f"{here}::test_gone", "tests/gone.py"]
    assert without_word(page) == ["| c | x |"]
