"""Addresses: where a request comes from, and what the settings grant that address.

Enters: the peer of a connection and its headers. Leaves: the client's address, whether it may read the metrics, and
whether it may open another socket.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from taisai.bounds import CALLERS_KEPT
from taisai.settings.forms import Listen

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Addresses:
    """The addresses and networks that the settings name, and the open sockets of each client."""

    def __init__(self, listen: Listen, sockets_max: int) -> None:
        self._proxies = frozenset(map(ipaddress.ip_address, listen.trusted_proxies))
        self._hops = listen.forwarded_hops
        self._measurers = _networks(listen.metrics_from)
        self._sockets_max = sockets_max
        self._sockets: Counter[str] = Counter()

    def client_of(self, peer: str, headers: Mapping[str, str]) -> str:
        """The client's address: the peer, or, from a trusted proxy, the entry that the outermost proxy has added.

        Whatever a client writes into the header itself stands to the left of that entry, and is never looked at.
        """
        forwarded = headers.get("x-forwarded-for", "")
        if not forwarded or _parsed(peer) not in self._proxies:
            return peer
        hops = forwarded.rsplit(",", self._hops)[-self._hops :]
        found = _parsed(hops[0].strip()) if len(hops) == self._hops else None
        return peer if found is None else str(found)

    def group_of(self, address: str) -> str:
        """Whom a rate counts: one IPv4 address, or the network of 64 bits that one IPv6 customer has to themselves."""
        return _group_of(address)

    def counted_as(self, peer: str) -> str:
        """Whom a connection counts for; nobody when it comes from a trusted proxy, which has its own limits."""
        return "" if _parsed(peer) in self._proxies else self.group_of(peer)

    def may_measure(self, address: str) -> bool:
        """Whether an address may read the metrics."""
        return _is_in(address, self._measurers)

    def may_connect(self, address: str) -> bool:
        """Whether an address may open another socket."""
        return self._sockets[self.group_of(address)] < self._sockets_max

    @contextmanager
    def connected(self, address: str) -> Iterator[None]:
        """Count a socket of this address while it is open."""
        group = self.group_of(address)
        self._sockets[group] += 1
        try:
            yield
        finally:
            self._sockets[group] -= 1
            if not self._sockets[group]:
                del self._sockets[group]


@lru_cache(CALLERS_KEPT)
def _group_of(address: str) -> str:
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


def _networks(texts: Sequence[str]) -> list[_Network]:
    return [ipaddress.ip_network(each, strict=False) for each in texts]


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def _is_in(address: str, networks: Sequence[_Network]) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in networks)
