"""docs/security.md names tests that exist."""

from __future__ import annotations

import re

from tests import ROOT


def test_every_test_that_the_page_names_exists() -> None:
    """A promise is held by a test file that is there, and every row of a table names one."""
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/.]+\.py)`", page))
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| threat")]
    assert rows
    assert [row for row in rows if "`tests/" not in row] == []
