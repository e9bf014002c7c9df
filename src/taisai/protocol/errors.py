"""The one shape of every error over HTTP.

Over the play socket the same fields come as a `Refused` message. The server encodes these types, the Python client
decodes them, `/openapi.json` publishes them.
"""

from __future__ import annotations

from msgspec import Struct


class Error(Struct, frozen=True):
    """Why something was not done."""

    code: str
    sentence: str
    clauses: tuple[str, ...] = ()
    allowed: str = ""
    """What would be allowed instead."""
    field: str = ""
    """The field of the request that it is about."""
    request: str = ""
    """The id under which the server's log has more."""
    values: tuple[tuple[str, int | str], ...] = ()
    """What the sentence names, for those who say it in other words; amounts in minor units."""


class Errors(Struct, frozen=True):
    """The body of every answer that is an error."""

    error: Error
