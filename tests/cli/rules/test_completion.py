"""`taisai completion`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.running import printed, refused


def test_bash_completes_commands_and_options(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With what is printed, bash completes `taisai sett` and the options of a command."""
    script = tmp_path / "taisai.bash"
    script.write_text(printed(capfd, "completion", "bash"), encoding="utf-8")

    def completed(*words: str) -> list[str]:
        typed = " ".join(words)
        lines = f"""source {script}
COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; COMP_LINE="{typed}"; COMP_POINT=${{#COMP_LINE}}
_taisai; echo "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert completed("taisai", "sett") == ["settle"]
    assert "--journal" in completed("taisai", "serve", "--jo")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(capfd: pytest.CaptureFixture[str], shell: str) -> None:
    """Every command is in the completion of zsh and fish."""
    said = printed(capfd, "completion", shell)
    assert all(name in said for name in ("settle", "night", "report"))


def test_an_unknown_shell_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """A shell that is not known is one line with those that are."""
    assert "bash" in refused(capfd, "completion", "tcsh")
