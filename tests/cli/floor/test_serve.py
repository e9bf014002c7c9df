"""`taisai serve --check`: the settings that would apply."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taisai.cli import main
from tests.cli.running import printed, refused


def test_serve_shows_the_settings_it_would_take(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--check` prints them: an option before a variable before the demo; a house's journal is not for the demo."""
    monkeypatch.setenv("TAISAI_LISTEN", "127.0.0.1:7000")
    shown = json.loads(printed(capfd, "serve", "--demo", "--check"))
    assert (shown["listen"]["port"], shown["journal"]["url"]) == (7000, "memory:")
    monkeypatch.setenv("TAISAI_JOURNAL", "sqlite:///house.db")
    assert refused(capfd, "serve", "--demo", "--check").startswith("taisai: TAISAI_JOURNAL: a demo has a journal")
    for words in (("--demo",), ()):
        options = (*words, "--journal", "sqlite:///other.db", "--listen", "127.0.0.1:7001")
        shown = json.loads(printed(capfd, "serve", "--check", *options))
        assert (shown["listen"]["port"], shown["journal"]["url"]) == (7001, "sqlite:///other.db")


def test_check_warns_of_a_journal_that_others_may_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the house opens, the operator is told which files to close to others; closed ones are not mentioned."""
    journal = tmp_path / "floor.db"
    journal.touch(mode=0o644)
    journal.chmod(0o644)
    assert main(["serve", "--demo", "--journal", f"sqlite:///{journal}", "--check"]) == 0
    assert capsys.readouterr().err == f"taisai: warning: others may read {journal}: chmod 600 {journal}\n"
    journal.chmod(0o600)
    assert main(["serve", "--demo", "--journal", f"sqlite:///{journal}", "--check"]) == 0
    assert capsys.readouterr().err == ""
