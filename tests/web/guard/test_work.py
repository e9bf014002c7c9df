"""Nothing long runs on the event loop, whatever an endpoint is asked for; what follows from books is made once."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import httpx
import msgspec
import pytest
from starlette.types import Message

from taisai.books.citations import find_clause
from taisai.client import Refused, Session
from taisai.core.dice import roll_of
from taisai.felt import Felt, draw, draw_untitled
from taisai.floor.floor import Floor
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.web.api import proof, rules
from taisai.web.app import ENDPOINTS, App
from taisai.web.errors import Stop
from taisai.web.guard.work import Made, Queue, Work
from taisai.web.security import Rates
from tests.web.asking import one_shape
from tests.web.doors import BODIES, MAY, PATHS, QUERIES
from tests.web.serving import LIMITS, PASSWORD, Running, on_a_loop, open_house, shelf

LAYOUT: Final = "rws-tai-sai-v6/A"
CALLS_MAX: Final = 3_000
"""Calls of Python and C functions on the loop's thread for one request. A millisecond has about twice as many, and
counting them, unlike a stop-watch, gives the same on a loaded machine."""
BYTES_MAX: Final = 64 * 1024
"""Bytes of JSON that may be encoded on the loop: a C call, which the count cannot weigh."""
ENDING: Final = ("/api/sign-out", "/api/lock")
"""What ends a session is asked in one of its own."""
REFUSED: Final = ("POST /api/sign-in", "POST /api/one-time", "POST /api/me/password", "POST /api/seat")
"""What is asked with a wrong password, link or code, which costs the most."""
DAN: Final = Person("dan", Role.DEALER)
ALL_BOXES: Final = tuple(shelf().layout(LAYOUT).boxes)

COSTLY_BODIES: Final[dict[str, Any]] = BODIES | {
    "POST /api/books/{book}/layouts/{layout}/odds": {"bets": " ".join(f"{box}=100" for box in ALL_BOXES)},
    "POST /api/settle": {
        "layout": LAYOUT, "dice": [1, 3, 6], "limits": None,
        "bets": [{"player": f"p{n}", "box": box, "stake": 100} for n in range(20) for box in ALL_BOXES[:40]],
    },
    "POST /api/training/drill": {"layout": LAYOUT, "level": 4, "seed": "costly"},
    "POST /api/training/mark": {"layout": LAYOUT, "level": 4, "seed": "costly", "answers": {}},
    "POST /api/sign-in": {"login": "dan", "password": "wrong", "post": "dealer"},
}  # fmt: skip
COSTLY_QUERIES: Final[dict[str, dict[str, str]]] = QUERIES | {
    "GET /api/books/{book}/layouts/{layout}/felt.svg": {"heat": "true", "labels": "true", "dice": "6-6-6"},
    "GET /api/tables/{table}/rounds": {"count": "100"},
    "GET /api/me/rounds": {"count": "100"},
    "GET /api/tables/{table}/journal": {"count": "500"},
    "GET /api/report": {"by": "life", "form": "html"},
    "GET /api/house/events": {"count": "1000", "all": "true"},
    "GET /api/alerts": {"cleared": "true"},
}


async def play(floor: Floor, by: Person, actions: Iterable[c.Action], name: str) -> None:
    """Carry out commands one after the other; none may be refused."""
    for place, do in enumerate(actions):
        answer = await floor.do("T1", c.Command(id=f"{name}-{place}", at=floor.clock.now(), by=by, do=do))
        assert answer.refusal is None, answer.refusal


ROUND: Final = (c.CloseBets(), c.Tumble(3), c.Uncover((1, 5, 6)), c.Announce(), c.Collect(), c.PayAll())


@asynccontextmanager
async def full_table() -> AsyncIterator[tuple[Running, dict[str, Session]]]:
    """A table with 64 players, a history of a hundred rounds, and a bet of everybody on ten boxes."""
    async with open_house() as running:
        await running.hire("dan", "sue", "ada")
        await running.ready_table("T1", LAYOUT, limits=msgspec.structs.replace(LIMITS, default=c.BoxLimit(100, 10**9)))
        people = {**running.crew, "ann": await running.seat("ann", "T1")}
        floor, names, ann = running.context.floor, [f"p{n}" for n in range(63)], running.id_of("ann")
        await play(floor, DAN, (do for who in names for do in (c.SitDown(who), c.BringChips(who, 10_000))), "sit")
        for number in range(100):
            bets = [c.PlaceBet(who, "big", 100, c.How.CALL) for who in (ann, "p1", "p2")]
            await play(floor, DAN, (c.OpenBets(), *bets, *ROUND), f"r{number}")
        bets = [c.PlaceBet(who, box, 100, c.How.CALL) for who in (*names, ann) for box in ALL_BOXES[:10]]
        await play(floor, DAN, (c.OpenBets(), *bets), "now")
        yield running, people


async def counted(app: App, method: str, path: str, *, query: bytes, body: bytes, token: str) -> tuple[int, int, int]:
    """Serve one request; the status, the calls on this thread meanwhile, and the bytes of the answer."""
    calls, size, status, sent = 0, 0, 0, False

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal size, status
        status = message.get("status", status)
        size += len(message.get("body", b""))

    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    headers += [(b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query,
        "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "scheme": "http",
        "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        await app(scope, receive, send)
    finally:
        sys.setprofile(before)
    return status, calls, size


@on_a_loop
async def test_no_endpoint_keeps_the_loop_for_a_millisecond() -> None:
    """Every endpoint with its costliest parameters, before anything is kept; heavy work is done in other threads."""
    wrong = []
    async with full_table() as (running, people):
        app = App(running.context)
        for each in ENDPOINTS:
            name = f"{each.method} {each.path}"
            who = next(who for who in ("sue", "admin", "ann") if who in MAY[name])
            asker = people[who]
            if each.path in ENDING:
                asker = await running.client.sign_in("dan", PASSWORD, "dealer")
            status, calls, size = await counted(
                app,
                each.method,
                each.path.format(**PATHS),
                query=str(httpx.QueryParams(COSTLY_QUERIES.get(name, {}))).encode(),
                body=msgspec.json.encode(COSTLY_BODIES[name]) if name in COSTLY_BODIES else b"",
                token=asker.token,
            )
            assert status < 500, (name, status)
            assert status not in (401, 403) or name in REFUSED, (name, status)
            on_loop = asyncio.iscoroutinefunction(each.handler)
            if calls > CALLS_MAX or (on_loop and size > BYTES_MAX):
                wrong.append(f"{name}: {calls} calls, {size} bytes")
    assert wrong == []


@on_a_loop
async def test_what_follows_from_books_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same felt is drawn once for all callers, has a validator, and costs nothing to who has it already."""
    felt = f"/api/books/{LAYOUT.replace('/', '/layouts/')}/felt.svg?heat=true&labels=true"
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        drawn: list[str] = []

        def noted(*args: Any, **options: Any) -> Felt:
            drawn.append(threading.current_thread().name)
            return draw_untitled(*args, **options)

        monkeypatch.setattr(rules, "draw_untitled", noted)
        first, *others = await asyncio.gather(*(http.get(felt) for _ in range(20)))
        assert drawn == ["taisai-long_0"]
        assert {each.content for each in others} == {first.content}
        again = await http.get(felt, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


@on_a_loop
async def test_free_text_draws_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A title is put into a felt that is drawn once for all titles and all spellings of a roll, in a few calls."""
    felt, titles = f"/api/books/{LAYOUT.replace('/', '/layouts/')}/felt.svg", ("Table 7", "<b>&", "宝" * 80)
    drawn = []

    def noted(*args: Any, **options: Any) -> Felt:
        drawn.append(options)
        return draw_untitled(*args, **options)

    monkeypatch.setattr(rules, "draw_untitled", noted)
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        for dice in ("1-3-6", "1,3,6", "1, 3, 6", "136"):
            for title in titles:
                got = await http.get(felt, params={"title": title, "dice": dice, "labels": "true"})
                assert got.text == draw(shelf().layout(LAYOUT), title=title, roll=roll_of([1, 3, 6]), labels=True)
                again = await http.get(str(got.url), headers={"if-none-match": got.headers["etag"]})
                assert again.status_code == 304
        assert len(drawn) == 1
        query = str(httpx.QueryParams({"title": "W" * 80, "dice": "1 3 6", "labels": "true"})).encode()
        status, calls, _ = await counted(App(running.context), "GET", felt, query=query, body=b"", token="")
        assert (status, calls < 1_000) == (200, True), calls
        assert (await http.get(felt, params={"title": "W" * 81})).status_code == 400
        assert len(drawn) == 1


@on_a_loop
async def test_a_clause_is_found_once_however_its_number_is_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blanks, signs and capitals make nothing anew and drive nothing out."""
    found = []

    def noted(*args: Any) -> Any:
        found.append(args)
        return find_clause(*args)

    monkeypatch.setattr(rules, "find_clause", noted)
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        spellings = ("5.1.1", "§5.1.1", " § 5.1.1 ", "5.1.1" + "§" * 50)
        answers = [await http.get(f"/api/books/rws-tai-sai-v6/clauses/{quote(each)}") for each in spellings]
        assert {each.status_code for each in answers} == {200}
        assert len({each.content for each in answers}) == len(found) == 1


def felt(size: int) -> Made:
    """An answer of so many bytes."""
    return Made(b"x" * size, "image/svg+xml", f'"{size}"')


@on_a_loop
async def test_what_is_kept_is_bounded_in_bytes() -> None:
    """The least recently used answers are let go of; a failure is not kept, and is told to everybody who waits."""
    work = Work(kept_bytes=100)
    for size in (40, 41):
        await work.make(size, lambda size=size: felt(size))  # type: ignore[misc]
    assert work.kept(40)
    await work.make(42, lambda: felt(42))
    assert [work.kept(size) is not None for size in (40, 41, 42)] == [True, False, True]

    def fail() -> Made:
        raise ZeroDivisionError

    found = await asyncio.gather(work.make("x", fail), work.make("x", fail), return_exceptions=True)
    assert [type(each) for each in found] == [ZeroDivisionError] * 2
    assert work.kept("x") is None
    work.close()


@on_a_loop
async def test_a_crowd_of_strangers_is_refused_and_not_queued() -> None:
    """The public thread is one, and only so many wait for it; when it is free again, the next is served."""
    work, hold = Work(waiting_max=3), threading.Event()
    waiting = [asyncio.ensure_future(work.run(hold.wait)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Stop) as refused:
        await work.run(lambda: 1)
    assert refused.value.refusal.code == "too-many"
    hold.set()
    assert await asyncio.gather(*waiting) == [True] * 3
    assert await work.run(lambda: 2) == 2
    work.close()


@on_a_loop
async def test_strangers_players_and_staff_do_not_wait_for_one_another() -> None:
    """Long work of one kind of caller keeps no other waiting: each has a thread of its own."""
    work, hold = Work(waiting_max=3), threading.Event()
    held = [asyncio.ensure_future(work.run(hold.wait, each)) for each in (Queue.LONG, Queue.STAFF)]
    names = [await work.run(lambda: threading.current_thread().name, each) for each in (Queue.SHORT, Queue.PLAYERS)]
    assert names == ["taisai-short_0", "taisai-players_0"]
    hold.set()
    assert await asyncio.gather(*held) == [True, True]
    work.close()


@on_a_loop
async def test_receipts_are_made_in_the_players_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many a player asks for, they are made one after the other, and whoever asks for too many is slowed."""
    threads = set()

    def noted(*args: Any) -> bytes:
        threads.add(threading.current_thread().name)
        return make(*args)

    make = proof._receipt
    monkeypatch.setattr(proof, "_receipt", noted)
    async with open_house() as running:
        await running.ready_table("T1", LAYOUT)
        ann, dan = await running.seat("ann"), running.crew["dan"]
        seq = (await dan.journal("T1", kind="player-sat"))[-1]["seq"]
        for who in (ann, dan):
            await who.call("GET", f"/api/tables/T1/receipts/{seq}")
        assert threads == {"taisai-players_0", "taisai-staff_0"}
        running.context.rates = Rates(0, 12)
        found = await asyncio.gather(
            *(ann.call("GET", f"/api/tables/T1/receipts/{seq}") for _ in range(4)), return_exceptions=True
        )
        assert sum(isinstance(each, Exception) for each in found) == 2


@on_a_loop
async def test_verifying_the_program_costs_what_it_takes() -> None:
    """It reads every file of the package: whoever asks for it again and again is refused."""
    async with open_house() as running:
        await running.hire("dan")
        running.context.rates = Rates(0, 250)
        await running.crew["dan"].call("POST", "/api/house/verify")
        with pytest.raises(Refused, match="too-fast"):
            await running.crew["dan"].call("POST", "/api/house/verify")


@on_a_loop
async def test_a_rate_counts_what_a_request_costs() -> None:
    """Who asks for one costly thing after the other is slowed by its cost, what is kept costs one, and others go on."""
    felt = f"/api/books/{LAYOUT.replace('/', '/layouts/')}/felt.svg"
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        running.context.rates = Rates(0, 100)
        found = [await http.get(felt, params={"dice": f"1-1-{n}"}) for n in range(1, 5)]
        assert [each.status_code for each in found] == [200, 200, 429, 429]
        assert one_shape(found[-1])["code"] == "too-fast"
        assert (await http.get(felt, params={"dice": "1-1-1"})).status_code == 200
