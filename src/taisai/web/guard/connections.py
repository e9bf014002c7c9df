"""Connections: how many there are, from where, and how long one may be silent.

Enters: connections of any client. Leaves: HTTP as uvicorn serves it, with a deadline for every header, body and answer,
a cap for each address, and a reserve. When all places are taken, the connection that has waited longest without a
request makes way; where none waits, the reserve is left: there a stranger is served single requests and may be
dropped for the next who comes, and staff, who show their session with the first request, keep their place. So slow
senders, slow readers and crowds hold connections for seconds, and shut nobody out. Requests of strangers beyond what
they may take of the loop together (`crowd`) are answered before anything is made of them, and their connection ends.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

from taisai.bounds import RESERVED_FOR_STAFF
from taisai.web.addresses import Addresses
from taisai.web.errors import TOO_FAST, error_response
from taisai.web.guard.crowd import Crowd

HEADERS_S: Final = 10.0
"""How long a new connection has for the whole of its first headers."""
IDLE_S: Final = 30.0
"""How long a connection is kept for its next request, headers included, and for taking the last answer."""
OWN_DESCRIPTORS: Final = 128
"""Descriptors of the program's own: journal, log, the other nodes, whoever is being turned away."""
DESCRIPTORS_MAX: Final = 65_536
HANDSHAKE_COST: Final = 5
"""What a socket takes of the strangers' budget, beside one for a request."""


def _turned_away() -> bytes:
    """The whole answer to a stranger who is not served."""
    refused = error_response(TOO_FAST)
    head = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close"
    return f"{head}\r\ncontent-length: {len(refused.body)}\r\n\r\n".encode() + bytes(refused.body)


TURNED_AWAY: Final = _turned_away()


class Connections:
    """All connections of a server, by address, and those that may be dropped for others."""

    def __init__(
        self,
        addresses: Addresses,
        is_staff: Callable[[Mapping[str, str]], bool],
        *,
        most: int,
        of_address: int,
        reserve: int = RESERVED_FOR_STAFF,
        headers_s: float = HEADERS_S,
        idle_s: float = IDLE_S,
        crowd: Crowd | None = None,
        is_known: Callable[[Mapping[str, str]], bool] | None = None,
    ) -> None:
        """`is_staff` and `is_known` say whose session headers show; without a crowd, everybody is served."""
        self._addresses, self.is_staff = addresses, is_staff
        self._crowd, self._is_known = crowd, is_known or is_staff
        self._most, self._of_address, self._reserved = most, of_address, reserve
        self.headers_s, self.idle_s = headers_s, idle_s
        self._open: dict[GuardedHttp, str] = {}
        """Every connection, with the group of addresses that it counts for; "" for those of a proxy."""
        self._of_group: Counter[str] = Counter()
        self._waiting: OrderedDict[GuardedHttp, None] = OrderedDict()
        """Those without a request, longest first."""
        self._waiting_of: dict[str, OrderedDict[GuardedHttp, None]] = {}
        self._reserve: OrderedDict[GuardedHttp, None] = OrderedDict()
        """Strangers who came when all places were taken."""

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, who: GuardedHttp, peer: str) -> None:
        """Take a connection in; another, that waits or is a stranger in the reserve, may be dropped for it."""
        group = self._addresses.counted_as(peer)
        of_group = self._waiting_of.get(group)
        if group and self._of_group[group] >= self._of_address:
            self._make_way(who, next(iter(of_group)) if of_group else None)
        elif len(self._open) - len(self._reserve) >= self._most:
            self._make_way(who, next(iter(self._waiting), None))
        self._open[who] = group
        self._of_group[group] += 1
        self.waits(who)

    def _make_way(self, who: GuardedHttp, waiting: GuardedHttp | None) -> None:
        if waiting is None:
            self._reserve[who] = None
            waiting = next(iter(self._reserve)) if len(self._reserve) > self._reserved else None
        if waiting is not None:
            self.left(waiting)
            waiting.drop()

    def waits(self, who: GuardedHttp) -> None:
        """A connection has no request now."""
        group = self._open.get(who)
        if group is not None and who not in self._reserve:
            self._waiting[who] = None
            self._waiting_of.setdefault(group, OrderedDict())[who] = None

    def begins(self, who: GuardedHttp, headers: Mapping[str, str]) -> bool:
        """The headers of a request are there; whether the connection has a place, or is a stranger in the reserve."""
        self._is_busy(who)
        if who in self._reserve and self.is_staff(headers):
            del self._reserve[who]
        return who not in self._reserve

    def serves(self, peer: str, headers: Mapping[str, str], *, upgrades: bool) -> bool:
        """Whether a request is served, or is of a stranger when strangers have had their share of the loop."""
        if self._crowd is None or self._is_known(headers):
            return True
        group = self._addresses.group_of(self._addresses.client_of(peer, headers))
        return self._crowd.takes(group, 1 + HANDSHAKE_COST * upgrades)

    def _is_busy(self, who: GuardedHttp) -> None:
        if self._waiting.pop(who, who) is not who:
            group = self._open[who]
            of_group = self._waiting_of[group]
            del of_group[who]
            if not of_group:
                del self._waiting_of[group]

    def left(self, who: GuardedHttp) -> None:
        """A connection has ended. May be called twice."""
        self._is_busy(who)
        self._reserve.pop(who, None)
        group = self._open.pop(who, None)
        if group is not None:
            self._of_group[group] -= 1
            if not self._of_group[group]:
                del self._of_group[group]


