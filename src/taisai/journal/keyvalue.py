"""The drawer: small things that may change, kept beside the records.

Enters: the names and values that somebody wants kept (accounts, sessions, settings). Leaves: the same, known to be
storable, or an `InvalidThing`; and the bounds within which a store finds the names that begin alike.

The drawer is outside the hash chain: what must never change unseen is a record.
"""

from __future__ import annotations

from typing import Final

from taisai.journal.contract import InvalidThing

_LAST: Final = "\U0010ffff"


def check_thing(name: str, value: bytes | None) -> None:
    """Refuse what not every store could keep."""
    check_name(name)
    if not name:
        raise InvalidThing(name, "it needs a name")
    if value is not None and type(value) is not bytes:
        raise InvalidThing(name, f"its value is of the type {type(value).__name__}, not bytes")


def check_name(name: str) -> None:
    """Refuse a name, or the beginning of one, that is no text."""
    if type(name) is not str:
        raise InvalidThing(str(name), f"its name is of the type {type(name).__name__}, not str")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InvalidThing(ascii(name), "its name has a character that is none (a lone surrogate)") from error


def after_prefix(prefix: str) -> str | None:
    """The smallest text above all that begin with `prefix`; None when there is none, and for the empty prefix."""
    prefix = prefix.rstrip(_LAST)
    if not prefix:
        return None
    following = ord(prefix[-1]) + 1
    return prefix[:-1] + chr(0xE000 if 0xD800 <= following <= 0xDFFF else following)
