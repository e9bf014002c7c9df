"""The rooms of taisai (its top-level folders and modules) and what each may import: the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BUILDS_ON: Final[Mapping[str, tuple[str, ...]]] = {
    "version": (),
    "bounds": (),
    "core": (),
    "journal": (),
    "outside": ("core",),
    "books": ("outside",),
    "felt": ("core",),
    "table": ("bounds", "core"),
    "view": ("table",),
    "protocol": ("books", "view"),
    "streams": ("journal", "table"),
    "settings": ("books", "table"),
    "house": ("version", "streams", "settings"),
    "floor": ("house",),
    "printing": ("felt",),
    "training": ("table",),
    "audit": ("books", "streams"),
    "analysis": ("books", "table"),
    "history": ("audit", "analysis"),
    "client": ("protocol",),
    "web": ("analysis", "audit", "felt", "floor", "protocol", "training"),
    "cli": ("history", "printing", "web"),
    "library": ("analysis", "audit", "client", "felt"),
    "__init__": ("library", "version"),
    "__main__": ("cli",),
}
"""The rooms that each one builds on. `__init__` is the package itself (`from taisai import name`)."""


def _below(room: str) -> frozenset[str]:
    """All rooms below one: those that it builds on, and whatever they build on."""
    return frozenset(BUILDS_ON[room]).union(*map(_below, BUILDS_ON[room]))


MAY_IMPORT: Final[Mapping[str, frozenset[str]]] = {room: _below(room) for room in BUILDS_ON}
"""For each room, the other rooms that it may import."""

ALONE: Final = frozenset({"audit/openings.py", "audit/recount.py"})
"""Modules that may import nothing of taisai at all: a second opinion shares no code with the first."""

APART: Final[Mapping[str, tuple[str, ...]]] = {
    "audit/procedure": (
        "audit.findings", "audit.openings", "audit.procedure", "audit.recount", "audit.second",
    ),
}  # fmt: skip
"""Folders that may import nothing of taisai but these: what looks at the tables shares no code with them."""

ONE_PLACE: Final[Mapping[str, str]] = {"csv": "outside.py"}
"""Modules of the standard library that one module alone imports, because it guards what goes through them: all CSV is
read within bounds and written without formulas."""

STANDARD_LIBRARY_ONLY: Final = frozenset({"bounds", "core"})
"""Rooms without any third-party import."""

PURE: Final = frozenset({"bounds", "core", "felt", "table", "view"})
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
