"""Ink: every felt of every book is painted, the cloth without its rail."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from taisai.books import open_shelf
from taisai.felt import draw
from taisai.felt.geometry import Rect
from taisai.printing.ink import Drawing, Place
from taisai.printing.pen import Pen
from tests import ROOT

SHELF = open_shelf([ROOT / "examples" / "books"])
LAYOUTS = [layout for book in SHELF.books() for layout in book.layouts.values()]


def painted(svg: str, window: Rect | None = None) -> bytes:
    """The page of a felt, without fonts of the machine for Latin letters and unpacked."""
    pen = Pen("x", datetime(2026, 1, 2, tzinfo=UTC), packed=False)
    pen.page(200, 120)
    drawing = Drawing(svg)
    drawing.paint(pen, Place(window or drawing.cloth, 5, 5, 0.1))
    return pen.document()


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.slow
def test_every_felt_is_painted(layout: object) -> None:
    """No felt of the package or of the examples has an element that the ink does not know."""
    assert painted(draw(layout)).startswith(b"%PDF")  # type: ignore[arg-type] # a layout, from the list above


@pytest.mark.slow
def test_the_rail_is_not_printed() -> None:
    """The colour of the cloth is on the page, that of the wood is not; what the rail says is kept."""
    svg = draw(SHELF.layout("rws-tai-sai-v6/E"))
    page = painted(svg)
    assert b"0.0706 0.3804 0.2471 rg" in page
    assert b"0.3529 0.2 0.098 rg" not in page
    assert "reconstructed" in Drawing(svg).foot


@pytest.mark.slow
def test_a_small_window_paints_little() -> None:
    """What lies outside the part that a sheet shows is left out, so that many sheets make a small file."""
    svg = draw(SHELF.layout("rws-tai-sai-v6/E"))
    assert len(painted(svg, Rect(0, 0, 200, 200))) < len(painted(svg))


def test_what_no_felt_has_is_a_fault_of_the_program() -> None:
    """An element outside the vocabulary of felts is never left out in silence."""
    svg = draw(SHELF.layout("rws-mini-dice-v3/A")).replace("</svg>", "<ellipse/></svg>")
    with pytest.raises(AssertionError, match="ellipse"):
        painted(svg)
