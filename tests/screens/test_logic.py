"""Runs the JavaScript tests of the screens' logic under Node, so that `pytest` runs them too."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests import ROOT

FILES = sorted(Path(__file__).parent.glob("*.test.js"))
NODE = shutil.which("node")


def run_node(file: Path) -> subprocess.CompletedProcess[str]:
    """Run one file of JavaScript tests."""
    assert NODE is not None, "Node is not installed: tools/setup dev installs it"
    command = [NODE, "--test", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_screens_logic(file: Path) -> None:
    """Every test of the file passes under `node --test`."""
    done = run_node(file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_planted_fault_fails(tmp_path: Path) -> None:
    """A failing JavaScript test fails the run: the check above can fail."""
    file = tmp_path / "planted.test.js"
    file.write_text('const { test } = require("node:test");\ntest("planted", () => { throw new Error("planted"); });\n')
    done = run_node(file)
    assert done.returncode != 0
    assert "planted" in done.stdout
