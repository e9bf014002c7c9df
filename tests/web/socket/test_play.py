"""The play socket on both transports: messages that nobody should send, connections that end, repeats; play goes on."""

from __future__ import annotations

import asyncio
import contextlib
import socket as sockets
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from taisai.client import Refused, Session, merged
from taisai.core.rulebook import Fact
from taisai.floor.answers import Answer
from taisai.floor.live import LiveTable, Reply
from taisai.table import commands as c
from taisai.web.socket import subscriber as subscribers
from taisai.web.socket.plain import PlainTransport
from tests.web.servers import Serve, on_hypercorn
from tests.web.serving import ROOMY, Running, on_a_loop, served_by, settings_for
from tests.web.socket.clients import Raw, bet, betting, raw


@pytest.fixture(autouse=True, params=[None, on_hypercorn], ids=["direct", "plain"])
def _server(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run each test twice: as `taisai serve` does, and on a server that offers nothing but ASGI."""
    serve: Serve | None = request.param
    with served_by(serve):
        yield


def without_nulls(value: Any) -> Any:
    """A view as patches see it: null and absent are the same."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return value


async def goes_on(running: Running, who: Session) -> None:
    """The table still takes a bet."""
    before = (await running.client.look_at("T1")).seq
    async with who.table() as table:
        assert (await table.bet("big", 100)).seq > before


JUNK: dict[str, tuple[str | bytes, str, str]] = {
    "nothing": ("", "bad-message", ""),
    "words": ("open sesame", "bad-message", ""),
    "half a frame": ('{"t": "do", "id": "x1"', "bad-message", ""),
    "bytes": (b"\xff\xfe\x00\x01", "bad-message", ""),
    "a list": ("[1, 2, 3]", "bad-message", ""),
    "no kind": ("{}", "bad-message", ""),
    "an unknown kind": ('{"t": "become-dealer"}', "bad-message", "t"),
    "a server's kind": ('{"t": "done", "id": "x", "seq": 1}', "bad-message", "t"),
    "no id": ('{"t": "do", "do": {"do": "open-bets"}}', "bad-message", ""),
    "an empty id": ('{"t": "do", "id": "", "do": {"do": "open-bets"}}', "bad-message", "id"),
    "an id too long": ('{"t": "do", "id": "%s", "do": {"do": "open-bets"}}' % ("x" * 65), "bad-message", "id"),
    "an unknown action": ('{"t": "do", "id": "x", "do": {"do": "win"}}', "bad-message", "do.do"),
    "a field too many": ('{"t": "do", "id": "x", "do": {"do": "open-bets"}, "by": "sue"}', "bad-message", ""),
    "a negative bet": (msgspec.json.encode(bet("x", amount=-5)), "bad-message", "do.amount"),
    "a bet of half": ('{"t":"do","id":"x","do":{"do":"place-bet","player":"ann","box":"small","amount":0.5}}',
                      "bad-message", "do.amount"),
    "a name with a line": (msgspec.json.encode(bet("x", player="ann\n")), "bad-message", "do.player"),
    "deep lists": ("[" * 10_000, "bad-message", ""),
    "deep in a field": ('{"t":"do","id":"x","do":' + '{"do":' * 2_000 + "1" + "}" * 2_001, "bad-message", ""),
    "oversize": (msgspec.json.encode({"t": "ping", "n": 1, "x": "y" * 20_000}), "too-large", ""),
}  # fmt: skip


@on_a_loop
async def test_junk_is_refused_with_a_reason() -> None:
    """A message that cannot be read is refused with a reason, and the next one is served."""
    async with betting() as (running, ann, _):
        for n, (what, (frame, code, field)) in enumerate(JUNK.items()):
            async with raw(running, "T1", ann) as mine:
                found = await mine.refused(frame)
                assert (what, found["code"]) == (what, code)
                assert set(found) == {"t", "id", "code", "sentence", "clauses", "allowed", "field", "values"}
                assert found["sentence"], what
                assert found["field"] == field or not field, what
                await mine.send(bet(f"good-{n}"))
                assert (await mine.next("done"))["id"] == f"good-{n}"


@on_a_loop
async def test_the_id_of_a_wrong_frame_comes_back() -> None:
    """A refusal names the command that it answers, even if the rest of it cannot be read."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        found = await mine.refused({"t": "do", "id": "mine-9", "do": {"do": "win"}})
        assert found["id"] == "mine-9"


@on_a_loop
async def test_a_client_that_keeps_on_is_dropped() -> None:
    """After twenty messages that cannot be read the connection is closed; the table goes on."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(*["junk"] * 21)
            frames, code = await mine.until_end()
            assert code == 1008
            assert [frame["t"] for frame in frames].count("refused") == 21
        await goes_on(running, bob)


@on_a_loop
async def test_a_huge_frame_ends_the_connection() -> None:
    """A message far over the limit is not passed on at all."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            with contextlib.suppress(ConnectionClosed):
                await mine.send("x" * 70_000)
            assert (await mine.until_end())[1] in (1009, None)
        await goes_on(running, bob)


@on_a_loop
async def test_a_flood_is_refused_and_then_dropped() -> None:
    """Messages over the rate are refused; a client that keeps on is dropped, and others play on."""
    limits = replace(ROOMY, commands_per_second=1, commands_burst=30)
    async with betting(settings_for(limits=limits)) as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(*[bet(f"flood-{n}") for n in range(51)])
            answers, code = await mine.until_end()
            assert code == 1008
        codes = [each["code"] for each in answers if each["t"] == "refused"]
        assert codes.count("too-fast") >= 20
        await goes_on(running, bob)
        crew = (await running.crew["dan"].crew("T1"))["crew"]
        assert crew["funds"]["ann"] >= 20_000 - 31 * 100


@on_a_loop
async def test_a_watch_counts_for_what_it_asks() -> None:
    """A hundred frames of a few bytes, from somebody who only watches, bring a handful of snapshots and an end."""
    limits = replace(ROOMY, commands_per_second=1, commands_burst=100)
    async with betting(settings_for(limits=limits)) as (running, _, bob):
        async with raw(running, "T1", None) as mine:
            await mine.send(*[{"t": "watch"} for _ in range(100)])
            answers, code = await mine.until_end()
        assert code == 1008
        assert sum(each["t"] == "snapshot" for each in answers) <= 5
        await goes_on(running, bob)


@on_a_loop
async def test_wrong_order_is_refused_by_the_book() -> None:
    """A dealer's steps out of order are refused, and nothing is recorded."""
    async with betting() as (running, _, _bob):
        async with raw(running, "T1", running.crew["dan"]) as dealer:
            before = (await running.client.look_at("T1")).seq
            for step in (
                {"do": "uncover", "dice": [1, 2, 3]},
                {"do": "announce"},
                {"do": "collect"},
                {"do": "pay-all"},
                {"do": "open-bets"},
            ):
                found = await dealer.refused({"t": "do", "id": f"early-{step['do']}", "do": step})
                assert found["code"] in {"wrong-step", "round-in-play"}, found
        assert (await running.client.look_at("T1")).seq == before


@on_a_loop
async def test_nobody_moves_another_seats_chips() -> None:
    """A player bets, withdraws and leaves for themselves only: a command that names another player is refused."""
    async with betting() as (running, ann, bob):
        async with ann.table() as table:
            await table.bet("small", 500)
        async with raw(running, "T1", bob) as thief:
            for n, do in enumerate(
                (
                    {"do": "place-bet", "player": "ann", "box": "small", "amount": 100},
                    {"do": "withdraw-bet", "player": "ann", "box": "small"},
                    {"do": "leave-table", "player": "ann"},
                    {"do": "cash-out", "player": "bob", "amount": 100},
                    {"do": "buy-in", "player": "bob", "amount": 100_000},
                    {"do": "close-bets"},
                    {"do": "walk-away", "player": "ann"},
                )
            ):
                found = await thief.refused({"t": "do", "id": f"theft-{n}", "do": do})
                assert found["code"] == "not-yours-to-do", found
        now = await running.client.look_at("T1")
        assert now.view["stakes"] == {"ann": {"small": 500}}


@on_a_loop
async def test_a_seat_is_good_for_one_table() -> None:
    """At another table a player only watches, and so does staff without a post there."""
    async with betting() as (running, ann, _):
        await running.ready_table("T2")
        await running.crew["dan"].do("T2", c.OpenBets())
        await running.hire("kim", tables=("T1",))
        for who, do in ((ann, bet("x-1")), (running.crew["kim"], {"t": "do", "id": "x-2", "do": {"do": "close-bets"}})):
            async with raw(running, "T2", who) as socket:
                assert (await socket.next("hello"))["you"] is None
                assert (await socket.refused(do))["code"] == "not-here"
        async with raw(running, "T2", None) as socket:
            assert (await socket.refused(bet("x-3")))["code"] == "not-signed-in"
        view = (await running.client.look_at("T2")).view
        assert view["stakes"] == {}
        assert view["round"]["phase"] == "betting"


@on_a_loop
async def test_a_repeated_id_is_answered_and_done_once() -> None:
    """The same id again gives the first answer, marked as repeated; the same id from another person is another bet."""
    async with betting() as (running, ann, bob):
        async with raw(running, "T1", ann) as mine:
            await mine.send(bet("once"))
            first = await mine.next("done")
            assert not first["repeated"]
            await mine.send(bet("once"), bet("once"))
            for _ in range(2):
                again = await mine.next("done")
                assert (again["seq"], again["repeated"]) == (first["seq"], True)
        async with raw(running, "T1", bob) as other:
            for repeated in (False, True):
                await other.send(bet("once", player="bob"))
                done = await other.next("done")
                assert (done["id"], done["seq"], done["repeated"]) == ("once", first["seq"] + 1, repeated)
            assert (await other.refused(bet("house:auto-000000000099-tumble", player="bob")))["code"] == "bad-message"
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 100}, "bob": {"small": 100}}


