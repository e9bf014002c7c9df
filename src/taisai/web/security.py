"""Security of requests: origins, CSRF tokens, rates, headers.

Enters: the headers of a request. Leaves: whether it is accepted, and the headers of every answer. A browser attaches
cookies to requests that other sites cause, so whatever changes something must come from our own pages, signed in or
not, with a body that is declared as JSON; a request with a cookie carries the CSRF token of its session. Programs send
a bearer token, or no origin.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from taisai.bounds import CALLERS_KEPT
from taisai.floor.answers import HouseCode
from taisai.table.refusals import Refusal

COOKIE: Final = "taisai"
SEAT_COOKIE: Final = "taisai-at-"
CSRF_HEADER: Final = "x-csrf-token"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
"""Set on every answer: no inline script, nothing from other hosts, no framing."""


def seat_cookie(table: str) -> str:
    """The cookie of a seat: one for each table, so that a browser may play at several."""
    return SEAT_COOKIE + quote(table, safe="")


def is_own_origin(headers: Headers, allowed: tuple[str, ...]) -> bool:
    """Whether a request comes from our own pages: its origin is this host, or one that the settings allow."""
    origin = headers.get("origin")
    if origin is None:
        # Browsers send an origin with every socket and unsafe request; Sec-Fetch-Site covers those that do not.
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    return origin in allowed or urlsplit(origin).netloc == headers.get("host", "")


def from_elsewhere(method: str, headers: Headers, allowed: tuple[str, ...]) -> Refusal | None:
    """Why a request that changes something is refused as sent by another site's page; None when it is accepted."""
    if method in SAFE_METHODS or is_own_origin(headers, allowed):
        return None
    return Refusal(HouseCode.BAD_ORIGIN, "This came from another site.", field="Origin")


def not_json(headers: Headers) -> Refusal | None:
    """Why a body is refused: a form of another site can send any text, but not as JSON."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json":
        return None
    return Refusal(HouseCode.BAD_MESSAGE, "The body is JSON: say so.", allowed="application/json", field="Content-Type")


def forged(method: str, headers: Headers, csrf: str) -> Refusal | None:
    """Why a request with a cookie is refused as a possible forgery; None when it is accepted."""
    if method in SAFE_METHODS or hmac.compare_digest(headers.get(CSRF_HEADER, "").encode(), csrf.encode()):
        return None
    return Refusal(HouseCode.BAD_TOKEN, "The CSRF token of the session is missing or wrong.", field="X-CSRF-Token")


def bearer(headers: Mapping[str, str]) -> str | None:
    """The bearer token of a request."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token else None


def token_in(headers: Mapping[str, str]) -> str | None:
    """The token of a session that a request shows: as a bearer, or in its cookie."""
    return bearer(headers) or cookie_parser(headers.get("cookie", "")).get(COOKIE) or None


class Rates:
    """A token bucket for each address or person; the least recently seen are forgotten."""

    def __init__(self, per_second: float, burst: float, *, kept: int = CALLERS_KEPT) -> None:
        self._per_second, self._burst, self._kept = per_second, burst, kept
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, cost: float = 1) -> bool:
        """Take tokens; false when there are not so many left. A cost above the burst takes a full bucket."""
        cost = min(cost, self._burst)
        now = monotonic()
        left, since = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        ok = left >= cost
        self._left[who] = (left - cost if ok else left, now)
        if len(self._left) > self._kept:
            self._left.popitem(last=False)
        return ok

    def give_back(self, who: str) -> None:
        """Give back a token that was taken for something that turned out not to count."""
        left, since = self._left.get(who, (self._burst, monotonic()))
        self._left[who] = (min(self._burst, left + 1), since)
