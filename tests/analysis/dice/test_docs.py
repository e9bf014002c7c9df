"""docs/dice-health.md shows what the program does."""

from __future__ import annotations

import doctest

from taisai.analysis.dice.evidence import (
    checks_of,
)
from tests import ROOT


def test_the_page_runs() -> None:
    """The Python lines of the page on dice health give what they show."""
    page = ROOT / "docs" / "dice-health.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 7)


def test_the_page_has_the_weights() -> None:
    """The weights of the page are those of the checks."""
    page = (ROOT / "docs" / "dice-health.md").read_text(encoding="utf-8")
    for check in checks_of():
        title = check.title.replace("die 1", "die 1, 2, 3").replace("dice 1 and 2", "dice 1 and 2, 1 and 3, 2 and 3")
        if not any(other in check.name for other in ("-2", "-3")) or check.name == "pair-1-2":
            times = "3 × " if "-" in check.name else ""
            assert any(
                line.startswith(f"| {title} |") and line.endswith(f"{times}{check.weight:.2f} |")
                for line in page.splitlines()
            ), title
