"""docs/dice-health.md shows what the program does."""

from __future__ import annotations

import doctest
import re

from taisai.analysis.dice.evidence import (
    checks_of,
)
from tests import ROOT


def test_the_page_runs() -> None:
    """The Python lines of the page on dice health give what they show."""
    page = ROOT / "docs" / "dice-health.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 7)


def test_the_page_has_the_weights() -> None:
    """The weights of the page are those of the checks, told apart or not; checks of single dice share a row."""
    page = (ROOT / "docs" / "dice-health.md").read_text(encoding="utf-8")
    rows = {
        title: (ordered, unordered)
        for title, _, ordered, unordered in re.findall(
            r"^\| ([^|]+) \| ([^|]+) \| ([^|]*) ?\| ([^|]*) ?\|$", page, re.MULTILINE
        )
    }
    named: dict[str, list[str]] = {}
    for place, ordered in enumerate((True, False)):
        for check in checks_of(ordered=ordered):
            several = re.search(r"-[123]$", check.name) is not None
            title = re.sub(r"\bdie [123]\b", "die 1, 2, 3", check.title)
            title = re.sub(r"dice [12] and [23]", "dice 1 and 2, 1 and 3, 2 and 3", title)
            title = re.sub(r"lowest|middle|highest", "lowest, middle, highest", title)
            cells = named.setdefault(title, ["", ""])
            weight = f"{check.weight:.3f}".removesuffix("0")
            cells[place] = f"3 × {weight}" if several else weight
    assert {title: tuple(cells) for title, cells in named.items()} == {
        title: tuple(cell.strip() for cell in cells) for title, cells in rows.items() if title in named
    }
