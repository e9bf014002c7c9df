"""kill -9 in the middle of a shift: nothing acknowledged is lost, nothing is doubled, the audit is clean."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.journal import open_journal
from tests import ROOT

KILLS = 100 if os.environ.get("TAISAI_TORTURE") else 8


def killed_after(file: Path, seed: int, answers: int) -> list[tuple[str, str, bool]]:
    """Let the bot deal until it has given so many answers, then kill it; what it had acknowledged."""
    command = [sys.executable, "-m", "tests.audit.bot", str(file), str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        lines = [bot.stdout.readline() for _ in range(answers)]
        bot.send_signal(signal.SIGKILL)
        lines += bot.stdout.readlines()
    acknowledged = []
    for line in lines:
        # The last line may be cut off by the kill: it was not heard.
        if line.endswith("\n"):
            table, command_id, accepted = line.split()
            acknowledged.append((table, command_id, accepted == "yes"))
    return acknowledged


def test_a_killed_house_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Killed at random points again and again, every acknowledged command is there once, and the audit is clean."""
    file = tmp_path / "floor.db"
    chance = random.Random(11)
    shelf = open_shelf(environment={})
    acknowledged: list[tuple[str, str]] = []
    audit = Audit(shelf.book)
    for seed in range(KILLS):
        answers = killed_after(file, seed, chance.randint(1, 90))
        acknowledged += [(table, command_id) for table, command_id, accepted in answers if accepted]
        audit = Audit(shelf.book)
        assert [str(finding) for finding in audit.findings_of_file(file)] == []
    with open_journal(file, read_only=True) as journal:
        for table, command_id in acknowledged:
            records = journal.find_command(table, command_id)
            assert [record.part for record in records] == list(range(len(records)))
            assert records, f"{table}: {command_id} was acknowledged and is not there"
        kinds = [record.kind for record in journal.read_all()]
    assert "round-concluded" in kinds
    assert "round-interrupted" in kinds
    for state in audit.states.values():
        assert sum(state.ledger.values()) == 0
