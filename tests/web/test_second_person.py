"""The second person of a command: whose password is looked at, when, and how often one asker may be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from taisai.client import Refused, Second, Session
from taisai.table import commands as c
from taisai.table.people import Role
from taisai.web import security
from tests.web.serving import PASSWORD, POSTS, Running, by_sue, on_a_loop, open_house
from tests.web.socket.clients import betting, raw

WRONG = "wrong horse 9"
RESOLVE = c.ResolveInterruption(())


async def failures(running: Running) -> list[Any]:
    """What the house's log has of failed sign-ins and locked logins."""
    events = await running.crew["admin"].call("GET", "/api/house/events")
    return [each for each in events if each["kind"] in ("house.sign-in-failed", "house.login-locked")]


async def interrupted(running: Running) -> Session:
    """The dealer of a table whose round is interrupted: to resolve it, a second person is needed."""
    await running.ready_table("T1")
    dan = running.crew["dan"]
    await dan.do("T1", c.OpenBets())
    await dan.do("T1", c.Interrupt("dark"))
    return dan


async def code_of(who: Session, action: c.Action, second: Second, reason: str = "dark") -> str:
    """The code with which a command over HTTP is refused."""
    with pytest.raises(Refused) as refused:
        await who.do("T1", action, reason=reason, second=second)
    return refused.value.code


@on_a_loop
async def test_a_player_locks_nobody() -> None:
    """Twelve commands of a player with wrong passwords of staff, over each way in, are no failed sign-ins of staff."""
    async with betting() as (running, ann, _):
        logins = {**{each: POSTS[each] for each in ("dan", "sue")}, "admin": Role.SUPERVISOR, "nobody": Role.SUPERVISOR}
        amend = {"do": "amend-entry", "dice": [1, 2, 3]}
        async with raw(running, "T1", ann) as socket:
            for number in range(12):
                login = list(logins)[number % len(logins)]
                second = {"login": login, "password": WRONG, "role": logins[login]}
                frame = {"t": "do", "id": f"g{number}", "do": amend, "reason": "to lock", "second": second}
                assert (await socket.refused(frame))["code"] == "not-yours-to-do"
        for _ in range(3):
            for login, role in logins.items():
                assert await code_of(ann, c.AmendEntry((1, 2, 3)), Second(login, WRONG, role)) == "not-yours-to-do"
        assert await failures(running) == []
        for login in ("dan", "sue"):
            assert (await running.client.sign_in(login, PASSWORD, POSTS[login])).me.who == login
        assert (await running.client.sign_in("admin", PASSWORD, "administrator")).me.who == "admin"


@on_a_loop
async def test_a_password_is_looked_at_only_where_it_decides() -> None:
    """At the wrong moment, for a role that may not authorise it, or where nobody need, a wrong password is nothing."""
    async with open_house() as running:
        dan = await interrupted(running)
        wrong = Second("sue", WRONG, Role.SUPERVISOR)
        assert await code_of(dan, c.AmendEntry((1, 2, 3)), wrong) == "round-interrupted"
        assert await code_of(dan, RESOLVE, Second("sue", WRONG, Role.DEALER)) == "second-person-unfit"
        await dan.do("T1", RESOLVE, reason="dark", second=by_sue())
        assert await code_of(dan, c.AmendEntry((1, 2, 3)), wrong) == "wrong-step"
        await dan.do("T1", c.OpenBets())
        await dan.do("T1", c.CloseBets(), reason="in time", second=wrong)
        newest = (await dan.journal("T1", last=1))[0]
        assert (newest["by"], newest["authorised_by"]) == ("dan", None)
        assert await failures(running) == []


@on_a_loop
async def test_a_second_person_authorises_and_a_repeat_is_answered() -> None:
    """The right password of the right person carries the command out; sent again, it gets its first answer."""
    async with open_house() as running:
        dan = await interrupted(running)
        first = await dan.do("T1", RESOLVE, reason="dark", second=by_sue(), command_id="once")
        again = await dan.do("T1", RESOLVE, reason="dark", second=by_sue(), command_id="once")
        assert (again.seq, first.repeated, again.repeated) == (first.seq, False, True)
        records = await dan.journal("T1", last=20)
        assert {each["authorised_by"] for each in records if each["command"] == "once"} == {"sue"}


@on_a_loop
async def test_a_dealer_who_guesses_is_slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """After three wrong passwords, whosever they are, a dealer waits a minute for the next; right ones cost nothing."""
    now = [0.0]
    monkeypatch.setattr(security, "monotonic", lambda: now[0])
    async with open_house() as running:
        await running.hire("dan", "sue", "kim")
        dan = await interrupted(running)
        for _ in range(4):
            await dan.do("T1", RESOLVE, reason="dark", second=by_sue())
            await dan.do("T1", c.OpenBets())
            await dan.do("T1", c.Interrupt("dark"))
        guesses = [Second("sue", WRONG, Role.SUPERVISOR), Second("kim", WRONG, Role.SHIFT_MANAGER)]
        for guess in (*guesses, guesses[0]):
            assert await code_of(dan, RESOLVE, guess) == "sign-in-refused"
        before = await failures(running)
        assert len(before) == 3
        with pytest.raises(Refused) as refused:
            await dan.do("T1", RESOLVE, reason="dark", second=guesses[1])
        assert (refused.value.code, refused.value.status) == ("too-fast", 429)
        assert await code_of(dan, RESOLVE, by_sue()) == "too-fast"
        assert await failures(running) == before
        async with running.crew["sue"].table("T1") as table:
            await table.do(RESOLVE, reason="dark", second=Second("kim", PASSWORD, Role.SHIFT_MANAGER))
        await dan.do("T1", c.OpenBets())
        await dan.do("T1", c.Interrupt("dark"))
        now[0] = 60.0
        await dan.do("T1", RESOLVE, reason="dark", second=by_sue())


@on_a_loop
async def test_a_dealers_failures_count() -> None:
    """Guessing a supervisor's password where it decides locks that login to the guesser, and to nobody else."""
    async with open_house() as running:
        dan = await interrupted(running)
        for _ in range(3):
            assert await code_of(dan, RESOLVE, Second("sue", WRONG, Role.SUPERVISOR)) == "sign-in-refused"
        assert "house.login-locked" in [each["kind"] for each in await failures(running)]
        assert (await running.client.sign_in("sue", PASSWORD, "supervisor")).me.who == "sue"
