"""What the client knows of the house's forms, held against the house's own."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taisai.client import Refused, merged
from taisai.client.errors import refused_by
from taisai.view import table_view as view

plain = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("xyz", max_size=1), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text("xyz", max_size=1), plain, max_size=3)


@given(target=objects, patch=objects)
def test_patches_are_merged_as_the_house_does(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """The client's merge is the house's, and leaves what it was given as it was."""
    before = msgspec.json.encode(target)
    assert merged(target, patch) == view.merge(msgspec.json.decode(before), patch)
    assert msgspec.json.encode(target) == before


def test_the_examples_of_the_merge_patch_standard() -> None:
    """RFC 7396, appendix A, where the target is an object."""
    assert merged({"a": "b"}, {"a": "c"}) == {"a": "c"}
    assert merged({"a": "b", "b": "c"}, {"a": None}) == {"b": "c"}
    assert merged({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}) == {"a": {"b": "d"}}
    assert merged({}, {"a": {"bb": {"ccc": None}}}) == {"a": {"bb": {}}}
    assert merged({"a": ["b"]}, {"a": {"x": 1}}) == {"a": {"x": 1}}


def test_an_error_in_the_one_shape_is_read() -> None:
    """Code, sentence, clauses, what is allowed, field and request id come out as they are."""
    error = {
        "code": "over-maximum", "sentence": "Too much.", "clauses": ["a §1"], "allowed": "100", "field": "amount",
        "request": "77",
    }  # fmt: skip
    found = refused_by(409, msgspec.json.encode({"error": error}), "5")
    assert {name: getattr(found, name) for name in error} == {**error, "clauses": ("a §1",)}
    assert (found.status, found.retry_after_s) == (409, 5.0)
    assert str(found) == "over-maximum: Too much."


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[]", b"\xff", b'{"error": 1}'])
def test_an_answer_that_is_not_the_houses_is_said_so(body: bytes) -> None:
    """A proxy's page is not an error of the house."""
    found = refused_by(502, body, "soon")
    assert isinstance(found, Refused)
    assert (found.code, found.status, found.retry_after_s) == ("not-ours", 502, 0.0)
