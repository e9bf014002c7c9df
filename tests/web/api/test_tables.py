"""Tables over the API: nobody sees another player's balance, commands, new tables, the rounds of a player."""

from __future__ import annotations

import re

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from taisai.client import Refused, Table
from taisai.protocol.answers import CarriedOut
from taisai.table import commands as c
from taisai.table.state import PastRound
from taisai.web.api.tables import rounds_per_hour
from taisai.web.app import ENDPOINTS
from tests.web.asking import one_shape
from tests.web.doors import PATHS
from tests.web.serving import Running, on_a_loop, open_house, set_up_of, settings_for
from tests.web.socket.clients import raw


def numbers_in(text: str) -> set[int]:
    """Every whole number in a text."""
    return {int(found) for found in re.findall(r"(?<![\w.-])\d{5,12}(?![\w.])", text)}


async def play_a_round(running: Running, ann: Table) -> None:
    """A round that ann wins, then one that ann loses; then ann cashes some chips."""
    dan, sue = running.crew["dan"], running.crew["sue"]
    for dice, end in (((1, 2, 4), "paid"), ((6, 6, 5), "lost")):
        await dan.do("T1", c.OpenBets())
        await ann.bet("small", 1_100)
        await ann.bet("total:7", 100)
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover(dice), c.Announce(), c.Collect()):
            await dan.do("T1", step)
        if end == "paid":
            await dan.do("T1", c.PayAll())
    await dan.do("T1", c.CashOut("ann", 12_300))
    await sue.do("T1", c.OpenDispute("D-1", "ann", 1, "none"))


@on_a_loop
async def test_nobody_sees_another_players_balance() -> None:
    """No endpoint and no frame shows another player or an observer how many chips ann holds."""
    async with open_house() as running:
        await running.ready_table("T1", colours={"red": c.ColourSet(5_000)})
        ann, bob = await running.seat("ann", buy_in=432_100), await running.seat("bob")
        secrets: set[int] = {432_100, 54_300}
        floor, person = running.context.floor, running.id_of("ann")
        floor.listen(lambda table, _events: secrets.add(table.state.funds(person)))
        heard: list[str] = []
        async with raw(running, "T1", bob) as as_bob, raw(running, "T1", None) as as_nobody:
            async with ann.table() as table:
                await running.crew["dan"].do("T1", c.TakeColour("ann", "red", 100, 54_300))
                await play_a_round(running, table)
                await running.crew["dan"].do("T1", c.TurnInColour("ann"))
                shown = numbers_in(str(await ann.my_rounds()))
                await table.do(c.LeaveTable("ann"))
                await table.until_seq(floor.tables["T1"].state.seq)
            for socket in (as_bob, as_nobody):
                heard += [str(frame) for frame in await socket.until_pong()]
        assert any("'change'" in frame for frame in heard)
        async with httpx.AsyncClient(base_url=running.address) as http:
            for who in (bob, None):
                headers = {} if who is None else {"authorization": f"Bearer {who.token}"}
                for each in ENDPOINTS:
                    if each.method == "GET":
                        answer = await http.get(each.path.format(**PATHS), headers=headers)
                        heard.append(answer.text)
        assert len(secrets) > 4
        told = {found for text in heard for found in numbers_in(text)}
        assert told & (secrets - {0}) == set()
        shown |= numbers_in(str(await running.crew["dan"].journal("T1")))
        assert shown & secrets, "the figures looked for are not what the program writes"


