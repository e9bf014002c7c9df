"""Evidence of whole files and many tumblers: the same as round by round, few false alarms, early true ones."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest

from taisai.analysis.dice.evidence import WINDOW
from taisai.analysis.dice.gathering import Indices
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
def test_windows_agree_with_the_watch(ordered: bool) -> None:
    """Over the end of a window too: path, state and what is carried over, whatever the chunk."""
    rolls = draw_tumblers(1, WINDOW + 60, 3, retention=0.1)[0]
    watch = watch_rolls(rolls[: WINDOW - 20], ordered=ordered).watch
    found = [watch.see(ALL_ROLLS[index]).log_e for index in rolls[WINDOW - 20 :].tolist()]
    for per_chunk in (999, 1 << 16):
        watched = watch_rolls(rolls, ordered=ordered, per_chunk=per_chunk)
        assert watched.path[WINDOW - 20 :] == pytest.approx(found, abs=1e-8)
        mine, other = watched.watch.state(), watch.state()
        assert mine.pop("carried") == pytest.approx(other.pop("carried"))
        assert mine.pop("peak") == pytest.approx(other.pop("peak"))
        assert mine == other


@pytest.mark.parametrize("ordered", [True, False])
def test_many_tumblers_agree_with_one(ordered: bool) -> None:
    """Each tumbler of many alarms in the round in which it would alarm alone."""
    rolls = draw_tumblers(9, 400, 8, retention=0.12)
    alone = [watch_rolls(row, level=0.01, ordered=ordered).watch.evidence().alarm_round or 0 for row in rolls]
    assert alarm_rounds(rolls, level=0.01, ordered=ordered, per_chunk=700).tolist() == alone
    assert any(alone)


def test_looking_now_and_then_finds_alarms_later() -> None:
    """An alarm is found at the next look at which the evidence is still there; a step must divide the rounds."""
    rolls = draw_tumblers(6, 300, 8, retention=0.12)
    paths = [watch_rolls(row).path[24::25] >= log(100) for row in rolls]
    looked = [25 * (int(path.argmax()) + 1) if path.any() else 0 for path in paths]
    assert alarm_rounds(rolls, level=0.01, every=25).tolist() == looked
    assert any(looked)
    with pytest.raises(InputFault, match="every: divides the rounds"):
        alarm_rounds(rolls, every=7)


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
    """Of 200 fair tumblers watched for 600 rounds no more than a twentieth alarm at level 1/20, and some do."""
    alarms = alarm_rounds(draw_tumblers(200, 600, 21), level=0.05, ordered=ordered)
    assert 0 < np.count_nonzero(alarms) <= 200 * 0.05 + 2 * (200 * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(
    ("retention", "more", "tumblers", "rounds", "at_most"),
    [(0.02, 0.0, 24, 4500, 3500), (0.05, 0.0, 80, 1000, 590), (0.0, 0.05, 80, 1000, 560)],
)
def test_unfair_tumblers_alarm_in_time(retention: float, more: float, tumblers: int, rounds: int, at_most: int) -> None:
    """Weak shakes and a heavier face are found in the rounds they should be, at level 1/1000, by half of all."""
    faces = [1 / 6 + more, *[(5 / 6 - more) / 5] * 5]
    alarms = alarm_rounds(draw_tumblers(tumblers, rounds, 22, retention=retention, faces=faces))
    assert np.median(np.where(alarms == 0, rounds + 1, alarms)) <= at_most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heavy", "more", "dice", "at_least"),
    [((6,), 0.0131, 3, 0.30), ((6,), 0.02, 2, 0.55), ((1, 2), 0.0131, 3, 0.88)],
)
def test_heavy_faces_worth_a_bet_are_seen(heavy: tuple[int, ...], more: float, dice: int, at_least: float) -> None:
    """One face on three dice or on two, or two faces at an edge, each worth 5 % on a triple, within 5,000 rounds."""
    assert 181 * (1 / 6 + more) ** dice * (1 / 6) ** (3 - dice) > 1.04
    chance = np.random.default_rng(500)
    rest = (1 - len(heavy) * (1 / 6 + more)) / (6 - len(heavy))
    uneven = [1 / 6 + more if face in heavy else rest for face in range(1, 7)]
    drawn = [chance.choice(6, (60, 5000), p=uneven if die < dice else None) for die in range(3)]
    rolls = (36 * drawn[0] + 6 * drawn[1] + drawn[2]).astype(np.uint8)
    assert np.count_nonzero(alarm_rounds(rolls)) >= at_least * 60


TIPS = (2, 3, 6, 1, 4, 5)
"""1 leads to 2, to 3, to 6, to 5, to 4, and back to 1."""


@pytest.mark.parametrize(
    ("drawn", "rounds", "ordered", "leader"),
    [
        ({"retention": 0.10, "leads": TIPS}, 900, True, "moves"),
        ({"retention": 0.10, "leads": TIPS}, 2500, False, "moves"),
        ({"retention": (0.0, 0.25, 0.0), "leads": TIPS}, 900, True, "moves-2"),
        ({"retention": 0.12, "leads": (5, 1, 4, 6, 2, 3)}, 900, True, "moves"),
        ({"retention": 0.10, "step": 1}, 700, True, "keeps-right"),
        ({"retention": 0.10, "step": 2}, 700, True, "keeps-left"),
        ({"retention": 0.10, "step": 1}, 1500, False, "keeps"),
        ({"retention": 0.25, "step": 1, "leads": TIPS}, 700, True, "moves-right"),
        ({"retention": 0.10, "lag": 2}, 700, True, "keeps-lag2"),
        ({"retention": 0.10, "lag": 2}, 1500, False, "keeps-lag2"),
        ({"retention": 0.12, "lag": 2, "leads": TIPS}, 900, True, "moves-lag2"),
        ({"retention": 0.12, "lag": 2, "leads": TIPS}, 2500, False, "moves-lag2"),
    ],
)
def test_dice_that_remember_are_seen(drawn: dict[str, Any], rounds: int, ordered: bool, leader: str) -> None:
    """Tipping one way, moving to the next die, two tumblers that take turns: each is found, and named."""
    rolls = draw_tumblers(8, rounds, 31, **drawn)
    assert np.count_nonzero(alarm_rounds(rolls, ordered=ordered)) == 8
    evidence = watch_rolls(rolls[0], ordered=ordered).watch.evidence()
    assert max(evidence.checks, key=lambda check: check.log_e).name == leader


@pytest.mark.parametrize(("ordered", "rounds"), [(True, 900), (False, 2500)])
def test_a_face_that_comes_again_too_rarely_is_seen(ordered: bool, rounds: int) -> None:
    """Dice that avoid their last face in 30 of 100 throws that would show it, told apart or not."""
    chance = np.random.default_rng(8)
    faces = chance.integers(0, 6, (8, rounds, 3))
    for at in range(1, rounds):
        last = faces[:, at - 1]
        avoids = (faces[:, at] == last) & (chance.random(last.shape) < 0.3)
        faces[:, at] = np.where(avoids, (last + chance.integers(1, 6, last.shape)) % 6, faces[:, at])
    rolls = (36 * faces[..., 0] + 6 * faces[..., 1] + faces[..., 2]).astype(np.uint8)
    assert np.count_nonzero(alarm_rounds(rolls, ordered=ordered)) == 8


def by_history(kind: str, rows: int, rounds: int) -> Indices:
    """Dice whose face follows from more than the last roll: with a chance it is the one that the kind names."""
    chance = np.random.default_rng(12)
    faces = chance.integers(0, 6, (rows, rounds, 3))
    cycles = np.array([[1, 2, 5, 0, 3, 4], [3, 0, 1, 4, 5, 2], [2, 3, 0, 5, 1, 4]])
    for at in range(3, rounds):
        last, before, drawn = faces[:, at - 1], faces[:, at - 2], chance.random((rows, 3))
        wanted, often = last, np.zeros((rows, 3))
        match kind:
            case "own cycles":
                wanted, often = cycles[np.arange(3), last], np.full((rows, 3), 0.07)
            case "third last":
                wanted, often = faces[:, at - 3], np.full((rows, 3), 0.07)
            case "together":
                drawn[:, 1:2] = drawn[:, :1]
                often = np.broadcast_to([0.03, 0.03, 0.0], (rows, 3))
            case "after a double":
                doubled = (last[:, :1] == last[:, 1:2]) | (last[:, 1:2] == last[:, 2:]) | (last[:, :1] == last[:, 2:])
                often = np.where(doubled, 0.12, 0.0)
            case "goes on":
                wanted, often = (2 * last - before) % 6, np.full((rows, 3), 0.08)
            case "every second":
                wanted, often = np.full((rows, 3), 5 * (at % 2)), np.full((rows, 3), 0.05)
            case _:
                often = np.full((rows, 3), 0.1 if at >= WINDOW else 0.0)
        faces[:, at] = np.where(drawn < often, wanted, faces[:, at])
    return (36 * faces[..., 0] + 6 * faces[..., 1] + faces[..., 2]).astype(np.uint8)


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("own cycles", "moves-each"), ("third last", "keeps-lag3"), ("together", "keeps-together"),
        ("after a double", "keeps-alike"), ("goes on", "moves-two"), ("every second", "faces-second"),
        ("late", "keeps-late"),
    ],
)  # fmt: skip
def test_what_follows_from_more_than_the_last_roll_is_seen(kind: str, check: str) -> None:
    """Cycles of each die, the third last roll, dice together, doubles, turns, a late fault: each by its check."""
    rolls = by_history(kind, 4, 4000)
    assert np.count_nonzero(alarm_rounds(rolls, every=100)) == 4
    found = watch_rolls(rolls[0]).watch.evidence()
    assert check in {each.name for each in found.checks if each.log_e > log(1000)}


@pytest.mark.parametrize("ordered", [True, False])
def test_what_is_bet_on_is_seen_too(ordered: bool) -> None:
    """Totals that are odd too often, and a Big that follows a Big, are found without any die being at fault."""
    chance = np.random.default_rng(9)
    odd = np.array([roll.total % 2 for roll in ALL_ROLLS])
    side = np.array([0 if len(set(roll.faces)) == 1 else 1 if roll.total <= 10 else 2 for roll in ALL_ROLLS])
    ways = 1 + 0.16 * (2 * odd - 1)
    rolls = chance.choice(216, (6, 2500), p=ways / ways.sum()).astype(np.uint8)
    assert np.count_nonzero(alarm_rounds(rolls, ordered=ordered)) == 6
    sides = np.zeros((6, 2500), dtype=np.uint8)
    for at in range(2500):
        drawn = chance.choice(216, 6)
        for row in range(6):
            if at and side[drawn[row]] and side[sides[row, at - 1]] and chance.random() < 0.3:
                drawn[row] = chance.choice(np.flatnonzero(side == side[sides[row, at - 1]]))
        sides[:, at] = drawn
    assert np.count_nonzero(alarm_rounds(sides, ordered=ordered)) == 6


def test_one_bad_die_is_named() -> None:
    """A single die that keeps its face is found as that die."""
    watched = watch_rolls(draw_tumblers(1, 1200, 4, retention=(0.0, 0.2, 0.0))[0])
    evidence = watched.watch.evidence()
    assert evidence.alarm
    assert evidence.leader.name == "keeps-2"


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
    assert is_sorted(rolls[:11])
    assert not is_sorted(rolls[:0])
    assert watch_rolls(rolls).watch.evidence().alarm
    unordered = watch_rolls(rolls, ordered=False)
    assert not unordered.watch.evidence().alarm
    assert unordered.path == pytest.approx(watch_rolls(drawn, ordered=False).path, abs=1e-9)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7])
@pytest.mark.parametrize("falling", [False, True])
def test_some_unsorted_rows_among_sorted_ones_change_nothing(share: float, falling: bool) -> None:
    """One row of 500 that is not sorted, or most of them, and the order still means nothing: no alarm either."""
    drawn = draw_tumblers(1, 500, 11)[0]
    faces = np.stack([drawn // 36, drawn // 6 % 6, drawn % 6])
    by_size = np.sort(faces, axis=0)[::-1] if falling else np.sort(faces, axis=0)
    mixed = np.where(np.random.default_rng(2).random(500) < share, faces, by_size)
    rolls = (36 * mixed[0] + 6 * mixed[1] + mixed[2]).astype(np.uint8)
    assert (rolls != (36 * by_size[0] + 6 * by_size[1] + by_size[2])).any()
    assert is_sorted(rolls)
    assert not watch_rolls(rolls, ordered=False).watch.evidence().alarm


def test_files_in_order_are_not_taken_for_sorted() -> None:
    """Of fair files of 5,000 rolls none is; nor of dice with one heavy face."""
    for seed in range(40):
        assert not is_sorted(draw_tumblers(1, 5000, seed)[0])
        assert not is_sorted(draw_tumblers(1, 300, seed, faces=(0.25, *[0.15] * 5))[0])


def test_drawn_tumblers_are_as_asked() -> None:
    """Drawn tumblers have the retention and the faces that were asked for; the same seed gives the same rolls."""
    rolls = draw_tumblers(40, 2000, 9, retention=0.1, faces=(0.3, 0.2, 0.2, 0.1, 0.1, 0.1)).astype(np.int64)
    first = rolls // 36
    assert (first == 0).mean() == pytest.approx(0.3, abs=0.01)
    same = 0.1 + 0.9 * (0.3**2 + 2 * 0.2**2 + 3 * 0.1**2)
    assert (first[:, 1:] == first[:, :-1]).mean() == pytest.approx(same, abs=0.01)
    tipped = draw_tumblers(40, 2000, 9, retention=0.2, leads=TIPS, lag=2, step=1).astype(np.int64)
    from_third, first = tipped[:, :-2] % 6, tipped[:, 2:] // 36
    assert (first[from_third == 0] == 1).mean() == pytest.approx(1 / 6 + 0.2 * 5 / 6, abs=0.02)
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
