"""The one shape of errors: what is always there, and what may be left out."""

from __future__ import annotations

import msgspec

from taisai.protocol.errors import Error, Errors
from taisai.protocol.messages import Refused
from taisai.table.refusals import Refusal


def test_an_error_has_every_field_of_a_refusal() -> None:
    """Nothing that a table says of a refusal is lost over HTTP or over the socket."""
    refusal = set(Refusal.__struct_fields__)
    assert set(Error.__struct_fields__) == refusal | {"request"}
    assert set(Refused.__struct_fields__) == refusal | {"id"}


def test_only_code_and_sentence_are_needed() -> None:
    """A client reads an error of a server that says less."""
    found = msgspec.json.decode(b'{"error": {"code": "closing", "sentence": "Closed."}}', type=Errors)
    assert found == Errors(Error("closing", "Closed."))
    assert set(msgspec.to_builtins(found)["error"]) == set(Error.__struct_fields__)
