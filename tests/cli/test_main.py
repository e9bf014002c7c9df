"""The `taisai` command itself: help, errors in one line, exit codes, what is imported at the start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.books.make_broken import write_broken
from tests.cli.running import CASE, printed, refused


@pytest.mark.parametrize("command", [
    "books", "clause", "settle", "odds", "compare", "decided", "session", "house", "simulate", "felt", "deal", "replay",
    "explain", "audit", "verify", "report", "resettle", "backup", "restore", "move", "serve",
    "dice", "export", "fairness",
])  # fmt: skip
def test_each_command_helps_with_examples(capfd: pytest.CaptureFixture[str], command: str) -> None:
    """Help tells what the command does and shows examples that begin with it."""
    shown = printed(capfd, command, "--help")
    examples = shown.partition("Examples:")[2]
    assert f"taisai {command} " in examples
    assert "Exit codes" not in shown
    assert command in printed(capfd, "--help")


def test_bad_words_are_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Unknown commands, layouts, options, files and rolls each get one clear line."""
    assert "nowhere" in refused(capfd, "odds", "nowhere/A")
    assert "rws-tai-sai-v6/C" in refused(capfd, "odds", "rws-tai-sai-v6/c")
    assert refused(capfd, "no-such-command")
    assert refused(capfd, "odds", "rws-tai-sai-v6/A", "--no-such-option")
    assert refused(capfd, "odds")
    assert "--lit" in refused(capfd, "felt", "rws-tai-sai-v6/A", "--lit", "1,3,9")
    assert ".svg or .png" in refused(capfd, "felt", "rws-tai-sai-v6/A", "-o", "felt.gif")
    assert "--width" in refused(capfd, "felt", "rws-tai-sai-v6/A", "--width", "0")
    assert "--bets" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--bets", "small")
    assert "--csv" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--csv", "--json")
    assert "--plot" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--plot", "x.gif")
    assert "the file is missing" in refused(capfd, "settle", str(tmp_path / "missing.json"))
    assert "folder" in refused(capfd, "settle", str(tmp_path))
    assert "book-dir" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--book-dir", str(tmp_path / "none"))
    broken = write_broken(tmp_path / "broken") / "missing-clause-rule"
    assert "refused" in refused(capfd, "books", broken.name, "--book-dir", str(broken))


def test_a_closed_pipe_is_no_error() -> None:
    """`taisai ... | head` ends quietly."""
    shell = f"{sys.executable} -m taisai odds rws-tai-sai-v6/E --json | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b'{\n  "layou', b"")


def test_heavy_parts_are_not_imported_at_the_start() -> None:
    """Neither rich nor matplotlib nor NumPy is loaded to settle a round."""
    code = """
import sys
from taisai.cli import main
main(["settle", "-"])
print([name for name in ("rich.table", "matplotlib", "numpy") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(CASE).encode(), capture_output=True, check=False
    )
    assert done.stderr.decode().strip() == "[]"