@on_a_loop
async def test_repeats_that_come_together_are_done_once() -> None:
    """The same bet sent five times before the first is on disk is one bet with five answers."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        await mine.send(*[bet("twin")] * 5)
        answers = [await mine.next("done") for _ in range(5)]
        assert [each["repeated"] for each in answers].count(False) == 1
        assert len({each["seq"] for each in answers}) == 1
        assert (await running.client.look_at("T1")).view["stakes"] == {"ann": {"small": 100}}


@on_a_loop
async def test_a_disconnect_cancels_no_bet() -> None:
    """A lost connection changes nothing: the bet stands, is settled and paid."""
    async with betting() as (running, ann, _):
        async with ann.table() as table:
            await table.bet("small", 500)
            table._socket.transport.abort()  # type: ignore[union-attr]  # there is one: a bet was just answered
        dan = running.crew["dan"]
        for step in (c.CloseBets(), c.Tumble(3), c.Uncover((1, 2, 4)), c.Announce(), c.Collect(), c.PayAll()):
            await dan.do("T1", step)
        async with ann.table() as table:
            async for _ in table:
                if table.funds:
                    break
            assert table.funds == 20_500


@on_a_loop
async def test_a_reconnect_gets_exactly_what_it_missed() -> None:
    """After `after` come the changes since, in order and without a gap, and they add up to the current view."""
    async with betting() as (running, ann, bob), raw(running, "T1", bob) as watcher:
        async with raw(running, "T1", ann) as first:
            view = (await first.next("snapshot"))["view"]
            seen = (await running.client.look_at("T1")).seq
        async with bob.table() as table:
            for box in ("big", "total:9", "single:3"):
                await table.bet(box, 100)
        last = (await running.client.look_at("T1")).seq
        assert last == seen + 3
        await watcher.until_pong()
        async with raw(running, "T1", ann, after=seen) as again:
            frames = await again.until_pong()
        assert "snapshot" not in [frame["t"] for frame in frames]
        at = seen
        for change in (frame for frame in frames if frame["t"] == "change"):
            assert change["after"] == at
            at = change["seq"]
            view = merged(view, change["patch"])
        assert at == last
        today = (await running.client.look_at("T1")).view
        assert without_nulls(view) == without_nulls(today)


@on_a_loop
async def test_a_reconnect_from_nowhere_gets_a_snapshot() -> None:
    """A seq from which the house cannot continue is answered with a snapshot."""
    async with betting() as (running, ann, _):
        for after in ("0", "3", "999999", "-1", "x", "9" * 30):
            async with raw(running, "T1", ann, after=after) as mine:
                assert (await mine.next("snapshot", "change"))["t"] == "snapshot", after


@on_a_loop
async def test_watch_begins_again() -> None:
    """A client that has lost track asks for a snapshot on the same connection."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as mine:
        seq = (await mine.next("snapshot"))["seq"]
        await mine.send({"t": "watch"})
        assert (await mine.next("snapshot"))["seq"] == seq
        await mine.send({"t": "watch", "after": seq})
        assert [each["t"] for each in await mine.until_pong()] == ["seat", "seat"]


