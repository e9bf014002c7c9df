"""kill -9 at every step of an automatic round: what had closed is concluded as it was fixed, whoever deals then."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.journal import open_journal
from taisai.streams.codec import event_of
from taisai.table import events as e
from tests import ROOT
from tests.cli.running import printed
from tests.postgres import journal_url
from tests.torture.steps import STEPS, TABLE


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_closed_round_survives_a_kill_at_every_step(
    store: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Close and opening are one commit; no round is void that had closed; every void round is opened."""
    address = journal_url(tmp_path) if store == "postgresql" else str(tmp_path / "floor.db")
    command = [sys.executable, "-m", "tests.torture.steps", address, str(tmp_path / "dice-key")]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    rounds: dict[int, list[e.Event]] = defaultdict(list)
    together: dict[str, list[str]] = defaultdict(list)
    number = 0
    with open_journal(address, read_only=True) as journal:
        for record in journal.read(TABLE):
            event = event_of(record)
            if isinstance(event.what, e.BetsOpened):
                number = event.what.round
            rounds[number].append(event)
            together[record.command_id].append(record.kind)
        findings = [str(each) for each in Audit(open_shelf(environment={}).book).findings(journal)]
    assert findings == []
    assert all("dice-opened" in kinds for kinds in together.values() if "bets-closed" in kinds)
    closed, void = 0, 0
    for events in rounds.values():
        kinds = [type(event.what) for event in events]
        fixed = [event.what.dice for event in events if isinstance(event.what, e.DiceOpened) and event.what.dice]
        shown = [event.what.dice for event in events if isinstance(event.what, e.RoundConcluded)]
        assert fixed == shown
        assert (e.BetsClosed in kinds) == bool(shown)
        assert not (e.BetsClosed in kinds and e.RoundVoided in kinds)
        closed += e.BetsClosed in kinds
        void += e.RoundVoided in kinds
    assert int(told.stdout) >= 2 * (STEPS - 1)
    assert closed >= STEPS
    assert void >= 2
    told_by_verify = printed(capfd, "verify", address)
    assert f"{closed:,} proven, 0 void, {void:,} void before the close, 0 withheld" in told_by_verify
