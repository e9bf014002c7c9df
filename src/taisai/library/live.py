"""A running floor, for one line of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taisai.library.values import needs

if TYPE_CHECKING:
    from taisai.client import Client


def connect(url: str) -> Client:
    """A client of a running floor, used with `async with`. Needs the extra `client`."""
    try:
        from taisai.client import Client  # noqa: PLC0415 - an extra
    except ImportError:
        raise needs("client", "connect") from None
    return Client(url)
