"""`taisai explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


def test_explain_tells_a_players_bets(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """A player's last rounds, marked as replay, with funds before and after and the clauses of each bet."""
    shown = printed(capfd, "explain", str(journal), "--table", "T1", "--player", "p1")
    assert "(replay)" in shown
    assert "§4.10" in shown or "§7.1" in shown
    found = json.loads(printed(capfd, "explain", str(journal), "--table", "T1", "--player", "p1", "--json"))
    first = found["rounds"][0]
    assert first["replay"] is True
    assert first["funds_before"] is not None
    assert all(hand["by"] == "p1" for bet in first["bets"] for hand in bet["placed"])
    assert all(sum(hand["amount"] for hand in bet["placed"]) >= bet["stake"] > 0 for bet in first["bets"])
    number = str(first["round"])
    words = ("explain", str(journal), "--table", "T1", "--player", "p1", "--round", number, "--json")
    assert json.loads(printed(capfd, *words))["rounds"] == [first]
    assert "--player" in refused(capfd, "explain", str(journal), "--table", "T1", "--player", "nobody")
    assert "--table" in refused(capfd, "explain", str(journal), "--table", "T9", "--player", "p1")
    assert "--round" in refused(capfd, "explain", str(journal), "--table", "T1", "--player", "p1", "--round", "99999")
