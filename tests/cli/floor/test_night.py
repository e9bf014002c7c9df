"""`taisai night`: what the console shows of a table at home."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from taisai.cli.floor.night import code_of, lan_address
from taisai.settings.forms import Settings
from taisai.web.context import Context
from taisai.web.serve import Teller
from tests.cli.running import printed, refused


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings with which a house would be run; it tells its links and ends."""
    run: list[Settings] = []

    def instead(settings: Settings, _shelf: Callable[[], object], teller: Teller) -> None:
        run.append(settings)
        links = SimpleNamespace(demo_links={"dealer": "tok1", "supervisor": ""}, first_link="")
        teller.started(cast(Context, links), settings.listen.public_url)
        teller.finishing(1, 18)

    monkeypatch.setattr("taisai.web.serve.run", instead)
    monkeypatch.setattr("taisai.cli.floor.night.lan_address", lambda: "192.168.1.20")
    return run


def test_phones_find_the_table(served: list[Settings], capfd: pytest.CaptureFixture[str]) -> None:
    """The address in the local network is shown as text and as a code, with the board for the television."""
    said = printed(capfd, "night", "rws-mini-dice-v3/A", "--port", "9000")
    assert "http://192.168.1.20:9000" in said
    assert code_of("http://192.168.1.20:9000/play?table=Night-A") in said
    assert re.search(r"television +http://192.168.1.20:9000/board\?table=Night-A", said)
    assert "finishing 1 round, 18 s; again to stop now" in said
    assert "supervise" not in said
    [settings] = served
    assert (settings.listen.host, settings.journal.url) == ("0.0.0.0", "memory:")


def test_a_human_dealer_has_links(served: list[Settings], capfd: pytest.CaptureFixture[str]) -> None:
    """Who deals chooses a password with the link; who has one signs in, and is told the login."""
    said = printed(capfd, "night", "--dealer", "human", "--host", "127.0.0.1")
    assert "/welcome?post=dealer&table=Night-C#tok1" in said
    assert re.search(r"/sign-in\?post=supervisor&table=Night-C +login: supervisor", said)
    assert "that is this machine alone: no phone reaches it" in said
    assert served[0].tables[0].mode == "dealer"


def test_a_free_port_is_no_address_for_phones(capfd: pytest.CaptureFixture[str]) -> None:
    """Port 0 is refused: the code is made before the house listens."""
    assert "--port" in refused(capfd, "night", "--port", "0")


def test_the_address_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the one by which the system would send; without a network it is this machine alone."""
    assert re.fullmatch(r"[\d.]+|[\da-f:]+", lan_address())

    def nowhere(*_given: Any) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.socket.connect", nowhere)
    assert lan_address() == "127.0.0.1"
