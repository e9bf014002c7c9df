"""What guards requests: origins, tokens, cookies, rates, and the headers of every answer."""

from __future__ import annotations

import re
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from starlette.datastructures import Headers
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from taisai.settings.forms import Listen
from taisai.web import security
from taisai.web.app import ENDPOINTS
from taisai.web.security import SAFE_METHODS, Rates, bearer, forged, is_own_origin
from tests.web.asking import ELSEWHERE, browser, one_shape
from tests.web.serving import PASSWORD, on_a_loop, open_house, settings_for

HERE = "https://floor.example"


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({"origin": HERE, "host": "floor.example"}, True),
        ({"origin": ELSEWHERE, "host": "floor.example"}, False),
        ({"origin": "null", "host": "floor.example"}, False),
        ({"origin": "https://partner.example", "host": "floor.example"}, True),
        ({"origin": "https://floor.example:444", "host": "floor.example"}, False),
        ({"host": "floor.example"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
    ],
)
def test_an_origin_is_our_own_host_or_one_that_the_settings_allow(headers: dict[str, str], own: bool) -> None:
    """Without an origin the browser's Sec-Fetch-Site decides; a program sends neither."""
    assert is_own_origin(Headers(headers), ("https://partner.example",)) is own


@pytest.mark.parametrize(
    ("method", "headers", "code"),
    [
        ("GET", {}, None),
        ("POST", {"x-csrf-token": "wrong"}, "bad-token"),
        ("POST", {}, "bad-token"),
        ("POST", {"x-csrf-token": "right"}, None),
    ],
)
def test_a_request_with_a_cookie_must_prove_that_a_page_of_ours_sent_it(
    method: str, headers: dict[str, str], code: str | None
) -> None:
    """Anything but reading needs the token of the session."""
    refusal = forged(method, Headers(headers), "right")
    assert (None if refusal is None else refusal.code) == code


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), ("Bearer", None), ("", None)],
)
def test_a_program_shows_its_token(header: str, token: str | None) -> None:
    """Only a bearer token counts."""
    assert bearer(Headers({"authorization": header})) == token


