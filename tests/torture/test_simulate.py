"""The simulator: it repeats itself to the byte, the program survives it, and it finds every planted bug."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from tests import ROOT
from tests.torture.bugs import BUGS
from tests.torture.simulate import Ran, World, main, prepared, run_seed

TORTURE = bool(os.environ.get("TAISAI_TORTURE"))
GROUPS, EACH = (400, 10) if TORTURE else (4, 8)
FOUND_WITHIN_S, SEEDS_LEAST = 60.0, 100
"""A minute; a machine that runs fewer seeds in it has longer."""


class Kept(NamedTuple):
    """Where the program, as it was before a fix, broke: a seed, and the nodes and faults that it takes."""

    seed: int
    nodes: int | None = None
    faults: tuple[str, ...] = ()

    def run(self, bug: str | None = None) -> Ran:
        """The simulation; with the fix undone, where the bug is named."""
        return run_seed(self.seed, nodes=self.nodes, faults=self.faults, bug=bug)


KEPT = {
    "goes-on-unsure": Kept(3, 1, ("cut", "lossy")),
    "kept-lease": Kept(9, 3, ("cut", "lossy")),
    "told-backwards": Kept(24, 3, ("expire", "slow")),
}
"""The findings that need a rare moment; the bug planted is the fix undone."""
WORDS = "from tests.torture.simulate import run_seed; print(run_seed(5, nodes=3, digest=True).digest)"


@pytest.mark.parametrize("nodes", [1, 3])
def test_the_same_seed_gives_the_same_history(nodes: int) -> None:
    """Every record, answer and fault is the same again, and another seed gives another history."""
    first, again, other = (run_seed(seed, nodes=nodes, digest=True) for seed in (5, 5, 6))
    assert first == again
    assert first.digest != other.digest
    assert first.rounds > 20
    assert first.faults > 2


def test_the_history_does_not_hang_on_the_process() -> None:
    """Processes that order their sets in other ways come to the same history."""
    digests = set()
    for salt in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": salt}
        ran = subprocess.run(
            [sys.executable, "-c", WORDS], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        digests.add(ran.stdout.strip())
    assert digests == {run_seed(5, nodes=3, digest=True).digest}


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_program_survives(group: int) -> None:
    """Crashes, freezes, cuts, full disks, jumping clocks and lost answers break nothing; a failure prints its seed."""
    for seed in range(group * EACH, (group + 1) * EACH):
        ran = run_seed(seed)
        assert ran.failure is None, str(ran.failure)
        assert ran.rounds > 0


@pytest.mark.parametrize("bug", sorted(KEPT))
def test_a_seed_that_found_something_is_survived(bug: str) -> None:
    """What was fixed stays fixed: the seeds of the findings run through."""
    ran = KEPT[bug].run()
    assert ran.failure is None, str(ran.failure)


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_planted_bug_is_found(bug: str) -> None:
    """Within a minute, by one seed after another; the seed finds it again, in the same way."""
    ran, where = _first_found(bug)
    assert ran.failure is not None, f"{bug} was not found in a minute, up to seed {where.seed}"
    assert where.run(bug).failure == ran.failure
    assert f"--seed {where.seed}" in str(ran.failure)


def _first_found(bug: str) -> tuple[Ran, Kept]:
    began, first = time.monotonic(), KEPT.get(bug, Kept(0))
    where = first
    while True:
        ran = where.run(bug)
        is_over = time.monotonic() - began > FOUND_WITHIN_S and where.seed >= first.seed + SEEDS_LEAST
        if ran.failure is not None or is_over:
            return ran, where
        where = where._replace(seed=where.seed + 1)


def test_only_the_faults_that_are_named_happen() -> None:
    """A simulation of two kinds of faults has these two, and the words that run it again name them."""
    ran = run_seed(0, nodes=1, faults=("full", "jump"), bug="early-answer")
    assert "--nodes 1 --faults full jump --bug early-answer" in str(ran.failure)
    with prepared():
        world = World(0, nodes=2, faults=("full", "jump"))
        world.run()
        told = {str(words) for _, words, *_ in world.notes}
        world.close()
    assert {"the disk is full", "%s has its clock set"} <= told
    assert told.isdisjoint({"%s is killed", "%s is frozen", "%s is cut off from the server", "the server is down"})


def test_the_command_prints_the_seed_that_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    """A failing seed ends with its last steps, its sentence and how to run it again; a sound one with figures."""
    assert main(["--seed", "0", "--bug", "early-answer", "--seeds", "3"]) == 1
    told = capsys.readouterr().out
    assert "seed 0, step" in told
    assert "again: python -m tests.torture.simulate --seed 0 --bug early-answer" in told
    assert "wrote T1/" in told
    assert main(["--seed", "0", "--steps", "2000", "--nodes", "2"]) == 0
    assert "rounds a second" in capsys.readouterr().out
