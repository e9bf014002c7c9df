"""Pictures of odds.

Enters: exact odds from the core. Leaves: a file, SVG, PNG or PDF by its suffix. Readable in print and without colour
vision: colours are of the Okabe-Ito set, and every bar carries its figure.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from taisai.core.faults import InputFault
from taisai.core.odds import BetsOdds, BoxOdds
from taisai.core.rulebook import Layout

SUFFIXES: Final = (".svg", ".png", ".pdf")
_TITLE_LETTERS: Final = 92
"""Letters of size 10 in a line of a title."""
BLUE, ORANGE, VERMILION, GREY = "#0072B2", "#E69F00", "#D55E00", "#555555"


def figure_for(width: float, height: float, file: Path) -> tuple[Any, Any, Any]:
    """An empty figure, its axes and the file, or a fault for a suffix that is none."""
    if file.suffix.lower() not in SUFFIXES:
        raise InputFault("--plot", f"the file's name ends in {', '.join(SUFFIXES)}; got {file.name!r}")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra, and heavy
        from matplotlib.figure import Figure  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("--plot", "pictures need the extra `plot`: pip install 'taisai[plot]'") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot(), file


def label_ends(axes: Any, labels: Sequence[tuple[float, str, str]], *, size: float = 7) -> None:
    """Words at the right end of curves, outside the axes: height, words, colour; moved apart where they would overlap.

    The limits of the axes must stand, for heights are compared as they are drawn.
    """
    # Points; a line of text and a quarter of one above it.
    room = max(1.25 * size * (1 + words.count("\n")) for _, words, _ in labels)
    scale = 72.0 / axes.figure.dpi
    x = axes.get_xlim()[1]
    placed: list[float] = []
    for height, words, colour in sorted(labels):
        wanted = axes.transData.transform((x, height))[1] * scale
        at = max(wanted, placed[-1] + room) if placed else wanted
        placed.append(at)
        axes.annotate(
            words,
            (x, height),
            xytext=(5, at - wanted),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=colour,
            annotation_clip=False,
        )


def save_figure(figure: Any, file: Path) -> None:
    """Write the figure; the same figure gives the same bytes."""
    from matplotlib import rc_context  # noqa: PLC0415 - lazily, as in `figure_for`

    # The same input gives the same bytes: no date, and ids of the SVG salted with a constant.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(file.suffix.lower(), {})
    with rc_context({"svg.hashsalt": "taisai"}):
        figure.savefig(file, dpi=150, metadata=metadata)


def _groups(layout: Layout, boxes: tuple[BoxOdds, ...]) -> Iterator[tuple[str, BoxOdds]]:
    """Boxes that pay and keep the same are one bar: fifteen equal combinations say no more than one."""
    seen: dict[tuple[str, tuple[object, ...]], list[BoxOdds]] = {}
    for box in boxes:
        seen.setdefault((box.box.kind, box.pay_ways), []).append(box)
    for group in seen.values():
        first = group[0]
        title = layout.names.box(first.box)
        if len(group) > 1:
            last = layout.names.box(group[1].box).split()[-1]
            title = f"{title} and {last}" if len(group) == 2 else f"{first.bet} ({len(group)})"
        yield title, first


def plot_edges(layout: Layout, boxes: tuple[BoxOdds, ...], file: Path) -> None:
    """House edge by bet, lowest first; bets that return less than 75 % are marked."""
    bars = sorted(_groups(layout, boxes), key=lambda bar: bar[1].edge, reverse=True)
    figure, axes, _ = figure_for(8, 1.6 + 0.32 * len(bars), file)
    edges = [float(box.edge) * 100 for _, box in bars]
    colours = [VERMILION if box.is_below_floor else BLUE for _, box in bars]
    drawn = axes.barh(range(len(bars)), edges, color=colours, height=0.7)
    axes.bar_label(drawn, labels=[f"{edge:.2f} %" for edge in edges], padding=4, fontsize=8)
    names = [f"{title}  {'/'.join(str(each.pays) for each in box.pay_ways)} to 1" for title, box in bars]
    axes.set_yticks(range(len(bars)), labels=names, fontsize=8)
    axes.set_xlabel("house edge, per cent of the stake")
    axes.set_xlim(0, max(edges) * 1.15)
    axes.set_title(f"{layout.name}: what the house keeps on average", loc="left", fontsize=11)
    if any(box.is_below_floor for _, box in bars):
        figure.supxlabel(
            "orange-red: returns less than 75 % to the player", fontsize=8, color=VERMILION, x=0.98, ha="right"
        )
    frame_axes(axes, "x")
    save_figure(figure, file)


def plot_results(layout: Layout, odds: BetsOdds, file: Path) -> None:
    """What a set of bets comes to: each result and its chance, and the average."""
    figure, axes, _ = figure_for(8, 4.5, file)
    nets = [net for net, _ in odds.distribution]
    chances = [100 * ways / odds.out_of for _, ways in odds.distribution]
    colours = [BLUE if net > 0 else GREY if net == 0 else ORANGE for net in nets]
    places = range(len(nets))
    drawn = axes.bar(places, chances, color=colours, width=0.8)
    if len(nets) <= 24:
        axes.bar_label(drawn, labels=[f"{chance:.1f}" for chance in chances], padding=2, fontsize=7)
    step = max(1, len(nets) // 24)
    axes.set_xticks(
        list(places)[::step], labels=[f"{net:+,d}" for net in nets][::step], rotation=60, fontsize=8, ha="right"
    )
    axes.set_xlabel("player's result of the round, minor units")
    axes.set_ylabel("chance, per cent")
    staked = ", ".join(f"{bet.box} {bet.stake}" for bet in odds.bets[:6]) + (" …" if len(odds.bets) > 6 else "")
    title_axes(
        axes,
        f"{layout.name}: {staked}\nreturn {float(odds.returned) * 100:.2f} %, average {float(odds.expected_net):+.2f}, "
        f"worst for the house {odds.exposure}",
    )
    frame_axes(axes, "y")
    save_figure(figure, file)


def title_axes(axes: Any, title: str, *, size: float = 10) -> None:
    """A title over the left end of the axes; lines that would not fit into a picture eight inches wide are broken."""
    most = round(_TITLE_LETTERS * 10 / size)
    lines = (textwrap.fill(line, most, break_long_words=False, break_on_hyphens=False) for line in title.split("\n"))
    axes.set_title("\n".join(lines), loc="left", fontsize=size)


def legend_below(axes: Any, columns: int) -> None:
    """A legend under the right end of the axes, beside what they are called: nothing is drawn there."""
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, -0.075), ncols=columns, fontsize=8, frameon=False)


def frame_axes(axes: Any, grid_axis: str) -> None:
    """Axes without clutter, with a quiet grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis=grid_axis, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
