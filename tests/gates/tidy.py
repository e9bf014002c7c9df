"""The tidiness gate: reads the files of a source tree and finds what does not belong there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

LONGEST_FILE = 600
"""The most lines that a Python file under src or tests may have."""

NOT_OURS = frozenset({"__pycache__", "build", "dist", "htmlcov", "node_modules", "site"})
"""Folders that tools fill; so are those with a leading dot, unless they are in `DOTTED`."""

DOTTED = frozenset({".ci", ".github"})
"""Folders with a leading dot that are part of the project."""

SPACED = frozenset({".md", ".py", ".toml", ".yaml", ".yml"})
"""Kinds of file without tabs and without spaces at the end of a line."""

# The words are written in two parts, so that this file does not hold them itself.
_HOST_WORDS = [("pypi", ".org"), ("files.python", "hosted"), ("registry.npm", "js")]
_PATH_WORDS = [("/ro", "ot/"), ("/ho", "me/"), ("/Us", "ers/"), ("C:\\Us", "ers")]
UNWANTED = re.compile(
    "|".join(
        [
            *(re.escape(first + rest) for first, rest in _HOST_WORDS),
            # A path begins at its slash: an address such as example.com/home/ is none.
            *(rf"(?<![\w.-]){re.escape(first + rest)}" for first, rest in _PATH_WORDS),
        ]
    )
)
"""Package hosts and the home folders of machines."""


def find_untidy(root: Path) -> list[str]:
    """Every untidy place in the tree at `root`, as `file:line: reason`."""
    return [f"{path.relative_to(root).as_posix()}:{found}" for path in files_of(root) for found in _untidy(root, path)]


def files_of(root: Path) -> Iterator[Path]:
    """The files of the tree, without those that tools leave behind."""
    for path in sorted(root.iterdir()):
        if path.is_file():
            if not path.name.startswith(".coverage"):
                yield path
        elif path.is_dir() and path.name not in NOT_OURS and (path.name in DOTTED or not path.name.startswith(".")):
            yield from files_of(path)


def _untidy(root: Path, path: Path) -> Iterator[str]:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return  # a picture or the like
    place = path.relative_to(root).parts[0]
    yield from _untidy_lines(text, spaced=path.suffix in SPACED)
    if path.suffix == ".py" and place in {"src", "tests"}:
        count = len(text.splitlines())
        if count > LONGEST_FILE:
            yield f"{count}: more than {LONGEST_FILE} lines"
        yield from _missing_docstrings(ast.parse(text), tests=place == "tests")


def _untidy_lines(text: str, *, spaced: bool) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        if spaced and "\t" in line:
            yield f"{number}: a tab"
        if spaced and line != line.rstrip():
            yield f"{number}: space at the end of the line"
        if word := UNWANTED.search(line):
            yield f"{number}: {word.group()}"
    if spaced and text and not text.endswith("\n"):
        yield f"{len(text.splitlines())}: no line end at the end of the file"


def _missing_docstrings(tree: ast.Module, *, tests: bool) -> Iterator[str]:
    if not tests:
        if not ast.get_docstring(tree):
            yield "1: a module without a docstring"
        return
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for function in functions:
        if function.name.startswith("test") and not ast.get_docstring(function):
            yield f"{function.lineno}: test {function.name} without a docstring"
