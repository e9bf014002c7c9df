"""The marks of tests: what `make quick` leaves out is left out, and what it runs needs no server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import PurePath

import pytest

from tests import ROOT, postgres
from tests.marks import implied, rank


@pytest.mark.parametrize(
    ("path", "params", "marks"),
    [
        ("core/test_dice.py", {}, set()),
        ("browser/test_pit.py", {}, {"browser"}),
        ("journal/test_contract.py", {"journal": "postgresql"}, {"postgres"}),
        ("client/test_shift.py", {"store": "postgres", "book": "mini-dice"}, {"postgres"}),
        ("settings/test_reading.py", {"url": "postgresql://joe@db/floor", "place": ("postgres",)}, set()),
    ],
)
def test_marks_follow_from_the_place_and_the_parameters(path: str, params: dict[str, object], marks: set[str]) -> None:
    """A test of screens is marked by its folder, a test on PostgreSQL by the parameter that names the store."""
    assert implied(PurePath(path), params) == marks


def test_fast_tests_run_first() -> None:
    """Tests without a mark come first, then those with a server, then browsers, and slow ones last."""
    order: list[tuple[str, ...]] = [(), ("clause",), ("postgres",), ("browser",), ("postgres", "slow")]
    assert [rank(names) for names in order] == [0, 0, 1, 2, 3]


def test_a_test_without_the_mark_gets_no_server() -> None:
    """A server is refused to a test without the mark, such as this one, in words that say what to do."""
    for ask in (postgres.server, postgres.Server):
        with pytest.raises(RuntimeError, match=r"test_a_test_without_the_mark_gets_no_server.*@pytest\.mark\.postgres"):
            ask()


def test_the_marks_select() -> None:
    """`-m` sees the marks that follow from the place: without `browser` nothing of tests/browser is left."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", "not browser"]
    command.append("tests/browser/test_training.py")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.search(r"^no tests collected \(\d+ deselected\)", done.stdout, re.MULTILINE), done.stdout
