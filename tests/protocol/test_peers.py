"""The forms between nodes: nothing of a command is lost, and nodes of two versions understand each other."""

from __future__ import annotations

import msgspec
import pytest

from taisai.protocol.peers import ForwardAnswer, Forwarded, ForwardNumber, peer_command
from taisai.table import commands as c
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal

BET = c.Command(
    id="c1",
    at=9,
    by=Person("ann", Role.PLAYER),
    do=c.PlaceBet("ann", "small", 500),
    authorised_by=Person("sue", Role.SUPERVISOR),
    reason="why",
    round=3,
)


def test_everything_of_a_command_is_forwarded() -> None:
    """A field that is added to `Command` must be added to the form too: no field is lost between nodes."""
    assert msgspec.to_builtins(peer_command(BET)) == msgspec.to_builtins(BET)
    assert peer_command(BET).__struct_fields__ == BET.__struct_fields__


def test_a_field_of_a_newer_version_is_ignored_except_in_what_is_to_be_done() -> None:
    """Beside the action an unknown field is ignored; inside the action it could change everything, so it is refused."""
    raw = msgspec.to_builtins(Forwarded(1, "T1", peer_command(BET)))
    raw["mood"] = raw["command"]["mood"] = "good"
    raw["command"]["by"]["mood"] = raw["command"]["authorised_by"]["mood"] = "good"
    assert msgspec.convert(raw, Forwarded) == Forwarded(1, "T1", peer_command(BET))
    raw["command"]["do"]["insured"] = True
    with pytest.raises(msgspec.ValidationError, match="insured"):
        msgspec.convert(raw, Forwarded)
    assert msgspec.convert(raw, ForwardNumber).n == 1


def test_a_refusal_travels_under_its_old_key() -> None:
    """Nodes of version 0.1 call the refusal `fault`: the key on the wire stays."""
    answer = ForwardAnswer(1, 7, Refusal("bets-closed", "Too late."))
    assert msgspec.to_builtins(answer)["fault"]["code"] == "bets-closed"
    assert msgspec.convert(msgspec.to_builtins(answer), ForwardAnswer) == answer
