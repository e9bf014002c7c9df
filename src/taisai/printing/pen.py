"""The pen: a PDF to write on, in millimetres, with letters for every text.

Enters: sizes as people write them, text in any script. Leaves: marks on the pages of a PDF. Fonts of this machine
are looked for, and what is used of them goes into the file, so that it prints alike everywhere; where there is none,
Latin letters are those that every reader of PDF has (Helvetica). A letter that no font has is refused: nothing is
printed with a gap in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from taisai.core.faults import InputFault, shown

PAPERS: Final[dict[str, tuple[Fraction, Fraction]]] = {
    name: (Fraction(width), Fraction(height))
    for name, width, height in (
        ("A0", "841", "1189"),
        ("A1", "594", "841"),
        ("A2", "420", "594"),
        ("A3", "297", "420"),
        ("A4", "210", "297"),
        ("letter", "215.9", "279.4"),
        ("legal", "215.9", "355.6"),
        ("tabloid", "279.4", "431.8"),
    )
}
"""Sheets of paper, width and height in millimetres, standing."""

POINT: Final = 25.4 / 72
"""A point in millimetres."""
BLACK: Final = "#111111"

_UNITS: Final = {"mm": Fraction(1), "cm": Fraction(10), "m": Fraction(1000), "in": Fraction("25.4")}
_LENGTH: Final = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?) ?(mm|cm|m|in)?")
_LATIN: Final = "windows-1252"

_MEASURE: Final = 10.0
"""The size at which widths are taken; they grow with it."""
_FONT_FILES: Final = (b"\0\1\0\0", b"OTTO", b"ttcf", b"true")
"""How the files of fonts begin."""

FOLDERS: Final = (
    "~/.local/share/fonts",
    "~/.fonts",
    "/usr/local/share/fonts",
    "/usr/share/fonts",
    "~/Library/Fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
"""Where systems keep fonts."""
FONTS: Final = (
    "NotoSansCJK-Bold.ttc",
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKtc-Regular.otf",
    "NotoSansCJKsc-Regular.otf",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "DroidSansFallback.ttf",
    "STHeiti Medium.ttc",
    "Arial Unicode.ttf",
    "msyhbd.ttc",
    "msyh.ttc",
    "simhei.ttf",
)
"""Fonts with Chinese characters, the best first."""


LATIN: Final = {
    "": ("LiberationSans-Regular.ttf", "Arial.ttf", "arial.ttf", "NotoSans-Regular.ttf", "DejaVuSans.ttf"),
    "B": ("LiberationSans-Bold.ttf", "Arial Bold.ttf", "arialbd.ttf", "NotoSans-Bold.ttf", "DejaVuSans-Bold.ttf"),
}
"""Plain and bold fonts with Latin letters, the best first."""


def length_of(text: str, field_name: str) -> Fraction:
    """A length in millimetres: `1200mm`, `120 cm`, `1.2m`, `48in`; millimetres where no unit is written."""
    found = _LENGTH.fullmatch(text.strip())
    if found is None:
        raise InputFault(field_name, f"write a length such as 1200mm, 120cm, 1.2m or 48in, got {shown(text)}")
    return Fraction(found[1]) * _UNITS[found[2] or "mm"]


def find_fonts(folders: Iterable[str] = FOLDERS) -> dict[str, Path]:
    """The fonts of this machine, by the names of their files."""
    found: dict[str, Path] = {}
    for folder in folders:
        path = Path(folder).expanduser()
        if path.is_dir():
            for file in sorted(path.rglob("*.[to]t[cf]")):
                found.setdefault(file.name, file)
    return found


class Pen:
    """A PDF that is being written."""

    def __init__(
        self,
        title: str,
        made_at: datetime,
        *,
        font: Path | None = None,
        folders: Iterable[str] = FOLDERS,
        packed: bool = True,
    ) -> None:
        """A PDF without pages; `font` is for letters beyond Latin, `packed` makes it small."""
        try:
            from fpdf import FPDF  # noqa: PLC0415 - an extra
        except ImportError:
            raise InputFault("print", "PDF needs the extra `pdf`: pip install 'taisai[pdf]'") from None
        self.pdf: Any = FPDF(unit="mm")
        self.pdf.core_fonts_encoding = _LATIN
        self.pdf.set_creation_date(made_at.astimezone(UTC))
        self.pdf.set_title(title)
        self.pdf.set_margin(0)
        self.pdf.set_auto_page_break(auto=False)
        self.pdf.set_compression(packed)
        self._font, self._added = font, False
        self._widths: dict[tuple[str, bool], float] = {}
        self._found = find_fonts(folders)
        self._latin = "helvetica"
        chosen = {style: next((name for name in names if name in self._found), "") for style, names in LATIN.items()}
        if all(chosen.values()):
            self._latin = "latin"
            for style, name in chosen.items():
                self._add("latin", style, self._found[name])

    def page(self, width: float, height: float) -> None:
        """A new page of this size."""
        self.pdf.add_page(format=(min(width, height), max(width, height)), orientation="L" if width > height else "P")

    def document(self) -> bytes:
        """The whole PDF."""
        return bytes(self.pdf.output())

    def width_of(self, text: str, size: float, *, bold: bool = False) -> float:
        """How wide a line is; `size` is that of the letters, in millimetres."""
        key = text, bold
        if key not in self._widths:
            width = 0.0
            for run in _runs(text):
                self._choose(run, _MEASURE, bold=bold)
                width += self.pdf.get_string_width(run)
            self._widths[key] = width / _MEASURE
        return self._widths[key] * size

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        colour: str = BLACK,
        anchor: str = "start",
        turned: float = 0,
    ) -> None:
        """A line whose base begins, ends or has its middle at a point, turned clockwise around it."""
        if turned:
            with self.pdf.rotation(-turned, x, y):
                self.text(x, y, text, size, bold=bold, colour=colour, anchor=anchor)
            return
        if anchor != "start":
            x -= self.width_of(text, size, bold=bold) * (0.5 if anchor == "middle" else 1)
        self.pdf.set_text_color(colour)
        for run in _runs(text):
            self._choose(run, size, bold=bold)
            self.pdf.text(x, y, run)
            x += self.pdf.get_string_width(run)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, width: float = 0.15, colour: str = BLACK) -> None:
        """A straight line."""
        self.pdf.set_draw_color(colour)
        self.pdf.set_line_width(width)
        self.pdf.line(x1, y1, x2, y2)

    def _choose(self, run: str, size: float, *, bold: bool) -> None:
        if _is_latin(run[:1]):
            self.pdf.set_font(self._latin, style="B" if bold else "", size=size / POINT)
            return
        if not self._added:
            self._add_font(run)
        self.pdf.set_font("other", size=size / POINT)
        missing = next((mark for mark in run if ord(mark) not in self.pdf.fonts["other"].cmap), None)
        if missing is not None:
            raise InputFault("--font", f"{shown(missing)} is printed here, and the font {self._font} does not have it")

    def _add(self, family: str, style: str, file: Path) -> None:
        """Make a font known; it is read into memory, so that no file stays open."""
        self.pdf.add_font(family, style=style, fname=file)
        reader = self.pdf.fonts[f"{family}{style}"].ttfont.reader
        reader.file.close()
        reader.file = BytesIO(file.read_bytes())

    def _add_font(self, run: str) -> None:
        file = self._font or next((self._found[name] for name in FONTS if name in self._found), None)
        if file is None:
            raise InputFault(
                "--font",
                f"{shown(run)} is printed here, and no font with such letters was found on this machine: "
                "name one, or install one (on Debian: apt-get install fonts-wqy-microhei)",
            )
        with file.open("rb") as opened:
            if opened.read(4) not in _FONT_FILES:
                raise InputFault("--font", f"{file} is no font (TrueType or OpenType)")
        try:
            self._add("other", "", file)
        except Exception as error:
            # A file from outside: whatever is wrong with it, the reader of fonts says it in its own ways.
            raise InputFault("--font", f"{file} is not read as a font: {error}") from None
        self._font, self._added = file, True


def _is_latin(mark: str) -> bool:
    try:
        mark.encode(_LATIN)
    except UnicodeEncodeError:
        return False
    return True


def _runs(text: str) -> list[str]:
    """The text in pieces of Latin letters and of others."""
    return ["".join(run) for _, run in groupby(text, key=_is_latin)]
