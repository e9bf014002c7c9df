"""TOML files as text: how they are read, and on which line each key and row stands.

Enters: a path. Leaves: the text, its table, and the line numbers of its keys and rows, which `tomllib` does not keep.
Files, lines, nesting and numbers are bounded before anything looks at their meaning.
"""

from __future__ import annotations

import re
import stat
import tomllib
from collections import Counter
from pathlib import Path

FILE_BYTES_MAX = 250_000
LINE_MAX = 5_000  # tomllib takes minutes for a key with very many dots, which needs a very long line.
DEPTH_MAX = 20
_WHOLE_NUMBERS = range(-(2**63), 2**63)


class Unreadable(Exception):
    """Why a file cannot be read as TOML."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def text_of(path: Path) -> str:
    """The text of a file; `Unreadable` when it is missing, too large or not UTF-8."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("is not a file")
        if found.st_size > FILE_BYTES_MAX:
            raise Unreadable(f"is larger than {FILE_BYTES_MAX} bytes")
        content = path.read_bytes()
    except FileNotFoundError:
        raise Unreadable("the file is missing") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"is not UTF-8 text (byte 0x{content[error.start]:02x}); save it as UTF-8", line) from None


def table_of(text: str) -> dict[str, object]:
    """The table that a TOML text holds; `Unreadable` when it is not TOML or exceeds the bounds above."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_MAX:
            raise Unreadable(f"has a line of more than {LINE_MAX} characters", number)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if place is None:
            raise Unreadable(f"is not TOML: {error}") from None
        reason = place[1].replace("Cannot overwrite a value", "a key is written twice")
        raise Unreadable(f"is not TOML: {reason} (at column {place[3]})", int(place[2])) from None
    except RecursionError:
        raise Unreadable(f"nests lists and tables more than {DEPTH_MAX} deep") from None
    except ValueError:  # Python refuses to parse a number of thousands of digits.
        raise Unreadable("holds a whole number beyond 64 bits") from None
    level: list[object] = [table]
    for _ in range(DEPTH_MAX):
        if any(isinstance(each, int) and each not in _WHOLE_NUMBERS for each in level):
            raise Unreadable("holds a whole number beyond 64 bits")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    if level:
        raise Unreadable(f"nests lists and tables more than {DEPTH_MAX} deep")
    return table


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
