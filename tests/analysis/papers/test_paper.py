"""A paper as HTML and PDF: whole, escaped, the same each time."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest

from taisai.analysis.papers.paper import Paper, Sheet, as_html, as_pdf
from taisai.core.faults import InputFault

PAPER = Paper(
    "A <paper>",
    (("digest", "ab" * 32), ("say", "5 ≤ 6 & 围")),
    (Sheet("Odds", ("bet", "edge"), (("small", "2.78 %"), ("any-triple", "11.11 %")), "over all rolls"),),
    ("A note.",),
    ("Laboratory",),
)
MADE = datetime(2026, 1, 2, tzinfo=UTC)


def test_html_holds_everything_and_escapes_it() -> None:
    """Every fact, row, note and line to sign stands on the page, and markup in it is text."""
    page = as_html(PAPER)
    assert page.startswith("<!doctype html>")
    for words in (
        "A &lt;paper&gt;",
        "5 ≤ 6 &amp; 围",
        "<td>any-triple</td>",
        "over all rolls",
        "A note.",
        "Laboratory, date",
    ):
        assert words in page
    assert "http" not in page


def test_pdf_is_the_same_each_time() -> None:
    """The same paper gives the same bytes; signs that the fonts lack do not stop it."""
    first = as_pdf(PAPER, MADE)
    assert first.startswith(b"%PDF")
    assert first == as_pdf(PAPER, MADE)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no PDF writer is told which extra brings it."""
    monkeypatch.setitem(sys.modules, "fpdf", None)
    with pytest.raises(InputFault, match=r"taisai\[pdf\]"):
        as_pdf(PAPER, MADE)
