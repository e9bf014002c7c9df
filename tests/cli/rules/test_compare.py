"""`taisai compare`."""

from __future__ import annotations

import json

import pytest

from taisai.cli import main
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


def test_more_than_two_stand_side_by_side(capfd: pytest.CaptureFixture[str]) -> None:
    """Three layouts have three columns; a box agrees when all of them have it and pay it alike."""
    words = ("compare", "nz-division-9/1", "rws-tai-sai-v6/A", "rws-mini-dice-v3/A")
    found = json.loads(printed(capfd, *words, "--all", "--json"))
    assert found["layouts"] == list(words[1:])
    rows = {row["box"]: row for row in found["boxes"]}
    assert rows["single:6"]["differs"] is False
    assert [side is None for side in rows["small"]["sides"]] == [False, False, True]
    assert "highest edge less lowest" in printed(capfd, *words)


def test_one_layout_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """One layout alone is refused, and the way out is named."""
    assert main(["compare", "rws-tai-sai-v6/A"]) == 2
    assert "layouts: give two or more" in capsys.readouterr().err
