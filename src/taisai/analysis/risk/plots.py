"""Pictures of the house's side, and of simulated shifts.

Enters: a shift as `taisai.analysis.risk.shift` computes it, or the tally of a simulation. Leaves: a file, SVG, PNG or
PDF by its suffix, in the manner of `taisai.analysis.plots`, and the figures that were drawn: a heading and rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from taisai.analysis.plots import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    figure_for,
    frame_axes,
    label_ends,
    legend_below,
    save_figure,
    title_axes,
)
from taisai.analysis.risk.shift import ShiftResult
from taisai.analysis.simulate.report import Report
from taisai.analysis.simulate.tally import Tally
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.odds import percent_chance

Drawn = tuple[list[str], list[tuple[object, ...]]]
"""The figures behind a picture: a heading, and rows."""

_BARS: Final = 60
_SEEN: Final = 5e-4
"""Of the highest chance: what is less is not drawn at the ends."""


def plot_win(title: str, result: ShiftResult, file: Path) -> Drawn:
    """What the house wins in a shift, with the average and the value at risk."""
    chances = [float(chance) for chance in result.chances]
    figure, axes, _ = figure_for(8, 4.8, file)
    _bars(axes, result.nets, chances)
    top = axes.get_ylim()[1]
    risk, level = result.value_at_risk, f"{float(result.level) * 100:g} % of shifts"
    _line(axes, float(result.mean), f"average {float(result.mean):+,.0f}", 1.02 * top)
    _line(axes, -risk, f"{level} " + (f"lose at most {risk:,d}" if risk > 0 else f"win at least {-risk:,d}"), 1.1 * top)
    axes.set_ylim(0, 1.2 * top)
    axes.set_xlabel("house's win in the shift, minor units")
    _finish(axes, f"{title}\nthe house loses {percent_chance(Fraction(result.loss), 2)} of shifts")
    save_figure(figure, file)
    return ["win", "chance"], list(zip(result.nets, result.chances, strict=True))


def plot_hours(title: str, result: ShiftResult, file: Path) -> Drawn:
    """How the house's win spreads as the shift goes on: bands of 98, 90 and 50 per cent, and the average."""
    figure, axes, _ = figure_for(8, 4.8, file)
    hours = [0.0, *(float(mark.hours) for mark in result.marks)]
    levels = [level for level, _ in result.quantiles]
    spread = np.array([[0] * len(levels), *([net for _, net in mark.quantiles] for mark in result.marks)], dtype=float)
    for outer, alpha in enumerate((0.14, 0.2, 0.28)):
        axes.fill_between(hours, spread[:, outer], spread[:, -1 - outer], color=BLUE, alpha=alpha, linewidth=0)
    axes.plot(hours, [0.0, *(float(mark.mean) for mark in result.marks)], color=VERMILION, linewidth=1.8)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.plot(hours, spread[:, len(levels) // 2], color="black", linewidth=0.9, linestyle=(0, (4, 3)))
    axes.set_xlim(0, hours[-1])
    label_ends(axes, [(net, f"{float(level) * 100:g} %\n{net:+,d}", "black") for level, net in result.quantiles])
    axes.set_xlabel("hours")
    axes.set_ylabel("house's win so far, minor units")
    axes.yaxis.set_major_formatter(_signed)
    title_axes(
        axes,
        f"{title}\nbands: 98, 90 and 50 % of shifts, computed; red: average; dashed: the 50 % line (median)",
    )
    frame_axes(axes, "y")
    save_figure(figure, file)
    names = ["hours", "rounds", "mean", *(f"quantile {float(level) * 100:g} %" for level in levels)]
    return names, [
        (float(mark.hours), mark.rounds, float(mark.mean), *(net for _, net in mark.quantiles)) for mark in result.marks
    ]


def plot_float(title: str, result: ShiftResult, file: Path) -> Drawn:
    """The chance that a float runs out at some moment of the shift, by its size."""
    figure, axes, _ = figure_for(8, 4.5, file)
    chances = np.array([float(chance) for chance in result.worst_chances])
    # A float of F runs out when the house is behind by more than F.
    out = np.maximum(np.cumsum(chances[::-1])[::-1] - chances, 0.0) * 100
    seen = np.flatnonzero(out > 1e-6)
    last = int(seen[-1]) + 1 if seen.size else 0
    axes.step(result.worst[: last + 1], out[: last + 1], where="post", color=BLUE, linewidth=1.6)
    axes.set_yscale("log")
    axes.set_ylim(max(1e-6, float(out[seen[-1]]) if seen.size else 1e-6), 100)
    left = (1 - float(result.float_level)) * 100
    axes.axhline(left, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.axvline(result.float_needed, color=VERMILION, linewidth=1.2)
    axes.annotate(
        f"{result.float_needed:,d} suffices in {float(result.float_level) * 100:g} % of shifts",
        (result.float_needed, left),
        xytext=(6, 6),
        textcoords="offset points",
        fontsize=8,
        color=VERMILION,
    )
    axes.set_xlim(0, None)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("float, minor units")
    axes.set_ylabel("chance to run out in the shift, per cent")
    title_axes(axes, title)
    frame_axes(axes, "both")
    save_figure(figure, file)
    return ["float", "runs out"], [
        (value, float(chance) / 100) for value, chance in zip(result.worst, out, strict=True)
    ]


def plot_exposure(title: str, result: ShiftResult, file: Path) -> Drawn:
    """What each roll does to the house with everybody's bets on the felt, the worst first."""
    nets = {roll.low_to_high: result.nets_by_roll[roll.index] for roll in ALL_ROLLS}
    bars = sorted((nets[each.faces], each.faces) for each in ALL_COMBINATIONS)
    figure, axes, _ = figure_for(9, 4.5, file)
    heights = [net for net, _ in bars]
    axes.bar(range(len(bars)), heights, color=[ORANGE if net < 0 else BLUE for net in heights], width=0.8)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xticks(range(len(bars)), labels=["".join(map(str, faces)) for _, faces in bars], rotation=90, fontsize=7)
    axes.set_xlim(-0.8, len(bars) - 0.2)
    axes.set_xlabel("roll, in any order of the dice")
    axes.set_ylabel("house's result of the round, minor units")
    axes.yaxis.set_major_formatter(_signed)
    worst = "".join(map(str, bars[0][1]))
    title_axes(
        axes,
        f"{title}\nworst for the house: {worst} ({heights[0]:+,d}); orange: the house pays, blue: it wins",
    )
    frame_axes(axes, "y")
    save_figure(figure, file)
    return ["roll", "ways", "net"], [
        ("".join(map(str, faces)), sum(roll.low_to_high == faces for roll in ALL_ROLLS), net) for net, faces in bars
    ]


def plot_shifts(title: str, report: Report, tally: Tally, file: Path) -> Drawn:
    """The simulated shifts by what the house won."""
    wins = sorted(tally.wins.items())
    figure, axes, _ = figure_for(8, 4.8, file)
    _bars(axes, [win for win, _ in wins], [count / tally.shifts for _, count in wins])
    top = axes.get_ylim()[1]
    _line(axes, report.win.value, f"average {report.win.value:+,.0f}", 1.02 * top)
    axes.set_ylim(0, 1.12 * top)
    axes.set_xlabel("house's win in a shift, minor units")
    loss = report.loss
    _finish(
        axes,
        f"{title}\n{tally.shifts:,} shifts simulated; the house loses {loss.value * 100:.2f} % "
        f"({loss.low * 100:.2f} to {loss.high * 100:.2f} %)",
    )
    save_figure(figure, file)
    return ["win", "shifts"], [(win, count) for win, count in wins]


def plot_picture(picture: str, title: str, result: ShiftResult, file: Path) -> Drawn:
    """One of the pictures of a shift by its name."""
    match picture:
        case "win":
            return plot_win(title, result, file)
        case "hours":
            return plot_hours(title, result, file)
        case "float":
            return plot_float(title, result, file)
        case "exposure":
            return plot_exposure(title, result, file)
        case _:
            raise InputFault("--picture", f"win, hours, float or exposure, got {picture!r}")


def _bars(axes: Any, nets: Sequence[int], chances: Sequence[float]) -> None:
    """Some sixty bars of equal width; none mixes losses and wins."""
    values, heights = np.array(nets, dtype=np.float64), np.array(chances)
    shown = np.flatnonzero(heights > heights.max() * _SEEN)
    values, heights = values[shown[0] : shown[-1] + 1], heights[shown[0] : shown[-1] + 1]
    width = _round_up(max(float(values[-1] - values[0]) / _BARS, 1.0))
    # Bar j holds what is at least j widths and less than j + 1: zero belongs to the wins, as the chance of a loss says.
    places = np.floor(values / width).astype(np.int64)
    sums = np.bincount(places - places[0], weights=heights) * 100
    starts = (places[0] + np.arange(sums.size)) * width
    axes.bar(starts, sums, width=0.9 * width, align="edge", color=np.where(starts < 0, ORANGE, BLUE))
    axes.set_ylabel(f"chance, per cent (a bar for each {width:,.0f})")
    for name, colour in (("loss", ORANGE), ("no loss", BLUE)):
        axes.bar([0], [0], width=0, color=colour, label=name)
    legend_below(axes, 2)


def _round_up(value: float) -> float:
    """One, two or five and noughts."""
    scale = 10.0 ** (len(str(ceil(value))) - 1)
    return next(step * scale for step in (1.0, 2.0, 5.0, 10.0) if step * scale >= value)


def _line(axes: Any, place: float, words: str, height: float) -> None:
    axes.axvline(place, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axes.annotate(words, (place, height), ha="center", fontsize=8, bbox=box)


def _finish(axes: Any, title: str) -> None:
    axes.xaxis.set_major_formatter(_signed)
    title_axes(axes, title)
    frame_axes(axes, "y")


def _signed(value: float, _: int) -> str:
    return f"{value:+,.0f}" if value else "0"
