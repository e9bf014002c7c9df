"""The key-value store beside the records: which entries every store can represent.

Enters: keys and values (accounts, sessions, settings). Leaves: the same, known to be storable, or an `InvalidEntry`;
and the upper bound of a range query over keys with a common prefix.

The key-value store is outside the hash chain: what must never change unnoticed belongs in a record.
"""

from __future__ import annotations

from typing import Final

from taisai.journal.contract import InvalidEntry

_LAST: Final = "\U0010ffff"


def check_entry(key: str, value: bytes | None) -> None:
    """Refuse an entry that some store could not represent."""
    check_key(key)
    if not key:
        raise InvalidEntry(key, "the key is empty")
    if value is not None and type(value) is not bytes:
        raise InvalidEntry(key, f"the value is of the type {type(value).__name__}, not bytes")


def check_key(key: str) -> None:
    """Refuse a key, or a prefix of one, that is not text."""
    if type(key) is not str:
        raise InvalidEntry(str(key), f"the key is of the type {type(key).__name__}, not str")
    try:
        key.encode()
    except UnicodeEncodeError as error:
        raise InvalidEntry(ascii(key), "the key contains a lone surrogate") from error


def after_prefix(prefix: str) -> str | None:
    """The smallest text above all that begin with `prefix`; None when there is none, and for the empty prefix."""
    prefix = prefix.rstrip(_LAST)
    if not prefix:
        return None
    following = ord(prefix[-1]) + 1
    return prefix[:-1] + chr(0xE000 if 0xD800 <= following <= 0xDFFF else following)
