"""The parts of events in the journal: their form is the form of records that cannot be rewritten."""

from __future__ import annotations

import msgspec
import pytest

from taisai.table.parts import FixedBet, FlagRaised, Handed, Loss, ReversedLine


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (Handed("ann", "small", 50, 25, "red"), b'["ann","small",50,25,"red"]'),
        (Loss("ann", "big", 10), b'["ann","big",10]'),
        (
            FixedBet("ann", "big", 10, 5),
            b'{"player":"ann","box":"big","stake":10,"at_risk":5,"in_colour":0,"colour":null,"called":false}',
        ),
        (
            FlagRaised("pro-rata", "big", None, 300, ("5.1.1",), "shared"),
            b'{"code":"pro-rata","box":"big","player":null,"amount":300,"clauses":["5.1.1"],"text":"shared"}',
        ),
        (
            ReversedLine("ann", 10, 20, 0, 6, 4),
            b'{"player":"ann","staked":10,"returned":20,"given_back":0,"taken":6,"owed":4}',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_part_is_written_as_ever(part: msgspec.Struct, written: bytes) -> None:
    """To the byte, and it reads back as it was."""
    assert msgspec.json.encode(part) == written
    assert msgspec.json.decode(written, type=type(part)) == part
