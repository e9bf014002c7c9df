"""`taisai fairness`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed


def test_fairness_of_all_tables(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Every table and all together are shown, with what they return and what came of the dice."""
    told = printed(capfd, "fairness", str(folder))
    assert "Returns" in told
    assert "Faces" in told
    assert "SG<1>" in told
    found = json.loads(printed(capfd, "fairness", str(folder), "--json", "--table", "NZ", "--level", "0.01"))
    assert (found["alarm"], found["level"]) == (False, 0.01)
    assert [each["table"] for each in found["returns"]] == ["NZ"]
    assert all(each["recount_agrees"] for each in found["returns"])
