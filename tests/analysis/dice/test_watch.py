"""Evidence round by round: every check is a fair bet against fair dice, and a watch can be kept, moved and joined."""

from __future__ import annotations

import json
from math import exp, log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import ALL_ROLLS, Roll, roll_of
from taisai.core.faults import InputFault
from tests.analysis.dice.samples import ROLLS


def seen(rolls: list[Roll], watch: DiceWatch | None = None, *, ordered: bool = True) -> DiceWatch:
    """A watch that saw these rolls."""
    watch = watch or DiceWatch(ordered=ordered)
    for roll in rolls:
        watch.see(roll)
    return watch


@pytest.mark.parametrize(
    ("rolls", "leader"),
    [
        ([(1, 5, 2)] * 60, "keeps"),
        ([(face, 5 - face // 2, 6 - face) for face in (1, 4, 2, 5, 3)] * 40, "pair-1-3"),
        ([(3, 1 + n % 6, 1 + n * 7 // 6 % 6) for n in range(200)], "faces-1"),
    ],
)
def test_an_alarm_names_what_is_wrong(rolls: list[tuple[int, int, int]], leader: str) -> None:
    """Dice that stand still, hang together or are loaded alarm."""
    watch = DiceWatch()
    alarms = [watch.see(roll_of(faces)).alarm_round for faces in rolls]
    found = watch.evidence()
    first = next(number for number, alarm in enumerate(alarms, start=1) if alarm is not None)
    assert set(alarms[first - 1 :]) == {first}
    assert found.alarm
    assert found.chance == exp(-found.peak) < 0.001
    assert sum(check.share for check in found.checks) == pytest.approx(1)
    assert leader in {check.name for check in found.checks if check.log_e > log(1000)}


def test_an_alarm_stays() -> None:
    """Evidence that sinks again takes no alarm back."""
    watch = seen([roll_of((1, 5, 2))] * 8)
    alarm = watch.evidence().alarm_round
    fair = Random(1)
    found = seen([fair.choice(ALL_ROLLS) for _ in range(300)], watch).evidence()
    assert found.log_e < log(1000) < found.peak
    assert found.alarm_round == alarm is not None


def test_a_pause_breaks_the_lag_and_nothing_else() -> None:
    """After a pause the next roll counts for faces, and not as one that followed."""
    watch = seen([roll_of((1, 2, 3))])
    watch.pause()
    assert watch.last is None
    watch.see(roll_of((1, 2, 3)))
    assert sum(watch.counts("keeps")) == 0
    assert sum(watch.counts("faces")) == 6
    watch.see(roll_of((1, 2, 4)))
    assert watch.counts("keeps") == (1, 2)
    assert sum(watch.counts("keeps-lag2")) == 0
    watch.see(roll_of((1, 2, 3)))
    assert watch.counts("keeps-lag2") == (0, 3)
    with pytest.raises(KeyError):
        watch.counts("nothing")


@given(rolls=ROLLS, more=ROLLS, ordered=st.booleans())
@settings(max_examples=20, deadline=None)
def test_a_watch_survives_as_json(rolls: list[Roll], more: list[Roll], ordered: bool) -> None:
    """A watch that was written down and read again goes on as if nothing had been."""
    watch = seen(rolls, DiceWatch(0.01, ordered=ordered))
    again = DiceWatch.from_state(json.loads(json.dumps(watch.state())))
    assert (again.level, again.ordered, again.rounds) == (0.01, ordered, len(rolls))
    assert seen(more, again).state() == seen(more, watch).state()
    assert again.evidence() == watch.evidence()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": 2}, "format"),
        ({"level": 2.0}, "level"),
        ({"level": "x"}, "level"),
        ({"ordered": 1}, "ordered"),
        ({"peak": -1.0}, "peak"),
        ({"peak": True}, "peak"),
        ({"rounds": 1.5}, "rounds"),
        ({"last": [216]}, "last"),
        ({"last": [1, 2, 3, 4]}, "last"),
        ({"last": "1,2,3"}, "last"),
        ({"alarm_round": -1}, "alarm_round"),
        ({"counts": None}, "counts"),
        ({"counts": {}}, "counts.keeps"),
        ({"carried": None}, "carried"),
        ({"carried": {"faces-late": "x"}}, "carried.faces-late"),
        ({"carried": {"faces-late": float("inf")}}, "carried.faces-late"),
    ],
)
def test_a_wrong_state_names_its_field(change: dict[str, object], field: str) -> None:
    """A state that cannot be is a fault of the field that is wrong."""
    with pytest.raises(InputFault) as caught:
        DiceWatch.from_state(DiceWatch().state() | change)
    assert caught.value.field == field


def test_a_wrong_count_is_named() -> None:
    """A count that is no whole number is named with its check and cell."""
    state = json.loads(json.dumps(DiceWatch().state()))
    state["counts"]["faces-2"][3] = -1
    with pytest.raises(InputFault, match=r"counts\.faces-2\[3\]: is a whole number"):
        DiceWatch.from_state(state)
