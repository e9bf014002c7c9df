"""The crowd: strangers together have a share of the event loop, and whoever has a session is none of them."""

from __future__ import annotations

import pytest

from taisai.settings.forms import Listen
from taisai.web.addresses import Addresses
from taisai.web.app import App
from taisai.web.guard.connections import Connections
from taisai.web.guard.crowd import Crowd
from taisai.web.security import Rates
from tests.web.guard.test_connections import GET, LATE, Wire, guarded, socket_request
from tests.web.serving import on_a_loop, open_house, served_by


def test_addresses_share_a_budget_and_each_has_a_little_of_its_own() -> None:
    """A flood from some addresses uses up what all may take; another address is served all the same, a while."""
    crowd = Crowd(0, 10, 0, 3)
    assert [crowd.takes("flood") for _ in range(12)] == [True] * 10 + [False] * 2
    assert [crowd.takes("somebody else") for _ in range(5)] == [True] * 3 + [False] * 2
    assert crowd.refused == 4


def test_behind_a_proxy_each_client_counts_for_itself() -> None:
    """The address that the proxy has added is counted, not the proxy's."""
    crowd = Crowd(0, 1, 0, 1)
    assert crowd.takes("9.9.9.9")
    guard = Connections(Addresses(Listen(trusted_proxies=("10.0.0.1",)), 8), lambda _: False, crowd=crowd, **LATE)
    said = [{"x-forwarded-for": f"7.7.7.{last}"} for last in (1, 1, 2)]
    assert [guard.serves("10.0.0.1", headers, upgrades=False) for headers in said] == [True, False, True]


@on_a_loop
async def test_strangers_beyond_their_share_are_told_so_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer is 429 in the usual shape, the connection ends, and the application never hears of the request."""
    crowd = Crowd(0, 1, 0, 1)
    with served_by(guarded(**LATE, crowd=crowd)):
        async with open_house() as house:
            one, other = await Wire.to(house), await Wire.to(house)
            assert await one.ask() == 200

            async def never(*_: object) -> None:
                raise AssertionError("the application was asked")

            monkeypatch.setattr(App, "__call__", never)
            other.writer.write(GET)
            answer = await other.reader.read()  # to the end of the connection
            assert answer.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
            assert b"connection: close" in answer
            assert b'"code":"too-fast"' in answer.partition(b"\r\n\r\n")[2]
            assert await one.ask(socket_request()) == 429
            assert crowd.refused == 2
            for each in (one, other):
                await each.end()


@on_a_loop
async def test_who_has_a_session_is_no_stranger() -> None:
    """Players and staff get sockets though strangers have had their share; a token that nobody has is a stranger's."""
    async with open_house() as house:
        await house.ready_table()
        ann = await house.seat("ann")
        crowd = house.context.crowd
        crowd._all, crowd._each = Rates(0, 1), Rates(0, 1)
        assert crowd.takes("127.0.0.1")
        for token, status in ((ann.token, 101), (house.crew["dan"].token, 101), ("x" * 43, 429), ("", 429)):
            wire = await Wire.to(house)
            assert await wire.ask(socket_request(token)) == status
            await wire.end()