@on_a_loop
async def test_a_player_sees_their_own_rounds_explained() -> None:
    """A player's rounds come with their funds before and after, the reasons and the clauses; nobody else gets them."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann, bob = await running.seat("ann"), await running.seat("bob")
        async with ann.table() as table:
            await play_a_round(running, table)
        lost, won = await ann.my_rounds()
        assert (won["funds_before"], won["funds_after"]) == (20_000, 22_300)
        assert (lost["funds_before"], lost["funds_after"]) == (22_300, 21_100)
        assert all(line["why"] and line["clauses"] for line in won["lines"] + lost["lines"])
        assert await bob.my_rounds() == []


@on_a_loop
async def test_a_command_over_http_is_done_once() -> None:
    """The same id again gives the first answer with its events, marked as repeated."""
    async with open_house() as running:
        await running.ready_table("T1")
        dan = running.crew["dan"]
        first = await dan.do("T1", c.OpenBets(), command_id="open-1")
        again = await dan.do("T1", c.OpenBets(), command_id="open-1")
        assert (first.repeated, again.repeated) == (False, True)
        assert (first.seq, first.events, first.told) == (again.seq, again.events, again.told)
        assert isinstance(again, CarriedOut)


@on_a_loop
async def test_a_table_is_opened_under_a_new_name() -> None:
    """A name that is taken is refused; a set-up that the book refuses leaves no table behind."""
    async with open_house() as running:
        await running.ready_table("T1")
        sue = running.crew["sue"]
        async with httpx.AsyncClient(base_url=running.address) as http:
            headers = {"authorization": f"Bearer {sue.token}"}
            taken = {"table": "T1", "set_up": msgspec.to_builtins(set_up_of("rws-tai-sai-v6/A"), str_keys=True)}
            answer = await http.post("/api/tables", json=taken, headers=headers)
            assert (answer.status_code, one_shape(answer)["field"]) == (403, "table")
            wrong = {**taken, "table": "T9", "set_up": {**taken["set_up"], "digest": "0" * 64}}
            answer = await http.post("/api/tables", json=wrong, headers=headers)
            assert (answer.status_code, one_shape(answer)["code"]) == (409, "wrong-book")
        assert [card.table for card in (await running.client.floor()).tables] == ["T1"]


@on_a_loop
async def test_a_player_sets_no_table_up(caplog: pytest.LogCaptureFixture) -> None:
    """A player's set-up, with a book that nobody has too, is refused over HTTP and socket; nothing appears or fails."""
    async with open_house() as running:
        await running.ready_table("T1")
        ann = await running.seat("ann")
        seq = running.context.floor.tables["T1"].state.seq
        fields = msgspec.to_builtins(set_up_of("rws-tai-sai-v6/A"), str_keys=True)
        changes: tuple[dict[str, str], ...] = ({}, {"book": "no-such-book"}, {"book": "../../etc", "layout": "x"})
        wrong = [{**fields, **change} for change in changes]
        async with (
            httpx.AsyncClient(base_url=running.address, headers={"authorization": f"Bearer {ann.token}"}) as http,
            raw(running, "T1", ann) as socket,
        ):
            for number, do in enumerate(wrong):
                command = {"id": f"s{number}", "do": do}
                answer = await http.post("/api/tables/T1/commands", json=command)
                status, code = ((409, "not-yours-to-do"), (409, "wrong-book"), (400, "bad-message"))[number]
                assert (answer.status_code, one_shape(answer)["code"]) == (status, code)
                told = await socket.refused({"t": "do", **command, "id": f"w{number}"})
                assert told["code"] == code
                assert (await http.post("/api/tables/T9/commands", json=command)).status_code == 404
                new = {"table": "T9", "set_up": do}
                answer = await http.post("/api/tables", json=new)
                assert answer.status_code == 403, answer.text
            answer = await http.post(
                "/api/tables", json={"table": "T9", "set_up": wrong[1]},
                headers={"authorization": f"Bearer {running.crew['sue'].token}"},
            )  # fmt: skip
            assert answer.status_code < 500, answer.text
            assert one_shape(answer)["code"]
        assert [card.table for card in (await running.client.floor()).tables] == ["T1"]
        assert list(running.context.floor.tables) == ["T1"]
        assert running.context.floor.tables["T1"].state.seq == seq
    assert [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"] == []


@on_a_loop
async def test_a_set_up_that_is_sent_again_gets_its_first_answer() -> None:
    """Whoever lost the answer sends the same id: nothing is done twice; with another id the name is taken."""
    async with open_house() as running:
        await running.hire("sue", "pat")
        sue, set_up = running.crew["sue"], set_up_of("rws-tai-sai-v6/A")
        first = await sue.put_up("T1", set_up, command_id="my-set-up")
        again = await sue.put_up("T1", set_up, command_id="my-set-up")
        assert (again.seq, again.repeated, again.events) == (first.seq, True, first.events)
        for who, command_id in (("sue", "another"), ("pat", "my-set-up")):
            with pytest.raises(Refused) as refused:
                await running.crew[who].put_up("T1", set_up, command_id=command_id)
            assert (refused.value.code, refused.value.field) == ("not-allowed", "table")
        assert running.context.floor.tables["T1"].state.seq == first.seq


@on_a_loop
async def test_a_journal_is_read_with_filters() -> None:
    """Records come after a seq, or the last so many, of a kind or by a person, each with its sentences and hash."""
    async with open_house() as running:
        await running.ready_table("T1")
        await running.seat("ann")
        dan = running.crew["dan"]
        everything = await dan.journal("T1", count=500)
        assert [each["seq"] for each in everything] == list(range(1, len(everything) + 1))
        assert all(each["told"] and len(each["hash"]) == 64 for each in everything)
        assert [each["seq"] for each in await dan.journal("T1", after=3, count=2)] == [4, 5]
        assert await dan.journal("T1", last=2) == everything[-2:]
        assert {each["kind"] for each in await dan.journal("T1", kind="bought-in")} == {"bought-in"}
        assert {each["by"] for each in await dan.journal("T1", by="sue")} == {"sue"}


@on_a_loop
async def test_rounds_are_counted_by_the_hour() -> None:
    """Two rounds, half an hour apart, are two an hour; older ones do not count, and a single one says nothing."""
    async with open_house() as running:
        await running.ready_table("T1")
        state = running.context.floor.tables["T1"].state
        past = PastRound(1, 0, 0, None, "", "", (), {}, {}, "", "", "", None, {})
        half, now = 1_800_000_000, 3_600_000_000
        for ends, found in (((), None), ((1,), None), ((1, 1 + half), 2), ((0, 1, 1 + half), 2)):
            history = tuple(replace(past, ended_at=end) for end in ends)
            assert rounds_per_hour(replace(state, history=history), now) == found


@on_a_loop
async def test_guests_find_a_table_by_its_code() -> None:
    """A demo floor with an address gives it as text and as a QR code of each table; any other floor has none."""
    settings = settings_for(demo=True)
    with_address = replace(settings, listen=replace(settings.listen, public_url="http://192.168.1.20:8000"))
    async with open_house(with_address) as running:
        floor = await running.client.floor()
        assert (floor.join, floor.guest_chips) == ("http://192.168.1.20:8000", settings.demo.guest_chips)
        code = await running.client.call("GET", "/api/tables/TS-C/join.svg")
        assert code.startswith("<svg")
        with pytest.raises(Refused, match="no-such-table"):
            await running.client.call("GET", "/api/tables/nowhere/join.svg")
    async with open_house() as running:
        await running.ready_table()
        floor = await running.client.floor()
        assert (floor.join, floor.guest_chips) == ("", 0)
        with pytest.raises(Refused, match="not-found"):
            await running.client.call("GET", "/api/tables/T1/join.svg")
