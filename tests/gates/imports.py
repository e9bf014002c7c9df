"""The import gate: reads every module of a package as a syntax tree and finds what the table of rooms forbids."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.gates import rooms

PACKAGE = "taisai"


@dataclass(frozen=True)
class Offence:
    """A line of a module that breaks the table of rooms."""

    module: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Import:
    """One imported name, written out in full: `from ..books import shelf` gives `taisai.books.shelf`."""

    line: int
    name: str

    @property
    def top(self) -> str:
        """The top-level package or module."""
        return self.name.split(".", 1)[0]

    @property
    def room(self) -> str | None:
        """The room of taisai that is imported, if any; the package itself is the room `__init__`."""
        if self.top != PACKAGE:
            return None
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 and parts[1] in rooms.MAY_IMPORT else "__init__"


def find_offences(root: Path) -> list[Offence]:
    """Every offence in the package whose folder is `root`."""
    return [offence for path in sorted(root.rglob("*.py")) for offence in _offences_of(root, path)]


def _offences_of(root: Path, path: Path) -> Iterator[Offence]:
    inside = path.relative_to(root)
    module = inside.as_posix()
    room = inside.parts[0].removesuffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=module)
    if room not in rooms.MAY_IMPORT:
        yield Offence(module, 1, f"unknown room {room!r}: give it a line in tests/gates/rooms.py")
        return
    package = ".".join((PACKAGE, *inside.parts[:-1]))
    found = [*_statements(tree, package), *_dynamic(tree, package)]
    wrong = {*_wrong_rooms(found, module, room), *_elsewhere(found, module), *_impurities(tree, found, room)}
    for line, reason in sorted(wrong):
        yield Offence(module, line, reason)
    if room != "cli":
        for line in _computed(tree):
            yield Offence(module, line, "imports a module whose name is computed")


def _statements(tree: ast.Module, package: str) -> Iterator[Import]:
    """The import statements, wherever they stand: in functions and under TYPE_CHECKING as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute("." * node.level + (node.module or ""), package)
            for alias in node.names:
                yield Import(node.lineno, f"{base}.{alias.name}")


def _absolute(name: str, package: str) -> str:
    """A relative name as an absolute one; a name that climbs out of the package stays with the package itself."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = package.split(".")
    kept = parts[: max(1, len(parts) - level + 1)]
    return ".".join([*kept, *filter(None, name[level:].split("."))])


def _import_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """The calls that may import a module by its name, each with the name of the function called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func).rsplit(".", 1)[-1]
            if name in {"import_module", "__import__", "find_spec", "run_module", "files"}:
                yield node, name


def _dynamic(tree: ast.Module, package: str) -> Iterator[Import]:
    """Imports by a call with a literal name, such as `importlib.import_module("taisai.books")`."""
    for call, _ in _import_calls(tree):
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield Import(call.lineno, _absolute(first.value, package))


def _computed(tree: ast.Module) -> Iterator[int]:
    """The lines of imports by a call whose name cannot be read from the source."""
    for call, name in _import_calls(tree):
        if name in {"import_module", "__import__"} and not isinstance(call.args[0], ast.Constant):
            yield call.lineno


def _wrong_rooms(found: list[Import], module: str, room: str) -> Iterator[tuple[int, str]]:
    for one in found:
        if one.room is None:
            continue
        if module in rooms.ALONE:
            yield one.line, f"imports {one.name}, but may import nothing of {PACKAGE}"
            continue
        allowed = next((names for folder, names in rooms.APART.items() if module.startswith(f"{folder}/")), None)
        if allowed is not None and not _is_under(one.name, allowed):
            yield one.line, f"imports {one.name}, but may import of {PACKAGE} only {', '.join(allowed)}"
        if one.room != room and one.room not in rooms.MAY_IMPORT[room]:
            yield one.line, f"imports {one.name}, but room {room!r} may not import {one.room!r}"


def _elsewhere(found: list[Import], module: str) -> Iterator[tuple[int, str]]:
    for one in found:
        if rooms.ONE_PLACE.get(one.top, module) != module:
            yield one.line, f"imports {one.top}, which {rooms.ONE_PLACE[one.top]} alone may import"


def _is_under(name: str, allowed: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{PACKAGE}.{each}.") for each in allowed)


def _impurities(tree: ast.Module, found: list[Import], room: str) -> Iterator[tuple[int, str]]:
    if room in rooms.STANDARD_LIBRARY_ONLY:
        for one in found:
            if one.top != PACKAGE and one.top not in sys.stdlib_module_names:
                yield one.line, f"imports {one.top}, but room {room!r} uses the standard library only"
    if room in rooms.PURE:
        for one in found:
            if one.top in rooms.FORBIDDEN_MODULES:
                yield one.line, f"imports {one.top}, which is forbidden in pure room {room!r}"
        yield from _impure_names(tree, room)


def _impure_names(tree: ast.Module, room: str) -> Iterator[tuple[int, str]]:
    dates = set(_names_of_datetime(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in rooms.FORBIDDEN_BUILTINS:
            yield node.lineno, f"names {node.id}, which is forbidden in pure room {room!r}"
        elif isinstance(node, ast.Attribute) and node.attr in rooms.FORBIDDEN_CLOCKS and _root_name(node) in dates:
            yield node.lineno, f"reads the clock with {ast.unparse(node)}, which is forbidden in pure room {room!r}"


def _names_of_datetime(tree: ast.Module) -> Iterator[str]:
    """The names that the module binds to `datetime` or to something of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name for alias in node.names if alias.name == "datetime")
        elif isinstance(node, ast.ImportFrom) and node.module == "datetime":
            yield from (alias.asname or alias.name for alias in node.names)


def _root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
