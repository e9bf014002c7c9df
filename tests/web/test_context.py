"""The context: what a start prepares, what a stop does to tables and clients, and what is repeated meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from taisai.client import Notice, Refused, Table
from taisai.house.passwords import Passwords
from taisai.settings.forms import Listen, Timing
from taisai.table import commands as c
from taisai.web import context as contexts
from taisai.web.context import Context
from taisai.web.errors import Stop
from taisai.web.security import Rates
from tests.house.people import CHEAP
from tests.web.serving import PASSWORD, on_a_loop, open_house, settings_for, shelf, sqlite_url


@on_a_loop
async def test_a_stop_tells_everybody_and_holds_the_round(tmp_path: Path) -> None:
    """Clients are notified and no bet is taken any more; the dealer's round is interrupted at the next start."""
    settings = settings_for(sqlite_url(tmp_path))
    async with open_house(settings) as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 500)
            await running.context.stop()
            told = [message async for message in until_notice(table)]
            assert isinstance(told[-1], Notice)
            assert told[-1].code == "closing"
            with pytest.raises(Refused) as refused:
                await table.bet("small", 500)
            assert refused.value.code == "closing"
        with pytest.raises(Refused) as refused:
            await running.client.call("GET", "/readyz")
        assert (refused.value.code, refused.value.status) == ("closing", 503)
        with pytest.raises(Refused) as refused:
            await running.crew["dan"].do("T1", c.CloseBets())
        assert (refused.value.code, refused.value.status) == ("closing", 503)
        with pytest.raises(Refused) as refused:
            await running.client.sign_in("dan", PASSWORD, "dealer")
        assert (refused.value.code, refused.value.status) == ("not-recorded", 503)
    async with open_house(settings) as running:
        now = await running.client.look_at("T1")
        assert now.view["stakes"] == {"ann": {"small": 500}}
        assert "restart" in now.view["round"]["interrupted"]
        again = await running.client.resume(ann.token)
        assert again.me.player == "ann"


async def until_notice(table: Table) -> AsyncIterator[object]:
    """The messages of a table up to a notice."""
    async for message in table:
        yield message
        if isinstance(message, Notice):
            return


@on_a_loop
async def test_a_stop_lets_automatic_tables_finish() -> None:
    """An automatic table deals its round to the end before the house closes."""
    base = settings_for(demo=True)
    quick = Timing(
        betting_ms=3_000, after_close_ms=0, tumbling_ms=0, reveal_ms=0, lit_ms=0, paid_ms=0, between_ms=60_000
    )
    one = replace(base.tables[1], timing=quick)
    assert one.mode == "automatic"
    settings = replace(base, tables=(one,), house=replace(base.house, minimum_betting_ms=0))
    async with open_house(settings) as running:
        seat = await running.client.sit_down(guest_at=one.name)
        async with seat.table() as table:
            async for _ in table:
                if table.takes_bets:
                    break
            await table.bet("small", 1_000)
            number = table.round
            await running.context.stop()
            state = running.context.floor.tables[one.name].state
            assert state.history[-1].number == number
            assert not state.round.interrupted
            assert state.round.phase == "between-rounds"


@on_a_loop
async def test_the_demo_has_staff_until_they_choose_a_password(tmp_path: Path) -> None:
    """Each post of the demo has a link; whoever has used theirs gets none at the next start."""
    settings = settings_for(sqlite_url(tmp_path), demo=True)
    settings = replace(settings, tables=settings.tables[:1])
    async with open_house(settings) as running:
        assert set(running.context.demo_links) == {"dealer", "supervisor", "shift-manager"}
        await running.client.choose_password(running.context.demo_links["dealer"], PASSWORD)
    async with open_house(settings) as running:
        assert running.context.demo_links["dealer"] == ""
        assert running.context.demo_links["supervisor"]
        assert (await running.client.sign_in("dealer", PASSWORD, "dealer")).me.tables == "*"


@on_a_loop
async def test_a_changed_program_book_or_setting_is_noticed() -> None:
    """A verification compares with the start (R36): nothing differs, then a book has gone from the shelf."""
    books = shelf()
    context = Context(settings_for(), books, reopen_shelf=lambda: books, passwords=Passwords(CHEAP))
    await context.start()
    assert await context.verify() == []
    context.settings = replace(context.settings, listen=Listen(port=1))
    (difference,) = await context.verify()
    assert "settings" in difference
    await context.stop()


@on_a_loop
async def test_what_is_repeated_goes_on_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Expired sessions are removed again and again; a failure is logged and does not end it."""
    monkeypatch.setattr(contexts, "SWEEP_S", 0.001)
    context = Context(settings_for(), shelf(), passwords=Passwords(CHEAP))
    await context.start()
    swept = asyncio.Event()

    async def sweep() -> int:
        if not caplog.messages:
            raise OSError("the disk is away")
        swept.set()
        return 0

    with caplog.at_level(logging.ERROR, "taisai.web"):
        monkeypatch.setattr(context.sessions, "sweep", sweep)
        await swept.wait()
    assert caplog.messages[0] == "expired sessions could not be removed"
    await context.stop()


@on_a_loop
async def test_a_token_that_nobody_has_costs_its_address_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among several nodes an unknown token is looked up in the journal: so often, and then its address is refused."""
    async with open_house() as running:
        context, looked_up = running.context, list[str]()
        context.rates = Rates(0, 3 * contexts.UNKNOWN_COST)
        monkeypatch.setattr(context.sessions, "reload_one", looked_up.append)
        monkeypatch.setattr(context.floor, "nodes", object())
        for number in range(3):
            assert await context.session_of(f"no-such-{number}", "7.7.7.7") is None
        with pytest.raises(Stop):
            await context.session_of("no-such-3", "7.7.7.7")
        assert await context.session_of("no-such-4", "8.8.8.8") is None
        monkeypatch.undo()
    assert looked_up == ["no-such-0", "no-such-1", "no-such-2", "no-such-4"]
