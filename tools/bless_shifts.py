"""Write the output of every shift under tests/shifts into its file, as the output that is expected from now on.

    python tools/bless_shifts.py              all of them
    python tools/bless_shifts.py FILE...      these
    python tools/bless_shifts.py --check      change nothing; exit code 1 when a file would change

The change is in the version control's diff: read every line of it before it goes in.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.table.notation.run import blessed, run_shift
from taisai.table.notation.script import format_shift, parse_shift

SHIFTS = Path(__file__).resolve().parents[1] / "tests" / "shifts"


def bless(path: Path) -> tuple[str, str]:
    """The text of a shift as it stands, and as it should."""
    text = path.read_text(encoding="utf-8")
    script = parse_shift(text, path.name)
    return text, format_shift(blessed(script, run_shift(open_shelf(environment={}).book, script)))


def main() -> int:
    """Bless the shifts; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="shifts to bless; all under tests/shifts when left out")
    parser.add_argument("--check", action="store_true", help="change nothing, say what would change")
    given = parser.parse_args()
    changed = 0
    for path in given.files or sorted(SHIFTS.rglob("*.shift")):
        try:
            before, after = bless(path)
        except (InputFault, OSError) as fault:
            print(f"bless_shifts: {fault}", file=sys.stderr)
            return 2
        if before != after:
            changed += 1
            print(f"{'would change' if given.check else 'blessed'} {path}")
            if not given.check:
                path.write_text(after, encoding="utf-8")
    print(f"{changed} changed" if changed else "nothing to change")
    return 1 if changed and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
