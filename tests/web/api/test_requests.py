"""Requests for a second person: approved at their own screen, bound to one command, one round and a few minutes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import to_builtins

from taisai.client import Refused, Session
from taisai.core.rulebook import Fact
from taisai.house.requests import LASTS_US, WAITING_MOST
from taisai.streams.house_events import RequestAnswered, read_house
from taisai.table import commands as c
from tests.web.serving import PASSWORD, Running, on_a_loop, open_house, quick_clock

AMEND = c.AmendEntry((1, 2, 4))
FIX = c.CorrectDice((1, 2, 5))
REASON = "a five was pressed for a four"


async def entered(house: Running) -> None:
    """A table whose result was entered wrongly: putting it right needs a supervisor."""
    await house.hire("dan", "sue", "pat", "kim", "ada")
    await house.ready_table("T1", "nz-division-9/1")
    dan = house.crew["dan"]
    steps: tuple[c.Action, ...] = (c.Tumble(3), c.OpenBets(), c.CloseBets(), c.Uncover((1, 2, 4)), c.Announce())
    for step in (*steps, c.Press(1), c.Press(2), c.Press(5), c.Enter()):
        await dan.do("T1", step)


async def asked(who: Session, action: c.Action = AMEND, name: str = "amend-1", **more: Any) -> dict[str, Any]:
    """Ask for a second person."""
    body = {"t": "do", "id": name, "do": to_builtins(action), "reason": REASON, **more}
    found: dict[str, Any] = await who.call("POST", "/api/tables/T1/requests", body)
    return found


async def answered(who: Session, request: str, approve: bool = True, password: str = PASSWORD) -> dict[str, Any]:
    """Answer a request."""
    body = {"approve": approve, "password": password, "note": "" if approve else "look again"}
    found: dict[str, Any] = await who.call("POST", f"/api/requests/{request}", body)
    return found


async def refused(work: Any, code: str) -> None:
    """Expect a refusal."""
    with pytest.raises(Refused) as found:
        await work
    assert found.value.code == code


def entry(house: Running) -> tuple[int, ...] | None:
    """What stands entered at the table."""
    return house.context.floor.tables["T1"].state.round.entered


@pytest.mark.clause("nz-division-9 §7.2")
@on_a_loop
async def test_a_request_is_approved_at_another_screen() -> None:
    """A supervisor sees what is to happen and approves it: the dealer's command, on their authority."""
    async with open_house() as house:
        await entered(house)
        dan, sue = house.crew["dan"], house.crew["sue"]
        card = await asked(dan)
        assert (card["fate"], card["do"], card["round"]) == ("waiting", {"do": "amend-entry", "dice": [1, 2, 4]}, 1)
        assert entry(house) == (1, 2, 5)
        (waiting,) = await sue.call("GET", "/api/requests")
        assert (waiting["id"], waiting["by"], waiting["reason"]) == (card["id"], "dan", REASON)
        done = await answered(sue, card["id"])
        assert (done["fate"], entry(house)) == ("approved", (1, 2, 4))
        assert await sue.call("GET", "/api/requests") == []
        state = house.context.floor.tables["T1"].state
        (record,) = await sue.call("GET", "/api/tables/T1/journal", query={"after": done["seq"] - 1})
        assert (record["by"], record["authorised_by"], record["reason"]) == ("dan", "sue", REASON)
        assert (record["command"], record["seq"]) == ("amend-1", state.seq)
        seen = await dan.call("GET", f"/api/tables/T1/requests/{card['id']}")
        assert (seen["fate"], seen["answered_by"], seen["seq"]) == ("approved", "sue", done["seq"])
        told = [event.what for _, event in read_house(house.context.floor.writer.journal)]
        assert RequestAnswered("T1", 1, "amend-entry", told[-1].asker, "approved", "") == told[-1]  # type: ignore[union-attr]


@on_a_loop
async def test_an_answer_counts_once() -> None:
    """A repeated answer changes nothing; neither does the dealer's own repeat, nor a request that was declined."""
    async with open_house() as house:
        await entered(house)
        dan, sue, pat = (house.crew[each] for each in ("dan", "sue", "pat"))
        card = await asked(dan)
        assert (await asked(dan))["id"] == card["id"]
        done = await answered(sue, card["id"])
        seq = house.context.floor.tables["T1"].state.seq
        again = await answered(sue, card["id"])
        assert (again["fate"], again["seq"]) == ("approved", done["seq"])
        await refused(answered(pat, card["id"]), "request-over")
        assert house.context.floor.tables["T1"].state.seq == seq
        second = await asked(dan, FIX, "fix-1")
        declined = await answered(sue, second["id"], approve=False)
        assert (declined["fate"], declined["note"]) == ("declined", "look again")
        await refused(answered(pat, second["id"]), "request-over")


@on_a_loop
async def test_nobody_approves_their_own_or_below_their_rank() -> None:
    """The asker, a dealer, an auditor, and a wrong password approve nothing; guesses are limited."""
    async with open_house() as house:
        await entered(house)
        dan, sue, pat = (house.crew[each] for each in ("dan", "sue", "pat"))
        card = await asked(dan)
        await refused(answered(dan, card["id"]), "not-allowed")
        await refused(answered(house.crew["ada"], card["id"]), "not-allowed")
        for _ in range(3):
            await refused(answered(sue, card["id"], password="not it"), "sign-in-refused")
        await refused(answered(sue, card["id"]), "too-fast")
        assert entry(house) == (1, 2, 5)
        assert (await answered(pat, card["id"]))["fate"] == "approved"


