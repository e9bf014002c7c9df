"""Files from outside: the one way in which commands, settings and rule books read what somebody else wrote.

Enters: a path, and how many bytes it may hold. Leaves: bytes, text, a TOML table, JSON or rows of CSV; or `Unreadable`,
one line that names the file and says why. Only regular files are opened, so that no pipe or device is waited for, and
bytes, lines, nesting, dotted keys and numbers are bounded before anything looks at their meaning. The way back is here
too: CSV for programs of others (`CsvWriter`), in which no text becomes a row or a formula.
"""

from __future__ import annotations

import csv
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

import msgspec

from taisai.core.faults import InputFault, one_line

TOML_BYTES_MAX: Final = 1024 * 1024
LINE_MAX: Final = 5_000
"""Characters on one line of TOML."""
DEPTH_MAX: Final = 20
"""Lists and tables within one another. A dotted key is measured before it is parsed: `tomllib` keeps every prefix of
every key, so that one long key takes its square in memory."""
_TOO_DEEP: Final = f"nests lists and tables more than {DEPTH_MAX} deep"
_WHOLE_NUMBERS: Final = range(-(2**63), 2**63)
_PART: Final = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY: Final = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{DEPTH_MAX}}}")
_PLACE: Final = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
_KINDS: Final = (
    (stat.S_ISDIR, "is a folder, not a file"),
    (stat.S_ISFIFO, "is a pipe, not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)


class Unreadable(InputFault):
    """Why a file cannot be read; the field is its name."""

    def __init__(self, field: str, reason: str, line: int | None = None) -> None:
        super().__init__(field if line is None or not field else f"{field}, line {line}", reason)
        self.line = line

    def __reduce__(self) -> tuple[type[InputFault], tuple[str, str]]:
        return InputFault, (self.field, self.reason)


def open_file(path: Path | str) -> BinaryIO:
    """Open a regular file for reading; anything else is refused at once, and nothing is waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Unreadable(str(path), "the file is missing") from None
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise Unreadable(str(path), f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Unreadable(str(path), next((why for is_kind, why in _KINDS if is_kind(mode)), "is not a file"))
    return os.fdopen(descriptor, "rb")


def place_for(path: Path, field: str) -> Path:
    """A path that a whole file may take: it names a file, and nothing but a file stands there.

    Whoever puts a complete file in the place of another would put it in the place of a device as well.
    """
    if not path.name:
        raise InputFault(field, f"{str(path)!r} names no file")
    if path.exists() and not path.is_file():
        raise InputFault(field, f"{path} is not a file: nothing is put in its place")
    return path


def read_bytes(path: Path | str, most: int) -> bytes:
    """The content of a file of so many bytes at most."""
    try:
        with open_file(path) as stream:
            return bounded(stream, most, str(path))
    except OSError as error:
        raise Unreadable(str(path), f"cannot be read: {error.strerror}") from None


def bounded(stream: BinaryIO, most: int, field: str) -> bytes:
    """Everything in a stream, so many bytes at most."""
    content = stream.read(most + 1)
    if len(content) > most:
        raise Unreadable(field, f"is larger than {most} bytes")
    return content


def text_of(content: bytes, field: str) -> str:
    """Bytes as text in UTF-8, without a byte order mark."""
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8 text (byte 0x{content[error.start]:02x}); save it as UTF-8"
        raise Unreadable(field, reason, line) from None


def read_text(path: Path | str, most: int) -> str:
    """The text of a file of so many bytes at most."""
    return text_of(read_bytes(path, most), str(path))


def toml_of(text: str, field: str) -> dict[str, Any]:
    """The table that a TOML text holds."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_MAX:
            raise Unreadable(field, f"has a line of more than {LINE_MAX} characters", number)
        if line.count(".") >= DEPTH_MAX and _LONG_KEY.search(line):
            raise Unreadable(field, _TOO_DEEP)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.fullmatch(str(error))
        if place is None:
            raise Unreadable(field, f"is not TOML: {error}") from None
        reason = place[1].replace("Cannot overwrite a value", "a key is written twice")
        reason = _remedy(reason, text.split("\n")[int(place[2]) - 1]) or reason
        raise Unreadable(field, f"is not TOML: {reason} (at column {place[3]})", int(place[2])) from None
    except RecursionError:
        raise Unreadable(field, _TOO_DEEP) from None
    except ValueError:  # Python refuses to parse a number of thousands of digits.
        raise Unreadable(field, "holds a whole number beyond 64 bits") from None
    _require_bounded(table, field)
    return table


_SLIPS = (
    (r"[“”„‟«»]", 'curly quotation marks; write straight ones, "'),
    (r"[‘’‚]", "curly quotation marks; write straight ones, '"),
    (r"[：，＝［］｛｝]", "full-width punctuation; write : , = [ ] { }"),
    (r"=\s*\d{1,2}\.\d{1,2}\.\d{4}", "a date is written year first, 2024-01-31"),
    (r"=\s*\d{1,2}/\d{1,2}/\d{4}", "a date is written year first, 2024-01-31"),
    (r"=\s*\d{4}-\d{1,2}-\d{1,2}\b", "there is no such date; a date is written with two digits each, 2024-01-31"),
    (r"=\s*(True|False|yes|no)\b", "write true or false"),
    (r"=\s*[A-Za-z§][\w .-]*\s*(,|\}|$)", 'text stands in quotation marks, "like this"'),
)


def _remedy(reason: str, line: str) -> str | None:
    """What was probably meant where a line cannot be read; None when nobody can tell."""
    plain = re.sub(r'"(?:\\.|[^"\\])*"|#.*', '""', line)
    for slip, remedy in _SLIPS:
        if re.search(slip, plain):
            return remedy
    if reason == "Unclosed array" or (reason == "Unclosed inline table" and re.search(r'["\d]\s+\w+\s*=', plain)):
        return f"{reason.lower()}: is a comma missing before this?"
    return None


def json_of(content: bytes, field: str) -> Any:
    """The value that a JSON text holds."""
    try:
        value = msgspec.json.decode(content)
    except RecursionError:
        raise Unreadable(field, _TOO_DEEP) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(field, f"is not JSON: {error}") from None
    _require_bounded(value, field)
    return value


def _require_bounded(value: object, field: str) -> None:
    level = [value]
    for _ in range(DEPTH_MAX):
        if any(isinstance(each, int) and each not in _WHOLE_NUMBERS for each in level):
            raise Unreadable(field, "holds a whole number beyond 64 bits")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    if level:
        raise Unreadable(field, _TOO_DEEP)


def csv_rows(lines: Iterator[str] | list[str], field: str, **form: Any) -> Iterator[list[str]]:
    """The rows of CSV, one after the other."""
    rows = csv.reader(lines, **form)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise Unreadable(field, f"is not CSV: {error}", rows.line_num) from None
        yield row


class CsvWriter:
    """Writes CSV in which a text is neither a new row nor a formula, whichever program opens it."""

    def __init__(self, out: TextIO) -> None:
        self._writer = csv.writer(out, lineterminator="\n")

    def writerow(self, cells: Iterable[object]) -> None:
        """Write a row; numbers stay numbers, and everything else is a text."""
        self._writer.writerow([each if isinstance(each, _NUMBERS) else _safe(str(each)) for each in cells])

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


def _safe(text: str) -> str:
    """A text in one line; one that a spreadsheet would take for a formula begins with an apostrophe."""
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) and not _NUMBER.fullmatch(line) else line


_NUMBERS: Final = (int, float, Fraction, type(None))
_FORMULA: Final = tuple("=+-@＝＋－＠")
_NUMBER: Final = re.compile(r"[+-]?\d+(?:[./]\d+)?")


def real_path(path: Path | str) -> Path:
    """A path without symbolic links; a loop of them stays as it is, for whoever opens it to report."""
    return Path(os.path.realpath(path))
