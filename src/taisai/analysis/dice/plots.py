"""Pictures of dice health: evidence over time with the alarm line, faces with their confidence sequence.

Enters: a watched set of dice and its estimates. Leaves: a file, SVG, PNG or PDF by its suffix, in the manner of
`taisai.analysis.plots`; `marked_rounds` says which rounds are drawn, so that the same numbers can be had as JSON.
"""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any, Final

import numpy as np

from taisai.analysis.dice.estimates import Estimates
from taisai.analysis.dice.evidence import checks_of
from taisai.analysis.dice.paths import Watched
from taisai.analysis.plots import BLUE, GREY, ORANGE, VERMILION, figure_for, frame_axes, save_figure

_POINTS_MOST: Final = 400
_NAMED: Final = 3
"""Checks that are drawn with their own line: those that got highest."""
_LN10: Final = log(10)
_LOOKS: Final = ((ORANGE, "--", "o"), ("#009E73", "-.", "s"), ("#CC79A7", ":", "^"))


def marked_rounds(watched: Watched) -> list[int]:
    """Rounds to draw, some hundreds at most: evenly spread, with the peak, the alarm and the last among them."""
    rounds = len(watched.path)
    if not rounds:
        return []
    alarm = watched.watch.evidence().alarm_round
    marks = set(range(1, rounds + 1, -(-rounds // _POINTS_MOST))) | {rounds, int(watched.path.argmax()) + 1}
    return sorted(marks | ({alarm} if alarm is not None else set()))


def plot_health(title: str, watched: Watched, known: Estimates, file: Path) -> None:
    """Evidence over time above, the faces of each die below."""
    figure, axes, _ = figure_for(8, 7.5, file)
    axes.remove()
    upper, lower = figure.subplots(2, 1, height_ratios=(1.15, 1))
    _draw_evidence(upper, watched)
    _draw_faces(lower, known)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    save_figure(figure, file)


def _draw_evidence(axes: Any, watched: Watched) -> None:
    found = watched.watch.evidence()
    marks = np.array(marked_rounds(watched))
    checks = checks_of(ordered=watched.watch.ordered)
    # A check is drawn with its weight: what it adds to the whole.
    parts = [row / _LN10 + np.log10(check.weight) for row, check in zip(watched.by_check, checks, strict=True)]
    highest = sorted(range(len(checks)), key=lambda place: -parts[place].max(initial=-np.inf))[:_NAMED]
    for place, (colour, style, _) in zip(highest, _LOOKS, strict=True):
        axes.plot(marks, parts[place][marks - 1], color=colour, linestyle=style, linewidth=1, label=checks[place].title)
    path = watched.path / _LN10
    axes.plot(marks, path[marks - 1], color=BLUE, linewidth=2.2, zorder=1.5, label="all checks together")
    line = -np.log10(found.level)
    axes.axhline(line, color=VERMILION, linewidth=1.2)
    # Where there is no alarm the path stays under the line; after one it is over it, as a rule, at the right end.
    raised = found.alarm and float(path[-1]) > line
    axes.annotate(
        f"alarm: evidence of {1 / found.level:,.6g}",
        (1, line) if raised else (0, line),
        xycoords=("axes fraction", "data"),
        xytext=(-4, -4) if raised else (4, 3),
        textcoords="offset points",
        ha="right" if raised else "left",
        va="top" if raised else "bottom",
        fontsize=8,
        color=VERMILION,
    )
    if found.alarm_round is not None:
        axes.axvline(found.alarm_round, color=VERMILION, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(
            f"round {found.alarm_round:,}",
            (found.alarm_round, 0),
            xycoords=("data", "axes fraction"),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=8,
            color=VERMILION,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )
    axes.set_xlim(0, max(1, found.rounds))
    axes.set_ylim(
        max(-6.0, min(-1.5, float(path.min(initial=0)) - 0.5)), max(line * 1.2, float(path.max(initial=0)) * 1.1)
    )
    axes.set_xlabel("rounds")
    axes.set_ylabel("evidence against fair dice, powers of 10")
    axes.legend(loc="best", fontsize=8, frameon=False)
    frame_axes(axes, "y")


def _draw_faces(axes: Any, known: Estimates) -> None:
    dice = list(dict.fromkeys(each.die for each in known.faces))
    looks = ((BLUE, "D"), *((colour, mark) for colour, _, mark in _LOOKS))
    for place, (die, (colour, mark)) in enumerate(zip(dice, looks, strict=False)):
        faces = known.faces_of(die)
        shares = [100 * each.share for each in faces]
        spread = [
            [100 * (each.share - each.low) for each in faces],
            [100 * (each.high - each.share) for each in faces],
        ]
        axes.errorbar(
            [each.face + 0.16 * (place - (len(dice) - 1) / 2) for each in faces],
            shares,
            yerr=spread,
            fmt=mark,
            color=colour,
            markersize=5,
            elinewidth=1.2,
            capsize=3,
            label="all dice" if die is None else f"die {die}",
        )
    axes.axhline(100 / 6, color=GREY, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate("fair", (6.6, 100 / 6), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=8, color=GREY)
    axes.set_xlim(0.4, 6.6)
    # After a few rounds the bounds say little: they may leave the picture, the shares may not.
    low, high = min(each.share for each in known.faces), max(each.share for each in known.faces)
    bottom = max(min(each.low for each in known.faces), low - 0.08) - 0.01
    top = min(max(each.high for each in known.faces), high + 0.08) + 0.03
    axes.set_ylim(max(0.0, 100 * bottom), min(100.0, 100 * top))
    axes.set_xlabel("face")
    axes.set_ylabel("share of throws, per cent")
    axes.legend(loc="upper right", ncols=4, fontsize=8, frameon=False)
    axes.set_title(
        f"bars: where the share lies with {known.confidence * 100:g} % confidence, at all times", loc="left", fontsize=9
    )
    frame_axes(axes, "y")
