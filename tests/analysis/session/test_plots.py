"""Pictures of a session: bars, and sample paths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taisai.analysis.session import plots as session_plots
from taisai.analysis.session.exact import Game, Manner, Plan, bands, session
from taisai.core.faults import InputFault
from tests.analysis.session.samples import SMALL


def test_many_results_share_bars(tmp_path: Path) -> None:
    """A session with thousands of results is drawn in bars of several."""
    game = Game(1100, ((-1100, 110), (900, 105), (17_000, 1)))
    result = session(game, Manner(300))
    together = session_plots.results_together(np.array(result.nets, dtype=np.float64), np.array(result.chances), 100)
    assert together % 20 == 0  # small goes up and down by 2000: bars of other widths would catch now more, now less
    file = tmp_path / "bars.png"
    session_plots.plot_distribution("bars", result, file)
    assert file.stat().st_size > 10_000


def test_paths_stop_as_the_session_does() -> None:
    """Sample paths end where the rules end them, and spread as the bands say."""
    manner = Manner(200, bankroll=10_000, stop_win=6000, stop_loss=9000, plan=Plan.MARTINGALE, stake_max=4000)
    paths = session_plots.sample_paths(SMALL, manner, 2000, seed=7)
    result = session(SMALL, manner)
    assert abs(float((paths[-1] >= 6000).mean()) - float(result.target)) < 0.04
    ended = paths[-1] >= 6000
    first = np.argmax(paths[:, ended] >= 6000, axis=0)
    assert all(
        (paths[start:, path] == paths[-1, path]).all() for start, path in zip(first, np.flatnonzero(ended), strict=True)
    )
    free = session_plots.sample_paths(SMALL, Manner(200), 2000, seed=7)
    low, high = bands(SMALL, Manner(200))[-1].nets[1], bands(SMALL, Manner(200))[-1].nets[5]
    assert 0.86 < float(((free[-1] >= low) & (free[-1] <= high)).mean()) < 0.95
    with pytest.raises(InputFault, match="too large"):
        session_plots.sample_paths(Game(10**15, ((-(10**15), 1), (10**15, 1))), Manner(90_000), 1, seed=7)
    with pytest.raises(InputFault, match="paths are drawn"):
        session_plots.sample_paths(SMALL, Manner(200_000), 1, seed=7)
