"""The table played in columns against the table played in plain Python."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from taisai.analysis.risk.traffic import Excess, Group, Traffic
from taisai.analysis.simulate.draws import Purpose, draw_rolls, stream
from taisai.analysis.simulate.table import play_block, play_flat, play_whole
from taisai.analysis.simulate.tally import ENDS, Tally
from tests.analysis.simulate.plain import Played, played
from tests.analysis.simulate.samples import BOOK, FLAT, LAYOUT, LIMITS, MIXED, group, job

TRAFFICS = {
    "mixed": Traffic(MIXED),
    "void": Traffic(MIXED, void=Fraction(1, 6)),
    "pro rata": Traffic(MIXED, limits=LIMITS, void=Fraction(1, 30)),
    "refused": Traffic(MIXED, limits=LIMITS, excess=Excess.REFUSED),
    "flat, pro rata": replace(FLAT, limits=LIMITS),
    "flat": FLAT,
}


def check(tally: Tally, shifts: list[Played], groups: tuple[Group, ...]) -> None:
    """Every figure of a tally is that of the shifts played in plain Python."""
    assert tally.shifts == len(shifts)
    assert tally.hold.part.total == sum(shift.win for shift in shifts)
    assert tally.hold.part.squares == sum(shift.win**2 for shift in shifts)
    assert tally.losses == sum(shift.win < 0 for shift in shifts)
    assert tally.voids == sum(shift.voids for shift in shifts)
    assert tally.cut == sum(shift.cut for shift in shifts)
    risked = [sum(seat.risked for seat in shift.seats) for shift in shifts]
    assert tally.hold.whole.squares == sum(each**2 for each in risked)
    assert tally.hold.products == sum(shift.win * each for shift, each in zip(shifts, risked, strict=True))
    for values, counts in (([shift.win for shift in shifts], tally.wins), ([s.behind for s in shifts], tally.worst)):
        for value in values:
            # Rounded down to eleven binary digits.
            drop = max(abs(value).bit_length() - 11, 0)
            assert counts[value >> drop << drop] >= 1
        assert sum(counts.values()) == len(shifts)
    for who, found in zip(groups, tally.groups, strict=True):
        own = [[seat for seat in shift.seats if seat.group is who] for shift in shifts]
        won = [sum(seat.won for seat in seats) for seats in own]
        visits = [sum(seat.visits for seat in seats) for seats in own]
        assert found.hold.part.squares == sum(each**2 for each in won)
        assert found.hold.whole.total == sum(seat.risked for seats in own for seat in seats)
        assert found.played.total == sum(seat.rounds for seats in own for seat in seats)
        assert found.ahead.part.total == sum(seat.ahead for seats in own for seat in seats)
        assert found.ahead.whole.squares == sum(each**2 for each in visits)
        for name, share in zip(ENDS, found.ends, strict=True):
            ended = [sum(seat.ends[name] for seat in seats) for seats in own]
            assert share.part.total == sum(ended)
            assert share.products == sum(one * two for one, two in zip(ended, visits, strict=True))


@pytest.mark.parametrize("name", TRAFFICS)
def test_table_is_that_of_plain_python(name: str) -> None:
    """Every figure is that of the same shifts played bet by bet by the core's settlement and pro rata."""
    traffic = TRAFFICS[name]
    task = job(traffic, rounds=30 * 24, shift_rounds=24)
    check(play_block(task, 0), played(BOOK, LAYOUT, traffic, task, 0), traffic.groups)


def test_flat_path_is_that_of_the_whole_table() -> None:
    """Where every round has the same bets, the fast path counts what the whole table counts."""
    rolls = draw_rolls(stream(3, Purpose.ROLLS, 0), 70_000).reshape(1000, 70)
    for limits in (None, LIMITS):
        task = job(replace(FLAT, limits=limits), rounds=70_000, shift_rounds=70)
        assert task.is_flat
        assert play_flat(task, rolls) == play_whole(task, 0, rolls)
    alone = job(Traffic((group("small=1000", count=2),)), rounds=70_000, shift_rounds=70)
    assert play_flat(alone, rolls) == play_whole(alone, 0, rolls)
    large = job(Traffic((group("small=100000000000007"), group("big=1"))), rounds=70_000, shift_rounds=70)
    assert play_flat(large, rolls) == play_whole(large, 0, rolls)
