"""Pictures of sessions.

Enters: sessions as `taisai.analysis.session.exact` computes them. Leaves: a file, SVG, PNG or PDF by its suffix, in the
manner of `taisai.analysis.plots`: the same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
from taisai.analysis.session.exact import LEVELS, Band, Game, Manner, Number, SessionResult, steps_of
from taisai.core.faults import InputFault
from taisai.core.odds import percent_chance

_BARS_MOST: Final = 160
"""Bars that can still be told apart; results beyond are drawn together."""
PATH_ROUNDS_MOST: Final = 100_000


def plot_distribution(title: str, result: SessionResult, file: Path) -> None:
    """Each result of a session and its chance, losses and wins in two colours, with the quantiles marked."""
    figure, axes, _ = figure_for(8, 4.8, file)
    nets = np.array(result.nets, dtype=np.float64)
    chances = np.array([float(chance) for chance in result.chances]) * 100
    seen = np.flatnonzero(chances > chances.max() * 5e-4)
    nets, chances = nets[seen[0] : seen[-1] + 1], chances[seen[0] : seen[-1] + 1]
    step = float(np.diff(nets).min()) if nets.size > 1 else 1.0
    together = results_together(nets, chances, step)
    if together == 1:
        axes.bar(nets, chances, width=step * 0.9, color=np.where(nets > 0, BLUE, np.where(nets < 0, ORANGE, GREY)))
        top = float(chances.max())
        _legend(axes, (("loss", ORANGE), ("even", GREY), ("win", BLUE)))
    else:
        first, heights = _heights(nets, chances, step * together)
        ends = (first + np.arange(heights.size)) * step * together
        colours = np.where(ends > 0, BLUE, ORANGE)
        axes.bar(ends, heights, width=-0.9 * step * together, align="edge", color=colours)
        top = float(heights.max())
        _legend(axes, (("no win", ORANGE), ("win", BLUE)))
    _mark_quantiles(axes, result, top)
    axes.set_xlabel("player's result of the session, minor units")
    axes.set_ylabel("chance, per cent" + (f" (a bar for each {step * together:,.0f})" if together > 1 else ""))
    axes.xaxis.set_major_formatter(_signed)
    title_axes(
        axes,
        f"{title}\nexpected {float(result.mean):+,.0f}, ahead {_chance(result.ahead)}"
        + (f", ruined {_chance(result.ruin)}" if result.ruin else "")
        + (f", at the stop-win {_chance(result.target)}" if result.target else "")
        + (f", at the stop-loss {_chance(result.stopped)}" if result.stopped else ""),
    )
    frame_axes(axes, "y")
    save_figure(figure, file)


def _heights(nets: NDArray[np.float64], chances: NDArray[np.float64], width: float) -> tuple[int, NDArray[np.float64]]:
    """Chances by bars; bar j holds what is over (j - 1) widths and at most j, so that no bar mixes losses and wins."""
    bars = np.ceil(nets / width).astype(np.int64)
    heights = np.zeros(int(bars[-1] - bars[0]) + 1)
    np.add.at(heights, bars - bars[0], chances)
    return int(bars[0]), heights


def results_together(nets: NDArray[np.float64], chances: NDArray[np.float64], step: float) -> int:
    """How many neighbouring results one bar holds: 1 if they are few enough.

    Results of several bets lie in clumps, and bars that catch now more of them and now less would draw a pattern that
    is not there; of the widths that come into question the one with the smoothest outline is taken.
    """
    least = -(-int((nets[-1] - nets[0]) / step + 1) // _BARS_MOST)
    if least <= 1:
        return 1

    def roughness(together: int) -> float:
        _, heights = _heights(nets, chances, step * together)
        return float(np.abs(np.diff(heights, 2)).sum())

    return min(range(least, 4 * least + 1), key=roughness)


def _mark_quantiles(axes: Any, result: SessionResult, top: float) -> None:
    places: dict[int, list[str]] = {}
    for level, net in result.quantiles:
        places.setdefault(net, []).append(f"{float(level) * 100:g}")
    left, right = axes.get_xlim()
    # A label is about a twelfth of the picture wide: it goes to the lowest row where the one before leaves room.
    width = (right - left) / 12
    ends: list[float] = []
    for net, levels in places.items():
        row = next((row for row, end in enumerate(ends) if end <= net - width / 2), len(ends))
        ends[row:] = [net + width / 2, *ends[row + 1 :]]
        axes.axvline(net, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{', '.join(levels)} %\n{net:+,d}",
            (net, top * (1.03 + 0.1 * row)),
            ha="center",
            fontsize=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    axes.set_xlim(left, right)
    axes.set_ylim(0, top * (1.14 + 0.1 * len(ends)))


def plot_ruin(title: str, result: SessionResult, file: Path) -> None:
    """The chance that the session is over by each round: ruined, or at the target."""
    if not (result.ruin or result.target):
        raise InputFault("--plot", "nothing ends this session: a ruin curve needs a bankroll or a stop-win")
    figure, axes, _ = figure_for(8, 4.5, file)
    rounds = np.arange(result.rounds + 1)
    step = max(1, result.rounds // 2000)
    labels: list[tuple[float, str, str]] = []
    for name, curve, colour, style in (
        ("ruined", result.ruin_by_round, VERMILION, "-"),
        ("at the stop-win", result.target_by_round, BLUE, "--"),
    ):
        if curve[-1]:
            heights = np.array([float(chance) * 100 for chance in curve])
            axes.plot(rounds[::step], heights[::step], color=colour, linestyle=style, linewidth=1.8)
            labels.append((float(heights[-1]), f"{name}\n{_chance(curve[-1])}", colour))
    axes.set_xlim(0, result.rounds)
    axes.set_ylim(0, None)
    label_ends(axes, labels, size=8)
    axes.set_xlabel("rounds played")
    axes.set_ylabel("chance until then, per cent")
    title_axes(axes, title)
    frame_axes(axes, "y")
    save_figure(figure, file)


def sample_paths(game: Game, manner: Manner, count: int, seed: int) -> NDArray[np.int64]:
    """Results after each round of some sessions drawn by chance; a session that is over stays where it ended."""
    if manner.rounds > PATH_ROUNDS_MOST:
        raise InputFault("--plot", f"paths are drawn for at most {PATH_ROUNDS_MOST:,} rounds")
    steps = steps_of(game, manner)
    farthest = manner.rounds * max(abs(net) for net, _ in game.ways) * max(step.factor for step in steps)
    if farthest > np.iinfo(np.int64).max:
        raise InputFault("--plot", "results too large for the 64 bits of a sample path: fewer rounds or lower stakes")
    factors = np.array([step.factor for step in steps])
    on_win, on_loss = np.array([step.on_win for step in steps]), np.array([step.on_loss for step in steps])
    weights = np.array([ways for _, ways in game.ways], dtype=np.float64)
    nets = np.array([net for net, _ in game.ways], dtype=np.int64)
    drawn = np.random.default_rng(seed).choice(nets, size=(manner.rounds, count), p=weights / weights.sum())
    paths = np.zeros((manner.rounds + 1, count), dtype=np.int64)
    at = np.zeros(count, dtype=np.int64)
    for number, round_nets in enumerate(drawn):
        now = paths[number]
        plays = np.full(count, fill_value=True)
        if manner.bankroll is not None:
            plays &= manner.bankroll + now >= game.staked * factors[at]
        if manner.stop_win is not None:
            plays &= now < manner.stop_win
        if manner.stop_loss is not None:
            plays &= now > -manner.stop_loss
        paths[number + 1] = now + np.where(plays, round_nets * factors[at], 0)
        at = np.where(plays, np.where(round_nets > 0, on_win[at], np.where(round_nets < 0, on_loss[at], at)), at)
    return paths


def plot_paths(
    title: str, game: Game, manner: Manner, spread: Sequence[Band], file: Path, *, count: int = 24, seed: int = 7
) -> None:
    """Sample paths over the exact bands (of `bands`) that hold 98, 90 and 50 per cent of all sessions."""
    figure, axes, _ = figure_for(8, 4.8, file)
    paths = sample_paths(game, manner, count, seed)
    marks = [band.after for band in spread]
    quantiles = np.array([band.nets for band in spread], dtype=np.float64)
    for outer, alpha in enumerate((0.14, 0.2, 0.28)):
        axes.fill_between(marks, quantiles[:, outer], quantiles[:, -1 - outer], color=BLUE, alpha=alpha, linewidth=0)
    thin = max(1, manner.rounds // 1500)
    rounds = np.arange(manner.rounds + 1)
    axes.plot(rounds[::thin], paths[::thin], color=GREY, linewidth=0.5, alpha=0.7)
    axes.plot(marks, quantiles[:, len(LEVELS) // 2], color=VERMILION, linewidth=1.8)
    axes.axhline(0, color="black", linewidth=0.6)
    labels: dict[int, list[str]] = {}
    for level, net in zip(LEVELS, spread[-1].nets, strict=True):
        labels.setdefault(net, []).append(f"{float(level) * 100:g}")
    axes.set_xlim(0, manner.rounds)
    label_ends(axes, [(net, f"{', '.join(levels)} %\n{net:+,d}", "black") for net, levels in labels.items()])
    axes.set_xlabel("rounds")
    axes.set_ylabel("player's result so far, minor units")
    axes.yaxis.set_major_formatter(_signed)
    title_axes(
        axes,
        f"{title}\nbands: computed, holding 98, 90 and 50 % of all sessions; red: the 50 % line (median)\n"
        f"lines: {count} sessions drawn with seed {seed}",
        size=9,
    )
    frame_axes(axes, "y")
    save_figure(figure, file)


def _chance(chance: Number) -> str:
    return percent_chance(Fraction(chance), 2)


def _signed(value: float, _: object) -> str:
    return f"{value:+,.0f}" if value else "0"


def _legend(axes: Any, entries: tuple[tuple[str, str], ...]) -> None:
    """A legend under the axes, on the right."""
    for name, colour in entries:
        axes.bar([0], [0], width=0, color=colour, label=name)
    legend_below(axes, len(entries))
