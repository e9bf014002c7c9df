"""The real traffic of a table: sums of its record, by layout."""

from __future__ import annotations

from fractions import Fraction

import pytest

from taisai.analysis.papers.seen import Played, Seen, seen_facts, seen_line
from taisai.core.faults import InputFault
from taisai.table import events as e

ROUND = e.RoundConcluded(1, (1, 2, 3), 100, 100, 100, 200, 216 * 97, 100, 103)


def test_rounds_are_added_up() -> None:
    """Edge and variance are those of the rounds; what came is told beside what should."""
    seen = Seen()
    for _ in range(4):
        seen.see(ROUND)
    played = seen.by_layout[""]
    line = seen_line("table T1", played)
    assert line.edge == Fraction(3, 100)
    assert line.variance == 1
    assert line.hit == 1
    assert line.holds[0].low < line.edge < line.holds[0].high
    facts = dict(seen_facts(played))
    assert facts["turnover"] == "400 at risk in 4 rounds"
    assert facts["hold"].startswith("-100.000 %, -2.06 standard deviations")


@pytest.mark.parametrize(
    ("played", "fault"), [(Played(), "no round"), (Played(rounds=1, at_risk=5, unknown=1), "version 0.1")]
)
def test_what_is_not_known_is_refused(played: Played, fault: str) -> None:
    """Nothing at risk, or rounds whose spread is not on record: no sheet."""
    with pytest.raises(InputFault, match=fault):
        seen_line("table T1", played)
