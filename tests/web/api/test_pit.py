"""The pit over the API: alerts survive a restart until they are cleared, and the live journal is audited."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from taisai.client import Refused, Session
from taisai.settings.forms import Settings
from taisai.table import commands as c
from taisai.table.people import Role
from tests.web.serving import PASSWORD, Running, on_a_loop, open_house, settings_for, sqlite_url

LARGE = 5_000


def settings(folder: Path) -> Settings:
    """Settings under which a few dollars are a large win."""
    base = settings_for(sqlite_url(folder))
    return replace(base, house=replace(base.house, large_win=LARGE))


async def ask(session: Session, method: str, path: str, **body: Any) -> Any:
    """An answer of the API, as JSON."""
    get = method == "GET"
    return await session.call(method, path, None if get else body, query=body if get else None)


async def a_bad_evening(running: Running) -> None:
    """A dispute, a bet over the maximum, an interruption, a large win, a suspension, at table T1."""
    await running.ready_table("T1", "rws-tai-sai-v6/A")
    dan, sue = running.crew["dan"], running.crew["sue"]
    ann = await running.seat("ann")
    await dan.do("T1", c.OpenBets())
    await ann.do("T1", c.PlaceBet("ann", "total:7", 500))
    await dan.do("T1", c.PlaceBet("ann", "big", 11_000, c.How.FELT))
    for each in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
        await dan.do("T1", each)
    for cause in ("a spilt glass", "a second glass"):
        await dan.do("T1", c.SuspendTable(cause))
        await sue.do("T1", c.ResumeTable(c.Mending.MENDED, "wiped"))
    await dan.do("T1", c.OpenDispute("D-1", "ann", 1, "short paid"))
    await dan.do("T1", c.OpenBets())


def test_alerts_survive_a_restart(tmp_path: Path) -> None:
    """Alerts stay over a restart until they are cleared; two suspensions are one alert that counts two."""

    @on_a_loop
    async def first() -> None:
        async with open_house(settings(tmp_path)) as running:
            await a_bad_evening(running)

    @on_a_loop
    async def second() -> None:
        async with open_house(settings(tmp_path)) as running:
            sue = await running.client.sign_in("sue", PASSWORD, "supervisor")
            alerts = await ask(sue, "GET", "/api/alerts")
            told = {each["kind"]: (each["what"], each["times"], each["amount"]) for each in alerts}
            assert told == {
                "interrupted": (told["interrupted"][0], 1, 0),
                "not-rejected": ("big, over its maximum", 1, 1000),
                "breach": (told["breach"][0], 1, 0),
                "suspended": ("a second glass", 2, 0),
                "large-win": ("ann on total:7", 1, 500 * 12),
                "dispute": ("D-1, ann: short paid", 1, 0),
            }
            assert "11000" in told["breach"][0]
            cleared = await ask(sue, "POST", f"/api/alerts/{alerts[0]['id']}", note="seen to")
            assert (cleared["cleared_by"], cleared["note"]) == ("sue", "seen to")
            assert await ask(sue, "POST", f"/api/alerts/{alerts[0]['id']}", note="again") == cleared
            assert len(await ask(sue, "GET", "/api/alerts")) == len(alerts) - 1
            assert cleared in await ask(sue, "GET", "/api/alerts", cleared=True)
            events = await ask(sue, "GET", "/api/house/events")
            assert [each["kind"] for each in events].count("house.alert-cleared") == 1

    first()
    second()


@on_a_loop
async def test_alerts_of_other_tables_are_not_seen() -> None:
    """A supervisor of another table can neither see nor clear an alert."""
    async with open_house() as running:
        await a_bad_evening(running)
        link = await running.crew["admin"].add_staff("sol", "Sol", {Role.SUPERVISOR: ("T2",)})
        await running.client.choose_password(link.token, PASSWORD)
        sol = await running.client.sign_in("sol", PASSWORD, "supervisor")
        known = (await ask(running.crew["sue"], "GET", "/api/alerts"))[0]["id"]
        assert await ask(sol, "GET", "/api/alerts") == []
        with pytest.raises(Refused, match="no such alert"):
            await ask(sol, "POST", f"/api/alerts/{known}", note="mine")


@on_a_loop
async def test_the_live_journal_is_audited() -> None:
    """An audit started over the API checks every record, names who started it, and finds nothing in a sound journal."""
    async with open_house() as running:
        await a_bad_evening(running)
        await running.hire("ada")
        ada = running.crew["ada"]
        assert (await ask(ada, "GET", "/api/house/audit"))["state"] == "none"
        run = await ask(ada, "POST", "/api/house/audit")
        while run["state"] == "running":
            await asyncio.sleep(0)
            run = await ask(ada, "GET", "/api/house/audit")
        assert (run["state"], run["by"], run["findings"], run["fault"]) == ("done", "ada", [], "")
        assert run["records"] == run["total"] > 30
