"""`taisai accounts` and `taisai persons`: recovery and erasure on the server's own console."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from taisai.client import Client
from taisai.house.accounts import Accounts
from taisai.journal import SqliteJournal
from taisai.settings.forms import SignIn
from taisai.streams.house_events import OneTimeLinkMade, PersonErased, read_house
from taisai.table.commands import LeaveTable
from tests.cli.running import printed, refused
from tests.web.serving import PASSWORD, open_house, settings_for, sqlite_url


def house(folder: Path) -> str:
    """A journal with an administrator whose login is locked to somebody, and a player who has left."""
    url = sqlite_url(folder)

    async def run() -> None:
        async with open_house(settings_for(url)) as running:
            await running.ready_table("T1")
            ann = await running.seat("ann")
            await ann.do("T1", LeaveTable("ann"))
            for _ in range(3):
                await running.context.authentication.sign_in("admin", "wrong wrong", "administrator", "203.0.113.9")

    asyncio.run(run())
    return url


def test_an_account_is_unlocked_and_gets_a_link(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever is at the server's console needs no password: the lock is gone, the link chooses a new one."""
    url = house(tmp_path)
    assert "admin: Administrator, administrator, locked" in printed(capfd, "accounts", "list", "--journal", url)
    assert printed(capfd, "accounts", "unlock", "admin", "--journal", url) == "admin is unlocked\n"
    assert "locked" not in printed(capfd, "accounts", "list", "--journal", url)
    link = printed(capfd, "accounts", "link", "admin", "--journal", url).splitlines()[0]

    async def use() -> None:
        async with open_house(settings_for(url)) as running, Client(running.address) as client:
            assert await client.choose_password(link, "another horse 7") == "admin"
            await client.sign_in("admin", "another horse 7", "administrator")

    asyncio.run(use())
    with SqliteJournal(tmp_path / "floor.db", read_only=True) as journal:
        made = [(event.by, event.what) for _, event in read_house(journal) if isinstance(event.what, OneTimeLinkMade)]
        assert made[-1][0] == "console"
        assert PASSWORD not in repr(list(read_house(journal)))


def test_what_cannot_be_done_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An unknown login or person, a missing word and a journal that is in use are each one line."""
    url = house(tmp_path)
    for action in ("unlock", "link"):
        assert "there is no account 'eve'" in refused(capfd, "accounts", action, "eve", "--journal", url)
        assert "say whose" in refused(capfd, "accounts", action, "--journal", url)
    assert "say why" in refused(capfd, "persons", "erase", "p.abcdefghijkl", "--journal", url)
    words = ("persons", "erase", "p.abcdefghijkl", "--reason", "asked for", "--journal", url)
    assert "nobody has the id" in refused(capfd, *words)
    with SqliteJournal(tmp_path / "floor.db"):
        assert "a journal has one writer at a time" in refused(capfd, "accounts", "unlock", "admin", "--journal", url)


def test_a_person_is_found_and_erased(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The compliance officer finds the id behind a name and erases who it was; the event says who did it."""
    url = house(tmp_path)
    person = printed(capfd, "persons", "find", "ann", "--journal", url).partition(":")[0]
    assert "rows erased" in printed(capfd, "persons", "erase", person, "--reason", "asked for", "--journal", url)
    assert printed(capfd, "persons", "find", "ann", "--journal", url) == ""
    assert ": erased, " in printed(capfd, "persons", "find", person, "--journal", url)
    with SqliteJournal(tmp_path / "floor.db", read_only=True) as journal:
        event = [event for _, event in read_house(journal) if isinstance(event.what, PersonErased)][-1]
        assert (event.by, event.reason) == ("console", "asked for")


def test_the_policy_is_the_default(tmp_path: Path) -> None:
    """A link made on the console lasts as long as any other."""
    with SqliteJournal(tmp_path / "x.db") as journal:
        assert Accounts(journal, lambda _event: asyncio.sleep(0), lambda: 0, SignIn()).policy.one_time_hours == 24
