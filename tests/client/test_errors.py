"""What can go wrong for a client, read from the answers that say so."""

from __future__ import annotations

import msgspec
import pytest

from taisai.client import Refused
from taisai.client.errors import refused_by


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