@on_a_loop
async def test_a_client_that_never_reads_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real socket asks for much and reads nothing: others bet as before, and it is dropped."""
    monkeypatch.setattr(subscribers, "BEHIND_S", 0.3)
    async with betting() as (running, ann, bob):
        where = urlsplit(running.address)
        silent = sockets.socket()
        silent.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        silent.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(silent, (where.hostname, where.port))
        url = f"ws://{where.netloc}/play/T1"
        headers = {"authorization": f"Bearer {ann.token}"}
        socket = await connect(url, sock=silent, additional_headers=headers, compression=None, max_queue=1)
        feed = running.context.feed("T1")
        async with bob.table() as play:
            (subscriber,) = [each for each in feed._subscribers if each.player == running.id_of("ann")]
            transport = subscriber._transport
            for _ in range(200):
                for _ in range(20):
                    await socket.send('{"t":"watch"}')
                await play.bet("big", 100) if play.funds > 15_000 else await play.withdraw("big")
                if transport.is_full:
                    break
            assert transport.is_full, "its buffers never filled"
            for _ in range(20):
                await asyncio.wait_for(play.bet("total:9", 100), 5)
            while not subscriber.closed or subscriber in feed._subscribers:
                await play.ping()
            _, code = await Raw(socket).until_end()
            assert code is None or type(transport) is PlainTransport  # ASGI cannot reset a connection
            await play.bet("total:9", 100)


@on_a_loop
async def test_the_client_repeats_after_a_lost_connection() -> None:
    """Connections are cut while bets are on their way: each bet is placed once, and the view is the house's."""
    async with betting() as (running, ann, _), ann.table() as table:
        made = 0
        for n in range(30):
            asked = asyncio.create_task(table.do(c.PlaceBet("ann", "small", 100)))
            if n % 3 == 0:
                await table.drop()
            await asked
            made += 100
        assert table.connections > 3
        last = (await running.client.look_at("T1")).seq
        await table.until_seq(last)
        assert table.stakes == {"small": made}
        with pytest.raises(Refused, match="over-maximum"):
            await table.bet("small", 10_000)


