"""`taisai compare`."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import printed


def test_compare_shows_what_differs(capfd: pytest.CaptureFixture[str]) -> None:
    """New Zealand's alternative and Singapore's layout C differ in the doubles with a single."""
    words = ("compare", "nz-division-9/2", "rws-tai-sai-v6/C")
    assert "three:112" in printed(capfd, *words)
    found = json.loads(printed(capfd, *words, "--json"))
    assert (found["different"], found["same"]) == (30, 76)
    assert {row["box"][:6] for row in found["boxes"]} == {"three:"}
    same = ("compare", "rws-open-cover-v3/A", "rws-tai-sai-v6/A")
    assert "0 boxes differ" in printed(capfd, *same)
    assert len(json.loads(printed(capfd, *same, "--all", "--json"))["boxes"]) == 50
    assert "small" in printed(capfd, *same, "--all")
