"""Golden files: a command writes them, a person reviews the difference, a test holds that they are fresh.

Enters: what a tool makes, as paths and texts. Leaves: the files written, or what is not fresh about them, in words that
name the command which regenerates them. Each tool has a `GOLDEN` and runs `GOLDEN.main()`:

    python -m tools.pictures             write the files
    python -m tools.pictures --check     change nothing; exit code 1 when a file is not fresh
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
MOST_LINES: Final = 40
"""Lines of a difference that are shown."""

LONGEST_LINE: Final = 200


@dataclass(frozen=True)
class Golden:
    """Files that one command writes."""

    command: str
    """The command that regenerates them, e.g. `make pictures`."""

    made: Callable[[], Iterable[tuple[Path, str]]]
    """Every file, with the text that it should have."""

    kept: Callable[[], Iterable[Path]] = tuple
    """The files that stand there now, if those that are not made any more should go."""

    def changes(self) -> Iterator[tuple[Path, str | None, str | None]]:
        """The files that are not fresh: each with the text that it has and the one that it should have."""
        made = dict(self.made())
        for path in sorted({*made, *self.kept()}):
            has = path.read_text(encoding="utf-8") if path.is_file() else None
            if has != made.get(path):
                yield path, has, made.get(path)

    def complaint(self) -> str:
        """What is not fresh and how to regenerate it; empty when all is fresh."""
        return "\n".join(
            complaint(_shown(path), self.command, difference(has or "", wanted or ""))
            for path, has, wanted in self.changes()
        )

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Write or check; the exit code."""
        parser = argparse.ArgumentParser(description=f"Regenerate golden files ({self.command}).")
        parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 when a file is not fresh")
        if parser.parse_args(arguments).check:
            found = self.complaint()
            print(found or "all fresh")
            return 1 if found else 0
        for path, _, wanted in self.changes():
            if wanted is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(wanted, encoding="utf-8", newline="\n")
            print(f"{'removed' if wanted is None else 'written'}: {_shown(path)}")
        return 0


def complaint(name: str, command: str, lines: Iterable[str]) -> str:
    """What to say about a file that is not what the program makes today."""
    shown = [line[:LONGEST_LINE] for line in lines]
    more = [f"... {len(shown) - MOST_LINES} lines more"] if len(shown) > MOST_LINES else []
    head = f"{name} is not what the program makes. Read the difference; if it is intended, `{command}` regenerates it:"
    return "\n".join([head, *shown[:MOST_LINES], *more])


def difference(has: str, wanted: str) -> list[str]:
    """Two texts as a unified diff; elements of a picture count as lines."""
    one, two = (text.replace("><", ">\n<").split("\n") for text in (has, wanted))
    return list(difflib.unified_diff(one, two, "kept", "made", lineterm="", n=1))


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
