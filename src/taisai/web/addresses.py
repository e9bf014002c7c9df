"""Addresses: where a request comes from, and what the settings grant that address.

Enters: the peer of a connection and its headers. Leaves: the client's address, whether it may read the metrics, and
whether it may open another socket.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from taisai.settings.forms import Listen

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Addresses:
    """The addresses and networks that the settings name, and the open sockets of each client."""

    def __init__(self, listen: Listen, sockets_max: int) -> None:
        self._proxies = _networks(listen.trusted_proxies)
        self._measurers = _networks(listen.metrics_from)
        self._sockets_max = sockets_max
        self._sockets: Counter[str] = Counter()

    def client_of(self, peer: str, headers: Mapping[str, str]) -> str:
        """The client's address: the peer, or, behind trusted proxies, the nearest hop that is not one of them."""
        forwarded = headers.get("x-forwarded-for", "")
        if not forwarded or not _is_in(peer, self._proxies):
            return peer
        for hop in reversed([part.strip() for part in forwarded.split(",")]):
            if not _is_in(hop, self._proxies):
                return hop[:64]
        return peer

    def may_measure(self, address: str) -> bool:
        """Whether an address may read the metrics."""
        return _is_in(address, self._measurers)

    def may_connect(self, address: str) -> bool:
        """Whether an address may open another socket."""
        return self._sockets[address] < self._sockets_max

    @contextmanager
    def connected(self, address: str) -> Iterator[None]:
        """Count a socket of this address while it is open."""
        self._sockets[address] += 1
        try:
            yield
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]


def _networks(texts: Sequence[str]) -> list[_Network]:
    return [ipaddress.ip_network(each, strict=False) for each in texts]


def _is_in(address: str, networks: Sequence[_Network]) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)
