"""The gate of folders: the tree of the source shows the architecture, and the tests mirror it.

Enters: a folder of source, a folder of tests, a project. Leaves: the places that are too crowded, the families of
modules that should be a folder, the modules without a test file of their own name, and whether there are too many
files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from tests.gates.tidy import files_of

MOST_MODULES: Final = {".py": 15, ".js": 20}
"""The most modules that one folder may hold, `__init__` apart."""

SMALLEST_FAMILY: Final = 3
"""So many siblings with a common prefix are a folder."""

MOST_FILES: Final = 1400
"""Files of the whole project. Files that can be generated are not kept (or are one file, not one per case)."""


def _modules(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.suffix in MOST_MODULES and path.stem != "__init__":
            yield path.relative_to(root)


def crowded(root: Path) -> list[str]:
    """The folders that hold too many modules of one kind."""
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for path in _modules(root):
        counts[path.parent.as_posix(), path.suffix] += 1
    return [
        f"{folder}: {count} modules, at most {MOST_MODULES[suffix]}"
        for (folder, suffix), count in counts.items()
        if count > MOST_MODULES[suffix]
    ]


def families(root: Path) -> list[str]:
    """Modules of a folder that share a prefix: `deal.js`, `deal-ask.js` and `deal_late.js` belong into `deal/`."""
    found: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for path in _modules(root):
        prefix = re.split("[_-]", path.stem, maxsplit=1)[0]
        found[path.parent.as_posix(), path.suffix, prefix].append(path.name)
    return [
        f"{folder}: {', '.join(names)} are a family: make them a folder"
        for (folder, _, _), names in found.items()
        if len(names) >= SMALLEST_FAMILY
    ]


def unmirrored(root: Path, tests: Path, exceptions: Collection[str] = ()) -> list[str]:
    """The Python modules that have no test file of their own name in the mirrored place, but for the exceptions."""
    return [
        f"{path.as_posix()}: no {mirror.as_posix()}"
        for path in _modules(root)
        if path.suffix == ".py" and path.as_posix() not in exceptions
        if not (tests / (mirror := path.with_name(f"test_{path.name}"))).is_file()
    ]


def needless(root: Path, tests: Path, exceptions: Collection[str]) -> list[str]:
    """The exceptions that are none: the module is gone, or has its test file."""
    missing = {line.partition(":")[0] for line in unmirrored(root, tests)}
    return sorted(set(exceptions) - missing)


def count_files(root: Path) -> int:
    """How many files a project has, without those that tools leave behind."""
    return sum(1 for _ in files_of(root))
