"""Tiles: sheets that cover the whole cloth in true size, the fewest that do."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise

import pytest

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.felt import GREEN
from taisai.printing import tiles
from taisai.printing.pen import PAPERS
from taisai.printing.tiles import MARGIN, OVERLAP, WHOLE, print_felt, sheet_name, tiling_of

AT = datetime(2026, 1, 2, tzinfo=UTC)
LAYOUT = open_shelf().layout("rws-tai-sai-v6/C")


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("size", [(200, 100), (1200, 617), (1800, 950), (273, 186), (5000, 2600)])
def test_sheets_cover_the_cloth(paper: str, size: tuple[int, int]) -> None:
    """Neighbours overlap by the same strip, the last sheet ends where the cloth does, and none is empty."""
    width, height = map(Fraction, size)
    tiling = tiling_of(width, height, paper)
    for row in range(tiling.rows):
        parts = [tiling.part(row, column) for column in range(tiling.columns)]
        assert parts[0][0] == 0
        assert parts[-1][0] + parts[-1][2] == width
        assert all(left[0] + left[2] - right[0] == OVERLAP for left, right in pairwise(parts))
        assert all(part[2] > 0 and part[3] > 0 for part in parts)
    last = tiling.part(tiling.rows - 1, 0)
    assert last[1] + last[3] == height
    turned = tiling_of(height, width, paper)
    assert turned.sheets == tiling.sheets


def test_a_print_shop_gets_one_page() -> None:
    """The whole cloth is one page, with room for the marks around it."""
    tiling = tiling_of(Fraction(1800), Fraction(950), WHOLE)
    assert (tiling.sheets, tiling.sheet) == (1, (1800 + 2 * MARGIN, 950 + 2 * MARGIN))


def test_sheets_are_named_as_on_the_plan() -> None:
    """Rows have letters, sheets of a row numbers; after Z comes AA."""
    assert [sheet_name(*at) for at in ((0, 0), (1, 2), (25, 0), (26, 9))] == ["A1", "B3", "Z1", "AA10"]


@pytest.mark.slow
def test_a_felt_on_a3_is_a_plan_and_its_sheets() -> None:
    """Every page is a sheet of that paper; the same felt gives the same bytes."""
    document, tiling = print_felt(LAYOUT, AT, width=Fraction(1200), paper="A3", palette=GREEN, packed=False)
    sheets = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", document)
    assert document.count(b"/Type /Page\n") == tiling.sheets + 1
    assert {tuple(sorted(map(float, sheet))) for sheet in sheets} - {(595.28, 841.89)} == {(841.89, 1190.55)}
    assert document == print_felt(LAYOUT, AT, width=Fraction(1200), paper="A3", palette=GREEN, packed=False)[0]


def test_a_cloth_is_as_wide_as_was_asked_for() -> None:
    """On one page the clipped print is the width that was asked for, in points."""
    document, _ = print_felt(LAYOUT, AT, width=Fraction(508), paper=WHOLE, palette=GREEN, packed=False)
    clip = re.search(rb"([0-9.]+) ([0-9.]+) ([0-9.]+) (-?[0-9.]+) re W n", document)
    assert clip is not None
    assert float(clip[3]) == pytest.approx(508 / 25.4 * 72, abs=0.02)


@pytest.mark.parametrize(("width", "words"), [(10, "from 200"), (6000, "to 5000")])
def test_what_nobody_could_lay_out_is_refused(width: int, words: str) -> None:
    """Cloths smaller than a hand or larger than a room are refused."""
    with pytest.raises(InputFault, match=words):
        print_felt(LAYOUT, AT, width=Fraction(width), paper="A4", palette=GREEN)


def test_too_many_sheets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of very many sheets is not begun: larger paper is the remedy."""
    monkeypatch.setattr(tiles, "SHEETS_MAX", 3)
    with pytest.raises(InputFault, match="larger paper"):
        print_felt(LAYOUT, AT, width=Fraction(1200), paper="A4", palette=GREEN)
