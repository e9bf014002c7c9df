"""TOML files as text: how they are read, and on which line each key and row stands.

Enters: a path. Leaves: the text, and the line numbers of its keys and rows, which `tomllib` does not keep.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from taisai import outside

FILE_BYTES_MAX = 250_000


def text_of(path: Path) -> str:
    """The text of a file of a book."""
    return outside.read_text(path, FILE_BYTES_MAX)


_QUOTED = re.compile(r'''"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'|#[^\n]*''', re.DOTALL)
_DOTTED = r"[\w-]+(?:\s*\.\s*[\w-]+)*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_ENTRY = re.compile(rf"\s*({_DOTTED})\s*=")
_MARK = re.compile(r"[\[\]{},]|[^\s\[\]{},]+")


def places_of(text: str) -> dict[str, int]:
    """The lines of a TOML text on which its keys (`procedure.steps`) and rows (`procedure.steps[0]`) stand.

    For text that tomllib has read. A key in quotation marks has no place; a fault there names its file only.
    """
    places: dict[str, int] = {}
    tables: Counter[str] = Counter()
    # Replace each string by a mark and drop comments, keeping their line breaks.
    plain = _QUOTED.sub(lambda found: ('"' if found[0][0] != "#" else "") + "\n" * found[0].count("\n"), text)
    table: str | None = ""
    key: str | None = None
    depth = row = 0
    fresh = False
    for number, line in enumerate(plain.split("\n"), start=1):
        rest = line
        if depth == 0:
            key = None
            if header := _HEADER.match(line):
                table = re.sub(r"\s", "", header[2])
                if header[1] == "[[":
                    tables[table] += 1
                    table = f"{table}[{tables[table] - 1}]"
                _note(places, table, number)
                continue
            if line.lstrip().startswith("["):
                table = None
                continue
            if (entry := _ENTRY.match(line)) and table is not None:
                name = re.sub(r"\s", "", entry[1])
                key = f"{table}.{name}" if table else name
                _note(places, key, number)
                rest = line[entry.end() :]
        for mark in _MARK.findall(rest):
            if depth == 0:
                row, fresh = 0, mark == "["
            elif depth == 1 and mark == ",":
                row, fresh = row + 1, True
            elif depth == 1 and fresh and mark != "]" and key is not None:
                places[f"{key}[{row}]"] = number
                fresh = False
            depth += (mark in ("[", "{")) - (mark in ("]", "}"))
    return places


def _note(places: dict[str, int], path: str, number: int) -> None:
    """Note the line of a key, and of the tables around it that have none yet."""
    places[path] = number
    while "." in path:
        path = path.rpartition(".")[0]
        places.setdefault(path, number)