@on_a_loop
async def test_a_supervisor_does_not_approve_what_a_pit_manager_must() -> None:
    """Who may approve is what the action declares: limits need a pit manager, who is not the one who asks."""
    async with open_house() as house:
        await house.hire("dan", "sue", "pat")
        await house.ready_table("T1")
        sue, pat = house.crew["sue"], house.crew["pat"]
        wider = c.SetLimits(c.TableLimits(100, c.BoxLimit(100, 20_000)))
        card = await asked(sue, wider)
        assert card["roles"] == ["pit-manager", "shift-manager"]
        assert await sue.call("GET", "/api/requests") == []
        await refused(answered(sue, card["id"]), "sign-in-refused")
        mine = await asked(pat, wider, "limits-2")
        await refused(answered(pat, mine["id"]), "sign-in-refused")
        await refused(answered(sue, mine["id"]), "second-person-unfit")
        assert (await answered(pat, card["id"]))["fate"] == "approved"
        assert house.context.floor.tables["T1"].state.set_up.limits.default.max == 20_000  # type: ignore[union-attr]


@on_a_loop
async def test_a_request_dies_with_its_round_its_time_and_its_asker() -> None:
    """What was asked in one round is not carried out in the next, nor late, nor once its asker has gone."""
    clock, hand = quick_clock()
    async with open_house(clock=clock) as house:
        await entered(house)
        dan, sue, pat = (house.crew[each] for each in ("dan", "sue", "pat"))
        late = await asked(dan, FIX, "one")
        hand.now += LASTS_US
        await refused(answered(sue, late["id"]), "request-over")
        back = await asked(dan, FIX, "two")
        await dan.call("POST", f"/api/tables/T1/requests/{back['id']}/withdraw")
        await refused(answered(sue, back["id"]), "request-over")
        gone, old = await asked(dan, FIX, "three"), await asked(pat, FIX, "four")
        sessions = house.context.sessions
        await sessions.end(next(each.key for each in sessions.all() if each.who == "dan"), "left")
        await refused(answered(sue, gone["id"]), "request-over")
        await sue.do("T1", c.AmendEntry((1, 2, 4)), reason=REASON)
        for step in (c.Collect(), c.Tumble(3), c.OpenBets()):
            await pat.do("T1", step)
        await refused(answered(sue, old["id"]), "round-over")
        assert house.context.floor.tables["T1"].state.history[-1].dice == (1, 2, 4)


@on_a_loop
async def test_what_the_table_would_refuse_is_not_asked_for() -> None:
    """The asker hears at once what the table would say; nobody keeps more than a few requests open."""
    async with open_house() as house:
        await entered(house)
        dan = house.crew["dan"]
        await refused(asked(dan, c.AmendEntry((6, 6, 6))), "entry-wrong")
        await refused(asked(dan, reason=""), "reason-needed")
        await refused(asked(dan, c.Collect()), "entry-wrong")
        await refused(asked(dan, round=7), "round-over")
        for number in range(WAITING_MOST):
            await asked(dan, name=f"n{number}")
        await refused(asked(dan, name="more"), "too-fast")


@on_a_loop
async def test_a_preview_tells_and_does_nothing() -> None:
    """Before a settled round is reversed, the screen says who would get and owe what; nothing is recorded."""
    async with open_house() as house:
        await house.hire("dan", "sue")
        await house.ready_table("T1")
        dan, ann = house.crew["dan"], await house.seat("ann")
        await dan.do("T1", c.OpenBets())
        await ann.do("T1", c.PlaceBet("ann", "small", 1_000))
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
            await dan.do("T1", step)
        before = house.context.floor.tables["T1"].state
        path = "/api/tables/T1/preview"
        body = {"t": "do", "id": "p1", "do": to_builtins(c.Report(Fact.DAMAGED_DICE, "cracked", about=1))}
        told = await dan.call("POST", path, body)
        (reversed_round,) = [each for each in told if each["event"] == "round-reversed"]
        assert [(each["player"], each["taken"]) for each in reversed_round["lines"]] == [("ann", 1_000)]
        assert house.context.floor.tables["T1"].state is before
        await refused(dan.call("POST", path, {"t": "do", "id": "p2", "do": {"do": "collect"}}), "wrong-step")
        await refused(ann.call("POST", path, body), "not-allowed")


@on_a_loop
async def test_a_table_that_closes_short_raises_an_alert() -> None:
    """A closing count that differs from the books is an alert with the difference; one that agrees is none."""
    async with open_house() as house:
        await house.hire("dan", "sue")
        for name, missing in (("T1", 1), ("T2", 0)):
            await house.ready_table(name)
            await house.crew["sue"].do(name, c.CloseTable({100: 1_000 - missing, 500: 1_000}))
        found = [each for each in house.context.alerts.shown() if each.kind == "count-differs"]
        assert [(each.table, each.what, each.amount) for each in found] == [("T1", "short", -100)]
