"""Two editions of a small book, for tests that change over from one to the other."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.books.helpers import HOUSE

FIRST, SECOND = "harbour-sic-bo", "harbour-sic-bo-2025"


def two_editions(folder: Path, *, effective: str = "2025-06-01", pays: int = 9) -> Path:
    """A folder with a first edition and a second, in which a double pays otherwise."""
    for name in (FIRST, SECOND):
        shutil.copytree(HOUSE / FIRST, folder / name)
    book = folder / SECOND / "book.toml"
    lines = [line for line in book.read_text(encoding="utf-8").split("\n") if not line.startswith("effective")]
    book.write_text(f'replaces = "{FIRST}"\neffective = {effective}\n' + "\n".join(lines), encoding="utf-8")
    for layout in (folder / SECOND).glob("layout-*.toml"):
        text = layout.read_text(encoding="utf-8")
        layout.write_text(text.replace("pays = 8,", f"pays = {pays},", 1), encoding="utf-8")
    return folder
