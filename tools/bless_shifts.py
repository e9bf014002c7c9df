"""Writes the output of every shift under tests/shifts into its file as what is expected from now on (`make shifts`).

The change is in the version control's diff: read every line of it before you commit it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.table.notation.run import blessed, run_shift
from taisai.table.notation.script import format_shift, parse_shift
from tools.golden import ROOT, Golden


def made() -> Iterator[tuple[Path, str]]:
    """Every shift with the output that its commands give now."""
    book = open_shelf([ROOT / "examples" / "books"], environment={}).book
    for path in sorted((ROOT / "tests" / "shifts").rglob("*.shift")):
        try:
            script = parse_shift(path.read_text(encoding="utf-8"), path.name)
            yield path, format_shift(blessed(script, run_shift(book, script)))
        except InputFault as fault:
            raise SystemExit(f"{path.relative_to(ROOT)}: {fault}") from fault


GOLDEN = Golden("make shifts", made)

if __name__ == "__main__":
    sys.exit(GOLDEN.main())
