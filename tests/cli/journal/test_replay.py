"""`taisai replay`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


def test_replay_tells_a_round(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A round is told from its call to its end, who did what and why."""
    shown = printed(capfd, "replay", str(journal), "--table", "T1", "--round", "2")
    assert "Place your bets" in shown
    assert "No more bets" in shown
    assert "dan" in shown
    last = json.loads(printed(capfd, "replay", str(journal), "--table", "T1", "--json"))
    assert last["events"][-1]["event"] in ("round-concluded", "round-voided")
    assert "--round" in refused(capfd, "replay", str(journal), "--table", "T1", "--round", "99999")
    assert "T1" in refused(capfd, "replay", str(journal), "--table", "T2")
