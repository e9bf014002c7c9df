"""People are "they", or their role: in source, texts, tests and documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ROOT
from tests.gates.words import gendered


def test_people_have_no_gender() -> None:
    """No file calls a player, a dealer or anybody else by a gender."""
    assert list(gendered(ROOT)) == []


@pytest.mark.parametrize("word", ["h" + "e", "H" + "is", "h" + "im", "h" + "imself", "sh" + "e", "h" + "er"])
def test_a_gender_is_found(tmp_path: Path, word: str) -> None:
    """Each of the words is found with its file and line, capitals or not."""
    (tmp_path / "page.md").write_text(f"A player\nand {word} bets.\n", encoding="utf-8")
    assert list(gendered(tmp_path)) == [f"page.md:2: {word}"]


def test_other_words_are_left_alone(tmp_path: Path) -> None:
    """Words that only contain one of them, and files that are not text, are not complained of."""
    (tmp_path / "page.md").write_text(
        "The shelf holds this history; there it is. See her_book and the_.\n", encoding="utf-8"
    )
    (tmp_path / "picture.png").write_bytes(b"\x89PNG h" + b"e \xff")
    (tmp_path / "journal.db").write_bytes(b"h" + b"e \0")
    assert list(gendered(tmp_path)) == []
