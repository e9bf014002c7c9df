"""`taisai serve --check`: the settings that would apply."""

from __future__ import annotations

import json

import pytest

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
