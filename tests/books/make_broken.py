"""Writes the folders under `broken`, one refused book each.

python -m tests.books.make_broken           the books
python -m tests.books.make_broken --bless   also EXPECTED.txt: the fault lines as they are now, to be read by a person
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from taisai.books import BookRefused, read_book
from tests.books.broken_cases import CASES

BROKEN = Path(__file__).parent / "broken"
EXPECTED = "EXPECTED.txt"


def fault_lines(folder: Path) -> list[str]:
    """The faults of the book in a folder, one a line; none if it holds."""
    try:
        read_book(folder)
    except BookRefused as refused:
        return [str(fault) for fault in refused.faults]
    return []


def make(root: Path) -> None:
    """Write every book, and leave nothing else of a book there. Expected lines stay as they are."""
    for stale in set(root.iterdir() if root.exists() else ()) - {root / case.name for case in CASES}:
        shutil.rmtree(stale)
    for case in CASES:
        folder = root / case.name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.toml"):
            old.unlink()
        for name, text in case.book().items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")


def bless(root: Path) -> None:
    """Write down the faults as they are now."""
    for case in CASES:
        lines = fault_lines(root / case.name)
        (root / case.name / EXPECTED).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make_broken", description="Write the broken books.")
    parser.add_argument("--bless", action="store_true", help="also write the faults as they are now to EXPECTED.txt")
    blessing = parser.parse_args().bless
    make(BROKEN)
    if blessing:
        bless(BROKEN)


if __name__ == "__main__":
    main()
