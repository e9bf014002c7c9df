"""Commands that read a journal or its export: the same answers, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


@pytest.mark.parametrize("command", ["export", "fairness", "resettle", "report", "dice"])
def test_help_has_examples_with_a_folder(capfd: pytest.CaptureFixture[str], command: str) -> None:
    """Each command shows how it is used on an export."""
    examples = printed(capfd, command, "--help").partition("Examples:")[2]
    assert f"taisai {command} " in examples
    assert "history/" in examples


@pytest.mark.parametrize("more", [(), ("--by", "month", "--zone", "Asia/Singapore", "--table", "NZ")])
def test_report_of_an_export_is_that_of_the_journal(
    capfd: pytest.CaptureFixture[str], journal: Path, folder: Path, more: tuple[str, ...]
) -> None:
    """Both reports are the same but for when they were made."""
    ours = json.loads(printed(capfd, "report", str(folder), "--json", *more))
    theirs = json.loads(printed(capfd, "report", str(journal), "--json", *more))
    assert ours.pop("made_at") != theirs.pop("made_at")
    assert ours == theirs
    assert ours["rows"]


def test_dice_of_an_export_are_those_of_the_journal(
    capfd: pytest.CaptureFixture[str], journal: Path, folder: Path
) -> None:
    """The evidence, the layout and the battery come out the same."""
    words = ("--table", "NZ", "--json", "--battery")
    ours = json.loads(printed(capfd, "dice", str(folder), *words))
    theirs = json.loads(printed(capfd, "dice", str(journal), *words))
    assert ours.pop("source") != theirs.pop("source")
    assert ours == theirs
    assert ours["sets"][0]["gains"]


def test_what_is_refused(capfd: pytest.CaptureFixture[str], journal: Path, folder: Path, tmp_path: Path) -> None:
    """Words that do not fit, folders that are none and engines that are not known are refused in one line."""
    file, there = str(journal), str(folder)
    assert "--follow" in refused(capfd, "export", file, there, "--follow", "--upto", "5")
    assert "--upto" in refused(capfd, "export", file, there, "--upto", "0")
    assert "--every" in refused(capfd, "export", file, there, "--follow", "--every", "0")
    assert "ROUNDS" in refused(capfd, "resettle", there, str(tmp_path / "rounds.parquet"))
    assert "ROUNDS" in refused(capfd, "resettle", str(tmp_path / "bets.parquet"))
    assert "--output" in refused(capfd, "resettle", str(tmp_path / "bets.parquet"), str(tmp_path / "rounds.parquet"))
    assert "--engine" in refused(capfd, "report", file, "--engine", "duckdb")
    assert "--engine" in refused(capfd, "dice", file, "--engine", "duckdb")
    assert "--engine" in refused(capfd, "report", there, "--engine", "oracle")
    assert "--table" in refused(capfd, "dice", there)
    assert "--table" in refused(capfd, "dice", there, "--table", "none")
    assert "--table" in refused(capfd, "fairness", there, "--table", "none")
    assert "no folder" in refused(capfd, "fairness", str(tmp_path / "nothing"))
    assert "not an export" in refused(capfd, "resettle", str(tmp_path))
