"""Writes the broken books into a folder, one folder each, and the fault lines that they must give.

`python -m tests.books.make_broken` writes `broken.txt` anew: the fault lines of every case as they are now, to be read
by a person before they are committed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.books.broken_cases import CASES, Case
from tests.books.helpers import lines_of

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


def main() -> None:
    """Write the fault lines as they are now."""
    with tempfile.TemporaryDirectory() as root:
        made = write_broken(Path(root))
        EXPECTED.write_text(as_text({case.name: lines_of(made / case.name) for case in CASES}), encoding="utf-8")


if __name__ == "__main__":
    main()
