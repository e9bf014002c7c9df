"""Addresses: who a request comes from behind proxies, and what an address may do."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from taisai.settings.forms import Listen
from taisai.web.addresses import Addresses

LISTEN = Listen(trusted_proxies=("10.0.0.1", "::1"), metrics_from=("192.0.2.7", "10.0.0.0/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "hops", "client"),
    [
        ("203.0.113.5", "", 1, "203.0.113.5"),
        ("203.0.113.5", "198.51.100.1", 1, "203.0.113.5"),
        ("10.0.0.2", "198.51.100.1", 1, "10.0.0.2"),
        ("10.0.0.1", "198.51.100.1", 1, "198.51.100.1"),
        ("::1", "198.51.100.1", 1, "198.51.100.1"),
        ("10.0.0.1", "127.0.0.1, 10.0.0.1, 203.0.113.9", 1, "203.0.113.9"),
        ("10.0.0.1", "127.0.0.1, 198.51.100.1, 203.0.113.9", 2, "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1", 2, "10.0.0.1"),
        ("10.0.0.1", "not an address", 1, "10.0.0.1"),
        ("10.0.0.1", "x" * 500, 1, "10.0.0.1"),
        ("", "198.51.100.1", 1, ""),
    ],
)
def test_the_client_is_what_the_outermost_proxy_saw(peer: str, forwarded: str, hops: int, client: str) -> None:
    """A header is believed from an exact proxy alone, and so many entries from the right."""
    addresses = Addresses(replace(LISTEN, forwarded_hops=hops), 1)
    assert addresses.client_of(peer, {"x-forwarded-for": forwarded} if forwarded else {}) == client


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


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("not an address", "not an address"),
    ],
)
def test_a_rate_counts_all_addresses_of_one_customer(address: str, group: str) -> None:
    """One IPv6 customer has 2^64 addresses: they share one allowance, and so do both forms of an IPv4 address."""
    assert Addresses(LISTEN, 1).group_of(address) == group
