"""Sessions of the client against a server: tokens, resuming, locking."""

from __future__ import annotations

import pytest

from taisai.client import Client, Refused, Session
from taisai.table import commands as c
from tests.web.serving import PASSWORD, on_a_loop, open_house


@on_a_loop
async def test_one_client_holds_many_sessions() -> None:
    """Sessions of one client are independent: no cookie is kept, and each sends its own token."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        who = [(await each.refresh()).who for each in (ann, running.crew["dan"], bob, running.crew["admin"])]
        assert who == ["ann", "dan", "bob", "admin"]
        with pytest.raises(Refused) as refused:
            await running.client.call("GET", "/api/me")
        assert refused.value.code == "not-signed-in"


@on_a_loop
async def test_a_session_is_resumed_by_its_token() -> None:
    """A token resumes its session until it is signed out; the player's bets stand after that."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        await running.crew["dan"].do("T1", c.OpenBets())
        async with ann.table() as table:
            await table.bet("small", 100)
        async with Client(running.address + "/") as another:
            again = await another.resume(ann.token)
            assert again.me.player == "ann"
            assert ann.token not in repr(again)
            await again.sign_out()
            with pytest.raises(Refused):
                await another.resume(ann.token)
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 100}}


@on_a_loop
async def test_only_players_bet_for_themselves() -> None:
    """Crew place bets by naming the player, and a session with many tables must name the table."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        with pytest.raises(ValueError, match="name the table"):
            dan.table()
        async with dan.table("T1") as table:
            with pytest.raises(ValueError, match="only a player"):
                await table.bet("small", 100)


@on_a_loop
async def test_a_session_locks_and_unlocks() -> None:
    """A locked session may read nothing until its holder gives the password."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan: Session = running.crew["dan"]
        await dan.lock()
        with pytest.raises(Refused, match="locked"):
            await dan.journal("T1")
        assert not (await dan.unlock(PASSWORD)).locked
        opened = await dan.journal("T1", kind="table-opened", count=1)
        assert [record["by"] for record in opened] == ["sue"]
