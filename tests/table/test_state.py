"""A state survives its snapshot, and knows what is in its accounts."""

from __future__ import annotations

import msgspec

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.state import TableState, snapshot_of, state_from
from tests.table.driver import LIMITS, NZ, TAI_SAI, Deal, opened


def test_records_and_snapshots_from_before_there_were_commitments_still_load() -> None:
    """A field that is new has a default: old bytes are read as they were meant."""
    old = b'{"at":1,"by":{"id":"dan","role":"dealer"},"what":{"event":"dice-uncovered","dice":[1,2,3]}}'
    assert msgspec.json.decode(old, type=e.Event).what == e.DiceUncovered((1, 2, 3), "")
    now = snapshot_of(TableState("t1"))
    before = now.replace(b'"stepped_at":0,"closes_at":0,"commitment":"","form":0,"nonce":"","opening":"",', b"")
    assert before != now
    assert state_from(before) == TableState("t1")


def test_funds_of_a_stranger_are_nothing() -> None:
    """Who is not at the table has nothing on it."""
    assert Deal(NZ).funds("eve") == 0


def test_a_snapshot_is_the_same_for_equal_states() -> None:
    """To the byte, whatever way led there, with everything that ruled a round in it."""
    deal = opened(TAI_SAI, ann=1000).begin().bet("ann", "small", 100).finish(1, 2, 4)
    snapshot = snapshot_of(deal.state)
    assert state_from(snapshot) == deal.state
    assert snapshot_of(state_from(snapshot)) == snapshot
    past = state_from(snapshot).history[-1]
    assert (past.book, past.layout, past.limits, past.capacity) == ("rws-tai-sai-v6", "A", LIMITS, {})


def test_funds_are_value_and_colour_in_hand() -> None:
    """What lies on the felt is in no hand."""
    deal = opened(NZ, ann=1000)
    deal.do(c.TakeColour("ann", "red", 25, 500))
    deal.begin().bet("ann", "small", 100, "red").bet("ann", "big", 50)
    assert (deal.state.balance("player:ann"), deal.state.balance("colour:red"), deal.funds("ann")) == (450, 400, 850)
