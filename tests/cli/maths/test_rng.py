"""`taisai rng`: the program's own dice, another source, and what is written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from taisai.cli import main


def test_own_dice(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's own dice are drawn and tested, raw and scaled; the report comes in every form."""
    seeds = iter(range(10**6))
    monkeypatch.setattr(os, "urandom", lambda size: next(seeds).to_bytes(size, "big"))
    files = [tmp_path / f"rng{suffix}" for suffix in (".pdf", ".html", ".json")]
    assert main(["rng", "--rolls", "20000", *(word for file in files for word in ("-o", str(file))), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["parts"]["Raw output"]["tested"] == 32 * 20_000
    assert found["parts"]["Scaled dice"]["passed"] is True
    assert files[0].read_bytes().startswith(b"%PDF")
    assert "Bonferroni" in files[1].read_text()
    assert json.loads(files[2].read_text()) == found


def test_another_source_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A source that repeats itself fails with exit code 1, and the test is named."""
    raw = tmp_path / "device.bin"
    raw.write_bytes(bytes(range(256)) * 400)
    rolls = tmp_path / "rolls.txt"
    rolls.write_text("1 2 3\n4 5 6\n" * 2000)
    assert main(["rng", "--raw", str(raw), "--dice", str(rolls)]) == 1
    text = capsys.readouterr().out
    assert "FAILED: " in text
    assert "pairs in time, die 1" in text


@pytest.mark.parametrize(
    ("words", "fault"), [(["--rolls", "0"], "--rolls: 1 to"), (["-o", "x.doc"], "--output: the file's name ends in")]
)
def test_faults_name_the_option(words: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be done is said with the option's name."""
    assert main(["rng", *words]) == 2
    assert fault in capsys.readouterr().err
