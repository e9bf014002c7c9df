"""Pictures of odds: files of their kind, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.analysis.plots import figure_for, plot_edges, plot_results
from taisai.books import open_shelf
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.odds import bets_odds, layout_odds

LAYOUT = open_shelf(environment={}).layout("rws-tai-sai-v6/C")
MARKS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", MARKS)
def test_the_same_odds_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    """Both pictures are files of their kind, drawn twice to the same bytes."""
    odds = bets_odds(LAYOUT, parse_bets(LAYOUT, "small=100 total:9=50 triple:1=5"))
    files = [tmp_path / f"{name}{suffix}" for name in ("one", "two", "three", "four")]
    for edges, results in (files[:2], files[2:]):
        plot_edges(LAYOUT, layout_odds(LAYOUT), edges)
        plot_results(LAYOUT, odds, results)
    for one, two in zip(files[:2], files[2:], strict=True):
        assert one.read_bytes() == two.read_bytes()
        assert one.read_bytes().startswith(MARKS[suffix])


def test_another_suffix_is_refused() -> None:
    """A file whose kind cannot be drawn is refused before anything is computed."""
    with pytest.raises(InputFault, match=r"--plot: the file's name ends in \.svg, \.png, \.pdf; got 'odds\.gif'"):
        figure_for(4, 3, Path("odds.gif"))
