"""Writes the broken books into a folder, one folder each, and the fault lines that they must give.

`make broken-books` writes `broken.txt` anew: the fault lines of every case as they are now, to be read by a person
before they are committed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.books.broken_cases import CASES, Case
from tests.books.helpers import lines_of
from tools.golden import Golden

EXPECTED: Final = Path(__file__).parent / "broken.txt"


def write_broken(root: Path, cases: Iterable[Case] = CASES) -> Path:
    """Write the books of some cases below a folder, which is given back."""
    for case in cases:
        folder = root / case.name
        folder.mkdir(parents=True)
        for name, text in case.book().items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return root


def expected_lines() -> dict[str, list[str]]:
    """The fault lines that a person has read, by case."""
    lines: dict[str, list[str]] = {}
    for part in EXPECTED.read_text(encoding="utf-8").split("\n\n"):
        head, *faults = part.strip("\n").split("\n")
        lines[head.removeprefix("[").removesuffix("]")] = faults
    return lines


def as_text(lines: Mapping[str, Iterable[str]]) -> str:
    """Fault lines as `broken.txt` holds them."""
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in faults) for name, faults in lines.items())


def made() -> Iterator[tuple[Path, str]]:
    """The fault lines as they are now."""
    with tempfile.TemporaryDirectory() as root:
        books = write_broken(Path(root))
        yield EXPECTED, as_text({case.name: lines_of(books / case.name) for case in CASES})


GOLDEN: Final = Golden("make broken-books", made)

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
