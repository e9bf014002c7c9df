"""Pictures of a shift, and the figures behind them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from taisai.analysis.risk.plots import plot_picture
from taisai.core.faults import InputFault
from tests.analysis.risk.samples import TRAFFICS, computed


@pytest.mark.parametrize("picture", ["win", "hours", "float", "exposure"])
def test_pictures_are_drawn_of_any_shift(picture: str, tmp_path: Path) -> None:
    """Each picture of each traffic is a file, and its figures have as many columns as their heading."""
    for name, traffic in TRAFFICS.items():
        file = tmp_path / f"{picture}.svg"
        heading, rows = plot_picture(picture, name, computed(traffic, Fraction(1)), file)
        assert file.stat().st_size > 5_000
        assert rows
        assert {len(row) for row in rows} == {len(heading)}


def test_an_unknown_picture_is_refused(tmp_path: Path) -> None:
    """A picture that there is not is a fault."""
    with pytest.raises(InputFault, match="--picture: win, hours, float or exposure"):
        plot_picture("sunset", "x", computed(TRAFFICS["flat"], Fraction(1)), tmp_path / "x.svg")
