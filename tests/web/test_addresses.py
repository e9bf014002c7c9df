"""Addresses: who a request comes from behind proxies, and what an address may do."""

from __future__ import annotations

import pytest

from taisai.settings.forms import Listen
from taisai.web.addresses import Addresses

LISTEN = Listen(trusted_proxies=("10.0.0.0/8", "::1"), metrics_from=("192.0.2.7", "10.0.0.0/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.5", "", "203.0.113.5"),
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.1"),
        ("10.0.0.1", "not an address", "not an address"),
        ("10.0.0.1", "x" * 500, "x" * 64),
        ("", "198.51.100.1", ""),
    ],
)
def test_the_client_is_the_nearest_hop_that_is_no_trusted_proxy(peer: str, forwarded: str, client: str) -> None:
    """A header is believed only from a trusted proxy, and only up to the first hop that is not one."""
    assert Addresses(LISTEN, 1).client_of(peer, {"x-forwarded-for": forwarded} if forwarded else {}) == client


@pytest.mark.parametrize(
    ("address", "may"), [("192.0.2.7", True), ("192.0.2.8", False), ("10.9.9.9", True), ("", False), ("x", False)]
)
def test_metrics_are_for_the_networks_of_the_settings(address: str, may: bool) -> None:
    """An address or a network may be named; what is no address may nothing."""
    assert Addresses(LISTEN, 1).may_measure(address) is may


def test_open_sockets_are_counted_by_address() -> None:
    """An address may open so many at once; when one ends, there is room for another."""
    addresses = Addresses(LISTEN, 2)
    with addresses.connected("a"):
        with addresses.connected("a"):
            assert [addresses.may_connect(each) for each in ("a", "b")] == [False, True]
        assert addresses.may_connect("a")
    with pytest.raises(ZeroDivisionError), addresses.connected("a"):
        raise ZeroDivisionError
    assert addresses._sockets == {}
