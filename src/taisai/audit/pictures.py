"""The picture of a report: what the house won in each span, beside what it should have won on average.

Enters: a report's rows. Leaves: an SVG that stands in the page itself; readable in print, and told apart by shape as
well as by colour. The figures are in the table below it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from taisai.audit.reports import ReportRow

SPANS_MAX: Final = 40
"""The last so many spans are drawn."""
WIDTH, HEIGHT, LEFT, FOOT, TOP = 960, 280, 90, 40, 30
WON, EXPECTED = "#0b5c3f", "#b35900"


def win_chart(rows: Iterable[ReportRow]) -> str:
    """Bars for the win, a mark for what was to be expected; nothing when there is nothing to draw."""
    spans: dict[str, tuple[int, Fraction]] = {}
    for row in rows:
        won, expected = spans.get(row.span, (0, Fraction(0)))
        theoretical = row.theoretical_return
        should = Fraction(0) if theoretical is None else row.staked * (1 - theoretical)
        spans[row.span] = (won + row.win, expected + should)
    drawn = list(spans.items())[-SPANS_MAX:]
    if not drawn:
        return ""
    most = max(1, *(max(won, int(expected)) for _, (won, expected) in drawn))
    least = min(0, *(min(won, int(expected)) for _, (won, expected) in drawn))
    step = (WIDTH - LEFT) / len(drawn)

    def level(amount: float) -> float:
        return TOP + (HEIGHT - TOP - FOOT) * (most - amount) / (most - least)

    zero = level(0)
    parts = [
        f'<text x="{LEFT - 8}" y="{level(amount) + 4:.1f}" text-anchor="end">{amount:,}</text>'
        f'<line x1="{LEFT}" x2="{WIDTH}" y1="{level(amount):.1f}" y2="{level(amount):.1f}" stroke="#d0d0d0"/>'
        for amount in dict.fromkeys((most, 0, least))
    ]
    every = -(-len(drawn) // 12)
    for place, (span, (won, expected)) in enumerate(drawn):
        x, wide = LEFT + place * step, step * 0.6
        top = min(level(won), zero)
        title = f"{span}: won {won:,}, expected {float(expected):,.0f}"
        parts.append(
            f'<g><title>{html.escape(title)}</title><rect x="{x + step * 0.2:.1f}" y="{top:.1f}" width="{wide:.1f}"'
            f' height="{abs(level(won) - zero):.1f}" fill="{WON}"/><circle cx="{x + step / 2:.1f}"'
            f' cy="{level(float(expected)):.1f}" r="5" fill="#ffffff" stroke="{EXPECTED}" stroke-width="3"/></g>'
        )
        if place % every == 0:
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{html.escape(span)}</text>'
            )
    legend = (
        f'<rect x="{LEFT}" y="6" width="12" height="12" fill="{WON}"/><text x="{LEFT + 18}" y="17">won</text>'
        f'<circle cx="{LEFT + 80}" cy="12" r="5" fill="#ffffff" stroke="{EXPECTED}" stroke-width="3"/>'
        f'<text x="{LEFT + 92}" y="17">expected on average</text>'
    )
    return (
        f'<svg role="img" aria-label="Win in each span, beside what was to be expected" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' font-family="system-ui, sans-serif" font-size="12">{"".join(parts)}{legend}</svg>'
    )
