"""The rooms of taisai (its top-level folders and modules) and what each may import: the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MAY_IMPORT: Final[Mapping[str, frozenset[str]]] = {
    "core": frozenset(),
    "books": frozenset({"core"}),
    "felt": frozenset({"core"}),
    "wire": frozenset({"core", "books", "table"}),
    "table": frozenset({"core"}),
    "journal": frozenset({"table", "core"}),
    "floor": frozenset({"table", "journal", "core", "books", "felt"}),
    "audit": frozenset({"table", "journal", "core", "books"}),
    "analysis": frozenset({"core", "books"}),
    "history": frozenset({"core", "books", "table", "journal", "audit", "analysis"}),
    "client": frozenset({"core", "table", "wire"}),
    "web": frozenset({"__init__", "floor", "table", "journal", "core", "books", "felt", "wire", "audit", "analysis"}),
    "cli": frozenset(
        {
            "__init__",
            "core",
            "books",
            "felt",
            "wire",
            "table",
            "journal",
            "floor",
            "audit",
            "analysis",
            "history",
            "web",
        }
    ),
    "__init__": frozenset(),
    "__main__": frozenset({"cli"}),
}
"""For each room, the other rooms that it may import. `__init__` is the package itself (`from taisai import name`)."""

ALONE: Final = frozenset({"audit/openings.py", "audit/recount.py"})
"""Modules that may import nothing of taisai at all: a second opinion shares no code with the first."""

STANDARD_LIBRARY_ONLY: Final = frozenset({"core"})
"""Rooms without any third-party import."""

PURE: Final = frozenset({"core", "felt", "table"})
"""Rooms whose results depend on their arguments alone: no clock, no chance, no file, no network."""

FORBIDDEN_MODULES: Final = frozenset(
    {
        "asyncio",
        "builtins",
        "ctypes",
        "fileinput",
        "glob",
        "http",
        "importlib",
        "io",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "shutil",
        "signal",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    }
)
"""Modules that a pure room may not import."""

FORBIDDEN_BUILTINS: Final = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})
"""Builtin functions that a pure room may not name."""

FORBIDDEN_CLOCKS: Final = frozenset({"now", "today", "utcnow"})
"""Attributes of the classes of `datetime` that read the clock; dates as such are welcome in a pure room."""
