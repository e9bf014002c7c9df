"""The pen: lengths as people write them, letters for every text, or a refusal that says what to do."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from taisai.core.faults import InputFault
from taisai.printing.pen import PAPERS, Pen, find_fonts, length_of

AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "millimetres"),
    [("1200mm", 1200), ("1200", 1200), ("120 cm", 1200), ("1.2m", 1200), ("48in", Fraction("1219.2"))],
)
def test_a_length_is_exact_in_any_unit(text: str, millimetres: Fraction) -> None:
    """Millimetres, centimetres, metres and inches are the same lengths to the last fraction."""
    assert length_of(text, "--width") == millimetres


@pytest.mark.parametrize("text", ["", "wide", "-3mm", "1e9", "12ft", "1200mm2"])
def test_what_is_no_length_is_refused(text: str) -> None:
    """The refusal names the option and shows how a length is written."""
    with pytest.raises(InputFault, match="1200mm"):
        length_of(text, "--width")


def test_paper_has_the_size_of_the_standard() -> None:
    """A sheet of the A series is half of the one above it, to the millimetre."""
    for large, small in (("A0", "A1"), ("A1", "A2"), ("A2", "A3"), ("A3", "A4")):
        assert PAPERS[small][1] == PAPERS[large][0]
        assert abs(PAPERS[large][1] / 2 - PAPERS[small][0]) <= 1


def test_without_fonts_latin_letters_are_still_there(tmp_path: Path) -> None:
    """On a machine without fonts text is set in Helvetica, which every reader has, and its width is known."""
    pen = Pen("x", AT, folders=[str(tmp_path)], packed=False)
    pen.page(100, 50)
    pen.text(10, 10, "BIG • 1 to 1", 5, bold=True, anchor="middle")
    document = pen.document()
    assert b"/Helvetica-Bold" in document
    assert b"/MediaBox [0 0 283.46 141.73]" in document
    assert pen.width_of("BIG", 10, bold=True) == pytest.approx(10 * (0.722 + 0.278 + 0.778), rel=0.01)


def test_letters_that_no_font_has_are_refused(tmp_path: Path) -> None:
    """A cloth without its characters is not printed: the refusal names the option and what to install."""
    pen = Pen("x", AT, folders=[str(tmp_path)])
    with pytest.raises(InputFault, match=r"--font.*apt-get install") as refused:
        pen.width_of("大", 5)
    assert refused.value.field == "--font"


def test_a_file_that_is_no_font_is_refused(tmp_path: Path) -> None:
    """One line says which file it was."""
    file = tmp_path / "no.ttf"
    file.write_bytes(b"no font")
    with pytest.raises(InputFault, match="is no font"):
        Pen("x", AT, font=file).width_of("大", 5)


def test_a_font_without_the_letter_is_refused() -> None:
    """A named font that lacks a character says which one."""
    latin = next(file for name, file in sorted(find_fonts().items()) if name.startswith("DejaVuSans"))
    with pytest.raises(InputFault, match="does not have it"):
        Pen("x", AT, font=latin).width_of("大", 5)


def test_without_the_extra_the_refusal_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fpdf2 the pen says which extra brings it."""
    monkeypatch.setitem(sys.modules, "fpdf", None)
    with pytest.raises(InputFault, match=r"taisai\[pdf\]"):
        Pen("x", AT)