class GuardedHttp(H11Protocol):
    """uvicorn's HTTP, with deadlines that no trickle of bytes puts off."""

    def __init__(self, guard: Connections, **parts: Any) -> None:
        super().__init__(**parts)
        self._guard = guard
        self._deadline: asyncio.TimerHandle | None = None
        self._is_turned_away = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """A client connects."""
        super().connection_made(transport)
        self._until(self._guard.headers_s)
        self._guard.admit(self, self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._until(None)
        self._guard.left(self)
        super().connection_lost(exc)

    def _should_upgrade(self) -> bool:
        """Asked by uvicorn once for every request, when its headers are complete."""
        self._until(None)
        headers = Headers(raw=self.headers)
        has_place = self._guard.begins(self, headers)
        upgrades = super()._should_upgrade()
        if not self._guard.serves(self.client[0] if self.client else "", headers, upgrades=upgrades):
            self._is_turned_away = True
            return True  # uvicorn makes nothing of a request that it hands over
        if upgrades and not has_place:
            self.limit_concurrency = 0  # uvicorn answers 503
            return False
        return upgrades

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over; it is counted until the socket ends. Whoever is turned away is told so here."""
        if self._is_turned_away:
            self._until(self._guard.headers_s)
            self.transport.write(TURNED_AWAY)
            self.transport.close()
            return
        super().handle_websocket_upgrade(event)
        socket: Any = self.transport.get_protocol()
        socket.on_lost = lambda: self._guard.left(self)

    def on_response_complete(self) -> None:
        """The answer is written: the client takes it, and sends the next request, in time."""
        self._until(self._guard.idle_s)
        self._guard.waits(self)
        super().on_response_complete()
        self._unset_keepalive_if_required()  # any byte would put that one off

    def drop(self) -> None:
        """End the connection at once, whatever is still to be sent."""
        self._until(None)
        self.transport.abort()

    def _until(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.drop)


def places(wanted: int) -> int:
    """How many connections there can be, of those that the settings want: each takes a descriptor of the process."""
    if sys.platform == "win32":
        return wanted
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS_MAX)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    there = DESCRIPTORS_MAX if soft == resource.RLIM_INFINITY else soft
    return max(1, min(wanted, there - OWN_DESCRIPTORS - RESERVED_FOR_STAFF))
