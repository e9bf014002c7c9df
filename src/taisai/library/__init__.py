"""The library that one line uses: layouts, journals, a running floor.

Enters: names, dice and bets as people write them. Leaves: small typed values that print shortly, draw themselves in a
notebook, and give their figures as columns for pandas and Polars.
"""

from __future__ import annotations

from taisai.library.game import Layout, layout, layouts
from taisai.library.live import connect
from taisai.library.records import Journal, open_journal
from taisai.library.values import Odds, Picture, Session, Settled

__all__ = ["Journal", "Layout", "Odds", "Picture", "Session", "Settled", "connect", "layout", "layouts", "open_journal"]
