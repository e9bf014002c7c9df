"""What tests of the HTTP side share: a browser that is signed in, and the one shape of errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.web.serving import PASSWORD, Running

ERROR = {"code", "sentence", "clauses", "allowed", "field", "values", "request"}
ELSEWHERE = "https://elsewhere.example"
JSON = {"content-type": "application/json"}


@asynccontextmanager
async def browser(running: Running, login: str = "dan", post: str = "dealer") -> AsyncIterator[httpx.AsyncClient]:
    """A browser in which somebody has signed in: it sends the cookie with every request."""
    async with httpx.AsyncClient(base_url=running.address) as http:
        answer = await http.post("/api/sign-in", json={"login": login, "password": PASSWORD, "post": post})
        http.headers["x-csrf-token"] = answer.json()["me"]["csrf"]
        http.headers["origin"] = running.address
        yield http


def one_shape(answer: httpx.Response) -> dict[str, Any]:
    """The error of an answer, which must have the shape of every error."""
    assert answer.headers["content-type"] == "application/json", answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == ERROR
    assert body["error"]["code"]
    assert body["error"]["sentence"]
    found: dict[str, Any] = body["error"]
    return found
