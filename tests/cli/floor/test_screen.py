"""A shift on the screen: calls, events, refusals, the table at the end."""

from __future__ import annotations

import pytest

from tests.cli.floor.dealing import EVENING, REFUSED
from tests.cli.running import printed


def test_a_shift_is_shown_with_its_calls_and_the_table_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    """Commands, calls and events come in order; accounts, players and the result close it."""
    shown = printed(capfd, "deal", str(EVENING))
    assert "  > Place your Bets, please" in shown
    assert "  > triple 3, total 9" in shown
    assert "# holds" not in shown
    assert shown.index("dan: collect") < shown.index("bob single:3 1500 wins")
    closing = shown[shown.index("table T1 under rws-tai-sai-v6/A, SGD: closed; 4 rounds settled") :]
    assert "patrons    145,300" in closing
    assert "drop 70,000, closer 1,134,700: win -145,300, hold -207.57 %" in closing


def test_refusals_are_shown_and_do_not_stop_the_shift(capfd: pytest.CaptureFixture[str]) -> None:
    """A refused command is shown with its code, clauses and what is allowed; the next one follows."""
    shown = printed(capfd, "deal", str(REFUSED))
    assert "! not-yours-to-do: A player may not do this. (§6.6) Allowed: by dealer" in shown
    assert "suspended (the bell is broken)" in shown
