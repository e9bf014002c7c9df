"""The command run from tests: in this process, or as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from taisai.cli import main

CASE = {
    "layout": "rws-tai-sai-v6/A",
    "dice": [1, 3, 6],
    "limits": None,
    "bets": [{"player": "p1", "box": "small", "stake": 10000}],
}


def taisai(*words: str, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """The command as a process."""
    return subprocess.run(
        [sys.executable, "-m", "taisai", *words], input=given, capture_output=True, cwd=cwd, check=False
    )


def printed(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What the command prints, run in this process."""
    capfd.readouterr()
    assert main(words) == code
    return capfd.readouterr().out


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refused command."""
    capfd.readouterr()
    assert main(words) == 2
    captured = capfd.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert captured.err.startswith("taisai: ")
    return captured.err
