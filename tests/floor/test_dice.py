"""Sources of dice: chance that is even, commitments that hold, secrets that stay, mischief on purpose."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from taisai.core.dice import ALL_ROLLS, Roll, parse_roll, roll_of
from taisai.core.fair import commitment_of, roll_from, secret_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import VoidReason
from taisai.floor.dice import (
    DiceSource,
    Mischief,
    NothingCommitted,
    VirtualTumbler,
    mischief_every,
    void_for,
)
from tests.floor.scripted import ScriptedDice
from tests.table.driver import shelf

SOURCES: list[Callable[[], DiceSource]] = [
    VirtualTumbler,
    lambda: ScriptedDice([parse_roll("1,3,6"), parse_roll("6,6,6")]),
]


def test_the_rolls_of_the_virtual_tumbler_are_even() -> None:
    """60,000 rolls from a seeded generator: chi-square over all 216 rolls, and over each die, within 99 %."""
    tumbler = VirtualTumbler(Random(20260310).randbytes)
    rolls = 60_000
    counted: Counter[int] = Counter()
    faces: list[Counter[int]] = [Counter(), Counter(), Counter()]
    for number in range(1, rolls + 1):
        tumbler.commit("T1", number)
        dice = tumbler.reveal().dice
        counted[roll_of(dice).index] += 1
        for die, face in zip(faces, dice, strict=True):
            die[face] += 1
    # The 0.5 % and 99.5 % points of chi-square with 215 and with 5 degrees of freedom.
    for counts, kinds, low, high in ((counted, 216, 165.344, 272.162), *((die, 6, 0.412, 16.750) for die in faces)):
        # Exactly: the sum of squares over the expected count, less the number of rolls.
        statistic = sum(each * each for each in counts.values()) * kinds / rolls - rolls
        assert low < statistic < high


def test_chance_comes_from_the_system_and_each_round_has_a_secret_of_its_own() -> None:
    """By default the tumbler takes 32 bytes for every round from the system's cryptographic generator."""
    asked: list[int] = []

    def randbytes(size: int) -> bytes:
        asked.append(size)
        return os.urandom(size)

    tumbler = VirtualTumbler(randbytes)
    openings = set()
    for number in range(1, 51):
        tumbler.commit("T1", number)
        openings.add(tumbler.reveal().opening)
    assert (asked, len(openings)) == ([32] * 50, 50)
    assert VirtualTumbler().commit("T1", 1) != VirtualTumbler().commit("T1", 1)


@pytest.mark.parametrize("make", SOURCES)
def test_what_is_revealed_is_what_was_committed(make: Callable[[], DiceSource]) -> None:
    """The opening matches the commitment and gives the dice; asked again, a round gives the same answer."""
    source = make()
    for number in (4, 5):
        commitment = source.commit("T1", number)
        assert source.commit("T1", number) == commitment
        revealed = source.reveal()
        assert source.reveal() == revealed
        secret = secret_of(revealed.opening)
        assert commitment_of(secret, "T1", number) == commitment
        assert roll_from(secret, "T1", number).faces == revealed.dice
        assert source.holds(commitment)
        assert (source.tumble(), source.mischief()) == (3, None)


@pytest.mark.parametrize("make", SOURCES)
def test_a_source_holds_the_round_it_committed_and_no_other(make: Callable[[], DiceSource]) -> None:
    """A new source, as after a restart, can open nothing; the previous round is forgotten."""
    source, other = make(), make()
    commitment = source.commit("T1", 1)
    assert not other.holds(commitment)
    for ask in (other.tumble, other.mischief, other.reveal):
        with pytest.raises(NothingCommitted):
            ask()
    source.commit("T1", 2)
    assert not source.holds(commitment)


@pytest.mark.parametrize("make", SOURCES)
def test_a_source_tells_nothing_to_a_log(make: Callable[[], DiceSource]) -> None:
    """A printed source shows its name, and neither secret nor dice."""
    source = make()
    source.commit("T1", 1)
    assert repr(source) == str(source) == f"<{type(source).__name__}>"


def test_a_script_gives_its_rolls_in_order_and_then_no_more() -> None:
    """Each entry is for one round, whatever its number; after the last one the source raises."""
    wanted: list[Roll | Mischief] = [ALL_ROLLS[0], ALL_ROLLS[215], Mischief.NOT_FLAT, ALL_ROLLS[100]]
    source = ScriptedDice(wanted)
    for number, entry in enumerate(wanted, start=7):
        source.commit("T1", number)
        if isinstance(entry, Mischief):
            assert source.mischief() is entry
        else:
            assert (source.reveal().dice, source.mischief()) == (entry.faces, None)
    with pytest.raises(NothingCommitted, match="ends after 4 rounds: nothing for round 11"):
        source.commit("T1", 11)


def test_mischief_for_training_comes_every_so_many_rounds() -> None:
    """Each kind comes in turn, and the tumbler then stops too early, leans or lifts its cover."""
    tumbler = VirtualTumbler(mischief=mischief_every(3))
    seen = []
    for number in range(1, 13):
        tumbler.commit("T1", number)
        seen.append(tumbler.mischief())
        assert tumbler.tumble() == (2 if seen[-1] is Mischief.TOO_FEW else 3)
    assert [each for number, each in enumerate(seen, start=1) if number % 3] == [None] * 8
    assert set(seen[2::3]) == set(Mischief)
    with pytest.raises(InputFault, match=r"^rounds: needs 1 or more"):
        mischief_every(0)


@pytest.mark.parametrize(
    ("book", "not_flat", "too_few", "exposed"),
    [
        ("nz-division-9", VoidReason.NOT_FLAT, VoidReason.TUMBLER_FAULT, VoidReason.EXPOSED),
        ("rws-tai-sai-v6", VoidReason.NOT_FLAT, VoidReason.TOO_FEW_TUMBLES, VoidReason.EXPOSED),
        ("rws-open-cover-v3", VoidReason.NOT_FLAT, VoidReason.TOO_FEW_TUMBLES, None),
        ("rws-mini-dice-v3", VoidReason.NOT_FLAT, VoidReason.TOO_FEW_TUMBLES, None),
    ],
)
def test_each_mischief_is_a_void_reason_of_the_book(
    book: str, not_flat: VoidReason, too_few: VoidReason, exposed: VoidReason | None
) -> None:
    """The book decides; where dice are tumbled only after the close, an early look exposes nothing."""
    procedure = shelf().book(book).procedure
    assert [void_for(procedure, each) for each in Mischief] == [not_flat, too_few, exposed]
