"""Pictures of odds: files of their kind, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.analysis.plots import figure_for, label_ends, plot_edges, plot_results, title_axes
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


def test_labels_at_the_ends_do_not_overlap(tmp_path: Path) -> None:
    """Words beside curves that end close together are moved apart, in the order of the curves."""
    _, axes, _ = figure_for(6, 4, tmp_path / "ends.svg")
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 100)
    label_ends(axes, [(50.0, "50 %\n+1", "black"), (50.5, "75 %\n+2", "black"), (90.0, "99 %\n+3", "black")], size=8)
    scale = 72 / axes.figure.dpi
    heights = {
        text.get_text()[:4]: axes.transData.transform((10, text.xy[1]))[1] * scale + text.get_position()[1]
        for text in axes.texts
    }
    assert heights["75 %"] - heights["50 %"] >= 16
    assert heights["99 %"] > heights["75 %"]


def test_a_long_title_is_broken_and_not_cut(tmp_path: Path) -> None:
    """Every line of a title lies within the picture, whatever its length, and no word of it is lost."""
    title = (
        ", ".join(["rws-tai-sai-v6/C: small 1000 total:9 200", "bankroll 50,000", "stop-win 20,000"] * 3) + "\nexpected"
    )
    for size in (9.0, 10.0):
        figure, axes, _ = figure_for(8, 4.8, tmp_path / "title.png")
        title_axes(axes, title, size=size)
        figure.canvas.draw()
        drawn = next(each for each in axes.get_children() if getattr(each, "get_text", str)().startswith("rws"))
        box = drawn.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert drawn.get_text().split() == title.split()
