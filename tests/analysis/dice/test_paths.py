"""Evidence of whole files and many tumblers: the same as round by round, few false alarms, early true ones."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from taisai.analysis.dice.paths import alarm_rounds, draw_tumblers, is_sorted, watch_rolls
from taisai.analysis.dice.watch import DiceWatch
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("per_chunk", [7, 1 << 16])
def test_columns_agree_with_the_watch(ordered: bool, per_chunk: int) -> None:
    """Whatever the chunk, every value of the path is what the watch says after that round, checks and state as well."""
    rolls = draw_tumblers(1, 150, 3, retention=0.3)[0]
    follows = np.arange(150) % 20 != 0
    watch = DiceWatch(ordered=ordered)
    found = []
    for index, after in zip(rolls.tolist(), follows.tolist(), strict=True):
        if not after:
            watch.pause()
        found.append(watch.see(ALL_ROLLS[index]))
    watched = watch_rolls(rolls, follows, ordered=ordered, per_chunk=per_chunk)
    assert watched.path == pytest.approx([each.log_e for each in found], abs=1e-8)
    for place, row in enumerate(watched.by_check):
        assert row == pytest.approx([each.checks[place].log_e for each in found], abs=1e-8)
    mine, other = watched.watch.state(), watch.state()
    assert mine.pop("peak") == pytest.approx(other.pop("peak"))
    assert mine == other
    assert mine["alarm_round"] is not None


@pytest.mark.parametrize("ordered", [True, False])
def test_many_tumblers_agree_with_one(ordered: bool) -> None:
    """Each tumbler of many alarms in the round in which it would alarm alone."""
    rolls = draw_tumblers(9, 400, 8, retention=0.12)
    alone = [watch_rolls(row, level=0.01, ordered=ordered).watch.evidence().alarm_round or 0 for row in rolls]
    assert alarm_rounds(rolls, level=0.01, ordered=ordered, per_chunk=700).tolist() == alone
    assert any(alone)


def test_a_file_without_rolls_is_quiet() -> None:
    """No rolls give no evidence and no alarm."""
    watched = watch_rolls(np.array([], dtype=np.uint8))
    assert watched.path.size == 0
    assert watched.watch.evidence().log_e == pytest.approx(0, abs=1e-9)
    assert not watched.watch.evidence().alarm


def test_marks_fit_the_rolls() -> None:
    """Marks of another length than the rolls are refused."""
    with pytest.raises(InputFault, match="follows"):
        watch_rolls(np.zeros(3, dtype=np.uint8), np.zeros(2, dtype=np.bool_))


@pytest.mark.parametrize("ordered", [True, False])
def test_fair_tumblers_seldom_alarm(ordered: bool) -> None:
    """Of 400 fair tumblers watched for 1,500 rounds no more than a twentieth alarm at level 1/20, and some do."""
    alarms = alarm_rounds(draw_tumblers(400, 1500, 21), level=0.05, ordered=ordered)
    assert 0 < np.count_nonzero(alarms) <= 400 * 0.05 + 2 * (400 * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(
    ("retention", "more", "tumblers", "rounds", "at_most"),
    [(0.02, 0.0, 80, 6000, 3300), (0.05, 0.0, 150, 1500, 580), (0.0, 0.05, 150, 1500, 550)],
)
def test_unfair_tumblers_alarm_in_time(retention: float, more: float, tumblers: int, rounds: int, at_most: int) -> None:
    """Weak shakes and a heavier face are found in the rounds they should be, at level 1/1000, by half of all."""
    faces = [1 / 6 + more, *[(5 / 6 - more) / 5] * 5]
    alarms = alarm_rounds(draw_tumblers(tumblers, rounds, 22, retention=retention, faces=faces))
    assert np.median(np.where(alarms == 0, rounds + 1, alarms)) <= at_most


def test_one_bad_die_is_named() -> None:
    """A single die that keeps its face is found as that die."""
    watched = watch_rolls(draw_tumblers(1, 1200, 4, retention=(0.0, 0.2, 0.0))[0])
    evidence = watched.watch.evidence()
    assert evidence.alarm
    assert max(evidence.checks, key=lambda check: check.log_e).name == "keeps-2"


def test_dice_that_cannot_be_told_apart_are_judged_too() -> None:
    """Sorted rolls of fair dice alarm when taken as ordered, and not when the order is left aside."""
    drawn = draw_tumblers(1, 800, 5)[0]
    rolls = np.array(
        [36 * a + 6 * b + c for a, b, c in (sorted((i // 36, i // 6 % 6, i % 6)) for i in drawn.tolist())],
        dtype=np.uint8,
    )
    assert is_sorted(rolls)
    assert not is_sorted(drawn)
    assert not is_sorted(rolls[:10])
    assert watch_rolls(rolls).watch.evidence().alarm
    unordered = watch_rolls(rolls, ordered=False)
    assert not unordered.watch.evidence().alarm
    assert unordered.path == pytest.approx(watch_rolls(drawn, ordered=False).path, abs=1e-9)


def test_drawn_tumblers_are_as_asked() -> None:
    """Drawn tumblers have the retention and the faces that were asked for; the same seed gives the same rolls."""
    rolls = draw_tumblers(40, 2000, 9, retention=0.1, faces=(0.3, 0.2, 0.2, 0.1, 0.1, 0.1)).astype(np.int64)
    first = rolls // 36
    assert (first == 0).mean() == pytest.approx(0.3, abs=0.01)
    same = 0.1 + 0.9 * (0.3**2 + 2 * 0.2**2 + 3 * 0.1**2)
    assert (first[:, 1:] == first[:, :-1]).mean() == pytest.approx(same, abs=0.01)
    assert (draw_tumblers(3, 50, 1) == draw_tumblers(3, 50, 1)).all()
    assert (draw_tumblers(3, 50, 1) != draw_tumblers(3, 50, 2)).any()


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, float("nan")])
def test_a_level_lies_between_none_and_all(level: float) -> None:
    """A level that is no chance is refused."""
    with pytest.raises(InputFault, match="level: is a number between 0 and 1"):
        DiceWatch(level)


def test_the_alarm_is_at_the_level() -> None:
    """The first round at which the path reaches 1/level is the round of the alarm."""
    watched = watch_rolls(draw_tumblers(1, 800, 6, retention=0.1)[0], level=0.02)
    alarm = watched.watch.evidence().alarm_round
    assert alarm is not None
    assert watched.path[alarm - 1] >= -log(0.02) > watched.path[: alarm - 1].max()