TO_THE_NEXT_ROUND: tuple[c.Action, ...] = (
    c.CloseBets(), c.Tumble(3), c.Uncover((1, 5, 6)), c.Announce(), c.Collect(), c.OpenBets()
)  # fmt: skip


@on_a_loop
async def test_a_command_for_one_round_is_not_carried_out_in_another() -> None:
    """A late bet is refused, a late fact is on record and voids nothing; an id that was carried out gets its answer."""
    async with betting() as (running, ann, _), raw(running, "T1", ann) as late:
        dan = running.crew["dan"]
        first = (await running.client.look_at("T1")).view["round"]["number"]
        await late.send({**bet("c1"), "round": first})
        stood = await late.next("done")
        for do in TO_THE_NEXT_ROUND:
            await dan.do("T1", do, of_round=first)
        assert (await late.refused({**bet("c2"), "round": first}))["code"] == "round-over"
        with pytest.raises(Refused, match="round-over: This was meant for round 1; the table has round 2"):
            await dan.do("T1", c.CloseBets(), of_round=first)
        await dan.do("T1", c.Report(Fact.NOT_FLAT), of_round=first)
        assert running.context.floor.tables["T1"].state.round.number == first + 1
        await late.send({**bet("c1"), "round": first})
        assert (await late.next("done"))["seq"] == stood["seq"]
        await late.send({**bet("c2"), "round": first + 1})
        assert not (await late.next("done"))["repeated"]


@on_a_loop
async def test_a_repeated_bet_belongs_to_the_round_in_which_it_was_made() -> None:
    """A bet that was lost and is sent again in the next round is refused there."""
    async with betting() as (running, ann, _), ann.table() as table:
        socket, table._socket = table._socket, None  # nothing can be sent on it any more
        assert socket is not None
        asked = asyncio.create_task(table.bet("small", 100))
        while not table._asked:
            await asyncio.sleep(0)
        dan = running.crew["dan"]
        for do in TO_THE_NEXT_ROUND:
            await dan.do("T1", do)
        socket.transport.abort()
        with pytest.raises(Refused, match="round-over"):
            await asked
        assert (await running.client.look_at("T1")).view["stakes"] == {}


@on_a_loop
async def test_chips_are_not_told_from_a_state_that_is_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another node carried the bet out and this one has not read it: the answer tells no chips, instead of old ones."""
    async with betting() as (running, ann, _bob):
        floor = running.context.floor

        def elsewhere(table: LiveTable, _command: c.Command, reply: Reply) -> None:
            reply(Answer(table.state.seq + 1))

        async with raw(running, "T1", ann) as wire:
            monkeypatch.setattr(floor, "submit", elsewhere)
            await wire.send(bet("b1"))
            assert (await wire.next("done")).get("funds") is None
            monkeypatch.setattr(floor, "submit", lambda table, _command, reply: reply(Answer(table.state.seq)))
            await wire.send(bet("b2"))
            assert (await wire.next("done"))["funds"] > 0