def test_a_rate_has_a_burst_and_fills_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each address has a bucket of its own; the least recently seen are forgotten."""
    now = [0.0]
    monkeypatch.setattr(security, "monotonic", lambda: now[0])
    rates = Rates(2, 3, kept=2)
    assert [rates.take("a") for _ in range(4)] == [True, True, True, False]
    assert rates.take("b")
    now[0] = 1.0
    assert [rates.take("a") for _ in range(3)] == [True, True, False]
    rates.take("c")
    rates.take("d")
    assert [rates.take("a") for _ in range(4)] == [True, True, True, False]
    rates.give_back("a")
    assert [rates.take("a") for _ in range(2)] == [True, False]


@on_a_loop
async def test_another_site_changes_nothing_signed_in_or_not() -> None:
    """Nobody is signed in, seated or given a password by another site's form, nor by a body that is not JSON."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        await running.hire("dan")
        bodies = {
            "/api/sign-in": {"login": "dan", "password": PASSWORD, "post": "dealer"},
            "/api/seat": {"code": "AAAA-AAAA"},
            "/api/one-time": {"token": "x", "password": PASSWORD},
            "/api/settle": {"layout": "rws-tai-sai-v6/A", "dice": [1, 3, 6], "limits": None, "bets": []},
        }
        for path, body in bodies.items():
            for site in ({"origin": ELSEWHERE}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
                answer = await http.post(path, json=body, headers=site)
                assert (answer.status_code, one_shape(answer)["code"]) == (403, "bad-origin"), path
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
                answer = await http.post(path, content=msgspec.json.encode(body), headers={"content-type": kind})
                assert (answer.status_code, one_shape(answer)["field"]) == (400, "Content-Type"), path
                assert "set-cookie" not in answer.headers
        declared = {"content-type": "Application/JSON; charset=utf-8", "origin": running.address}
        answer = await http.post("/api/sign-in", content=msgspec.json.encode(bodies["/api/sign-in"]), headers=declared)
        assert answer.status_code == 200


def test_every_endpoint_that_changes_something_is_guarded() -> None:
    """Nothing is changed by a GET, and whatever takes a body goes through the one check of bodies."""
    unsafe = [each for each in ENDPOINTS if each.method not in SAFE_METHODS]
    assert len(unsafe) > 20
    assert not [each.path for each in ENDPOINTS if each.method in SAFE_METHODS and each.body is not None]


@on_a_loop
async def test_a_cookie_alone_does_nothing_unsafe() -> None:
    """A request that carries a cookie needs the session's CSRF token and our own origin; reading needs neither."""
    async with open_house() as running:
        await running.ready_table("T1")
        async with browser(running) as http:
            do = {"id": "x-1", "do": {"do": "open-bets"}}
            cases: list[tuple[dict[str, str], str]] = [
                ({"x-csrf-token": ""}, "bad-token"),
                ({"x-csrf-token": "guessed"}, "bad-token"),
                ({"origin": ELSEWHERE}, "bad-origin"),
                ({"origin": "null"}, "bad-origin"),
                ({"origin": running.address.replace("127.0.0.1", "127.0.0.2")}, "bad-origin"),
            ]
            for headers, code in cases:
                answer = await http.post("/api/tables/T1/commands", json=do, headers=headers)
                assert (answer.status_code, one_shape(answer)["code"]) == (403, code), headers
            del http.headers["origin"]
            answer = await http.post("/api/tables/T1/commands", json=do, headers={"sec-fetch-site": "cross-site"})
            assert one_shape(answer)["code"] == "bad-origin"
            assert (await http.get("/api/me", headers={"x-csrf-token": ""})).status_code == 200
            assert (await http.post("/api/tables/T1/commands", json=do)).status_code == 200


@on_a_loop
async def test_the_cookie_is_out_of_reach() -> None:
    """The session cookie is HttpOnly and SameSite=Strict, Secure when the house is reached over TLS, and expires."""
    for public_url, is_secure in (("", False), ("https://floor.example", True)):
        settings = replace(settings_for(), listen=Listen(port=0, public_url=public_url))
        async with open_house(settings) as running:
            await running.hire("dan")
            body = {"login": "dan", "password": PASSWORD, "post": "dealer"}
            async with httpx.AsyncClient(base_url=running.address) as http:
                answer = await http.post("/api/sign-in", json=body)
                parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
                assert {"httponly", "samesite=strict", "path=/"} <= parts
                assert ("secure" in parts) is is_secure
                assert ("strict-transport-security" in answer.headers) is is_secure
                bearer = {"authorization": f"Bearer {answer.json()['token']}"}
                over = await http.post("/api/sign-out", headers=bearer)
                assert "max-age=0" in over.headers["set-cookie"].lower()
                assert one_shape(await http.get("/api/me", headers=bearer))["code"] == "not-signed-in"


@on_a_loop
async def test_a_socket_from_another_site_is_refused() -> None:
    """A browser's socket must come from our own pages; a program shows its token and needs no origin."""
    async with open_house() as running:
        await running.ready_table("T1")
        url = f"ws{running.address.removeprefix('http')}/play/T1"
        async with browser(running) as http:
            cookie = {"cookie": f"taisai={http.cookies['taisai']}"}
        for headers in (cookie, {}):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, additional_headers=headers, origin=ELSEWHERE, proxy=None)  # type: ignore[arg-type]  # a NewType of str
            assert refused.value.response.status_code == 403
            assert msgspec.json.decode(refused.value.response.body or b"")["error"]["code"] == "bad-origin"
        origin: Any = running.address
        async with connect(url, additional_headers=cookie, origin=origin, proxy=None) as socket:
            assert msgspec.json.decode(await socket.recv())["you"]["id"] == "dan"
        token = {"authorization": f"Bearer {running.crew['sue'].token}"}
        other: Any = ELSEWHERE
        async with connect(url, additional_headers=token, origin=other, proxy=None) as socket:
            assert msgspec.json.decode(await socket.recv())["you"]["id"] == "sue"


@on_a_loop
async def test_every_answer_carries_the_policy() -> None:
    """Pages, files, the API and its errors: no inline script, nothing from elsewhere, no framing."""
    async with open_house() as running, httpx.AsyncClient(base_url=running.address) as http:
        home = (await http.get("/")).text
        linked = [path for path in re.findall(r'(?:href|src)="(/[^"#?]*)', home) if not path.startswith("//")]
        pages = ["/", "/docs", "/sign-in", "/welcome", "/play", "/board", "/openapi.json", "/api/floor", "/nothing"]
        for path in {*pages, "/healthz", "/metrics", "/api/me", *linked}:
            answer = await http.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers
            if answer.headers["content-type"].startswith("text/html"):
                assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|style=|https?://", answer.text), path
