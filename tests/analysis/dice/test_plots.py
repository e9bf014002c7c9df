"""Pictures of dice health."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from taisai.analysis.dice.estimates import estimates
from taisai.analysis.dice.paths import draw_tumblers, watch_rolls
from taisai.analysis.dice.plots import marked_rounds, plot_health


def test_a_picture_of_one_round_can_be_drawn(tmp_path: Path) -> None:
    """One round, and dice that cannot be told apart, make a picture too; without rounds nothing is marked."""
    watched = watch_rolls(draw_tumblers(1, 1, 1)[0], ordered=False)
    file = tmp_path / "one.png"
    plot_health("one round", watched, estimates(watched.watch), file)
    assert file.stat().st_size > 10_000
    assert marked_rounds(watch_rolls(np.array([], dtype=np.uint8))) == []


def test_marks_are_few_and_hold_what_matters() -> None:
    """Of many rounds some hundreds are drawn, the peak, the alarm and the last one among them."""
    watched = watch_rolls(draw_tumblers(1, 5000, 3, retention=0.1)[0])
    marks = marked_rounds(watched)
    assert len(marks) < 410
    assert {1, 5000, int(watched.path.argmax()) + 1, watched.watch.evidence().alarm_round} <= set(marks)
