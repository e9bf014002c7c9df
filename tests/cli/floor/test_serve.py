"""`taisai serve`: the settings that would apply, and what the console shows."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from taisai.cli import main
from taisai.cli.floor.serve import Told
from taisai.settings.forms import demo_settings
from taisai.web.context import Context
from tests import ROOT
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


def test_host_and_port_stand_beside_listen(capfd: pytest.CaptureFixture[str]) -> None:
    """`--host` and `--port` say in two options what `--listen` says in one; both together are refused."""
    shown = json.loads(printed(capfd, "serve", "--demo", "--check", "--port", "7001"))["listen"]
    assert (shown["host"], shown["port"]) == ("127.0.0.1", 7001)
    shown = json.loads(printed(capfd, "serve", "--demo", "--check", "--host", "[::1]"))["listen"]
    assert (shown["host"], shown["port"]) == ("::1", 8000)
    assert "--listen" in refused(capfd, "serve", "--demo", "--listen", "127.0.0.1:1", "--port", "2")
    assert "--port: from 0 to 65535, got 70000" in refused(capfd, "serve", "--demo", "--port", "70000")


def test_a_port_in_use_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    """A taken port is refused before anything is opened, with another one to take; the exit code is 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"--port: {port} is in use" in refused(capfd, "serve", "--demo", "--port", port)


def test_the_console_shows_the_links(capfd: pytest.CaptureFixture[str]) -> None:
    """Who has no password gets a one-time link; who has chosen one, the way to sign in with the login."""
    settings = demo_settings()
    links = SimpleNamespace(demo_links={"dealer": "tok1", "supervisor": ""}, first_link="")
    Told(settings).started(cast(Context, links), "http://127.0.0.1:8000")
    said = capfd.readouterr().out
    assert "deal                http://127.0.0.1:8000/welcome?post=dealer&table=TS-A#tok1\n" in said
    assert "supervise           http://127.0.0.1:8000/sign-in?post=supervisor&table=TS-A   login: supervisor\n" in said
    assert "single use and expires in 24 h" in said
    Told(settings).finishing(2, 7)
    assert capfd.readouterr().out == "finishing 2 rounds, 7 s; again to stop now\n"


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


def test_check_finds_what_would_cost_something_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing folders, keys that nodes do not share, rounds that wait for people, and how long a stop takes."""
    monkeypatch.setenv("TAISAI_JOURNAL", f"postgresql://house:secret@db/floor?key={tmp_path}/none/house.key")
    assert main(["serve", "--settings", str(ROOT / "deploy" / "floor.example.toml"), "--check"]) == 0
    told = capsys.readouterr().err
    assert "secret" not in told
    assert "taisai: a planned stop takes up to 71 s: TimeoutStopSec" in told
    for warning in (
        f"there is no folder {tmp_path}/none",
        "node.address is not set",
        "house.dice_key is not set",
        "unattended is off at TS-1",
    ):
        assert f"taisai: warning: {warning}" in told
    monkeypatch.setenv("TAISAI_JOURNAL", "postgresql://house:secret@db/floor")
    monkeypatch.setenv("TAISAI_HOUSE__DICE_KEY", str(tmp_path / "dice.key"))
    assert main(["serve", "--settings", str(ROOT / "deploy" / "floor.example.toml"), "--check"]) == 0
    told = capsys.readouterr().err
    assert "journal.url names no key" in told
    assert "dice_key" not in told


def test_a_node_that_others_cannot_reach_is_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address for other machines, and a host that listens on this one alone, do not go together."""
    monkeypatch.setenv("TAISAI_JOURNAL", "postgresql://house@db/floor")
    monkeypatch.setenv("TAISAI_NODE__ADDRESS", "http://10.0.0.5:8000")
    monkeypatch.setenv("TAISAI_NODE__SECRET", "0123456789abcdef")
    told = refused(capfd, "serve", "--check")
    assert "listen.host: 127.0.0.1 is not reached from other machines" in told
    assert "0.0.0.0" in told
    shown = json.loads(printed(capfd, "serve", "--check", "--host", "0.0.0.0"))
    assert shown["listen"]["host"] == "0.0.0.0"
