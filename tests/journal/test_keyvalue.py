"""Entries of the key-value store: which ones every store can represent, and ranges of keys."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.journal.contract import InvalidEntry
from taisai.journal.keyvalue import after_prefix, check_entry, check_key

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
"""Any text without lone surrogates."""


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("", b"", "the key is empty"),
        (b"account", b"", "the key is of the type bytes, not str"),
        ("a\ud800", b"", "the key contains a lone surrogate"),
        ("account", "text", "the value is of the type str, not bytes"),
        ("account", bytearray(), "the value is of the type bytearray, not bytes"),
    ],
)
def test_an_entry_that_some_store_cannot_hold_is_refused(key: Any, value: Any, words: str) -> None:
    """Keys are text and values are bytes, of exactly these types."""
    with pytest.raises(InvalidEntry, match=words):
        check_entry(key, value)


@given(TEXTS)
def test_any_text_is_a_prefix_and_all_but_the_empty_one_a_key(text: str) -> None:
    """Every text can be asked for; an entry may also be removed, which is the value None."""
    check_key(text)
    if text:
        check_entry(text, b"")
        check_entry(text, None)


@given(TEXTS, TEXTS)
def test_a_range_holds_the_keys_of_a_prefix_and_no_others(prefix: str, key: str) -> None:
    """From the prefix up to the bound stand those keys that begin with the prefix, in the order of code points."""
    bound = after_prefix(prefix)
    for each in (key, prefix + key):
        assert (prefix <= each and (bound is None or each < bound)) == each.startswith(prefix)
    assert bound is None or bound.encode() > prefix.encode()


def test_the_bound_of_a_prefix() -> None:
    """The bound is the next code point; surrogates are jumped over, and above the last one there is none."""
    assert after_prefix("account/") == "account0"
    assert after_prefix("a\ud7ff") == "a\ue000"
    assert after_prefix("a\U0010ffff") == "b"
    assert after_prefix("") is None
    assert after_prefix("\U0010ffff") is None
