"""Sources of dice: chance that is even, commitments that hold, secrets that stay, mischief on purpose."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from taisai.core.dice import ALL_ROLLS, Roll, parse_roll
from taisai.core.fair import commitment_of, roll_from, secret_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import Fact
from taisai.floor.dice import (
    DiceSource,
    Mischief,
    NothingToDeal,
    VirtualTumbler,
    dice_key,
    mischief_every,
    void_for,
)
from tests.floor.scripted import ScriptedDice
from tests.table.driver import shelf

SOURCES: list[Callable[[], DiceSource]] = [
    VirtualTumbler,
    lambda: ScriptedDice([parse_roll("1,3,6"), parse_roll("6,6,6")]),
]


def rolled(source: DiceSource, number: int, *brought: str) -> Roll:
    """The roll of a round of T1."""
    opening = source.opening("T1", number, source.commit("T1", number))
    assert opening is not None
    return roll_from(secret_of(opening), "T1", number, brought)


def test_the_rolls_of_the_virtual_tumbler_are_even() -> None:
    """60,000 rolls from a seeded generator: chi-square over all 216 rolls, and over each die, within 99 %."""
    tumbler = VirtualTumbler(Random(20260310).randbytes)
    rolls = 60_000
    counted: Counter[int] = Counter()
    faces: list[Counter[int]] = [Counter(), Counter(), Counter()]
    for number in range(1, rolls + 1):
        roll = rolled(tumbler, number)
        counted[roll.index] += 1
        for die, face in zip(faces, roll.faces, strict=True):
            die[face] += 1
    # The 0.5 % and 99.5 % points of chi-square with 215 and with 5 degrees of freedom.
    for counts, kinds, low, high in ((counted, 216, 165.344, 272.162), *((die, 6, 0.412, 16.750) for die in faces)):
        # Exactly: the sum of squares over the expected count, less the number of rolls.
        statistic = sum(each * each for each in counts.values()) * kinds / rolls - rolls
        assert low < statistic < high


def test_a_contribution_chosen_last_gains_nothing() -> None:
    """A player who always brings the same, or all zeros, gets rolls that are as even: chi-square within 99 %."""
    for brought in ("0" * 32, "f" * 32):
        tumbler = VirtualTumbler(Random(20260311).randbytes)
        counted = Counter(rolled(tumbler, number, brought).index for number in range(1, 10_801))
        assert 165.344 < sum(each * each for each in counted.values()) * 216 / 10_800 - 10_800 < 272.162


def test_chance_comes_from_the_system_and_each_round_has_a_secret_of_its_own() -> None:
    """The tumbler takes 32 bytes for its key and 32 for every round from the system's cryptographic generator."""
    asked: list[int] = []

    def randbytes(size: int) -> bytes:
        asked.append(size)
        return os.urandom(size)

    tumbler = VirtualTumbler(randbytes)
    openings = {tumbler.opening("T1", number, tumbler.commit("T1", number)) for number in range(1, 51)}
    assert (asked, len(openings)) == ([32] * 51, 50)
    assert VirtualTumbler().commit("T1", 1) != VirtualTumbler().commit("T1", 1)


@pytest.mark.parametrize("make", SOURCES)
def test_what_is_opened_is_what_was_committed(make: Callable[[], DiceSource]) -> None:
    """The opening fits the commitment; asked again, a round gives the same answer."""
    source = make()
    for number in (4, 5):
        committed = source.commit("T1", number)
        assert source.commit("T1", number) == committed
        opening = source.opening("T1", number, committed)
        assert opening is not None
        assert source.opening("T1", number, committed) == opening
        assert commitment_of(secret_of(opening), "T1", number) == committed.commitment
        assert (source.tumble(number), source.mischief(number)) == (3, None)


@pytest.mark.parametrize("make", SOURCES)
def test_another_source_opens_nothing(make: Callable[[], DiceSource]) -> None:
    """A new source without the key, as after a restart, can open nothing; nor can any another table's or round's."""
    source, other = make(), make()
    committed = source.commit("T1", 1)
    if not isinstance(source, ScriptedDice):
        assert other.opening("T1", 1, committed) is None
    assert source.opening("T1", 2, committed) is None
    assert source.opening("T2", 1, committed) is None


def test_whoever_has_the_key_finds_a_secret_again() -> None:
    """After a restart, or on another node: the round's record and the key give the secret; another key, none."""
    committed = VirtualTumbler(key=b"k" * 32).commit("T1", 7)
    again = VirtualTumbler(key=b"k" * 32).opening("T1", 7, committed)
    assert again is not None
    assert commitment_of(secret_of(again), "T1", 7) == committed.commitment
    assert VirtualTumbler(key=b"j" * 32).opening("T1", 7, committed) is None


def test_the_key_is_a_file_for_its_owner_alone_made_once(tmp_path: Path) -> None:
    """It is made on first use and read from then on; a file that is no key is a fault that names the setting."""
    path = tmp_path / "floor.db.dice-key"
    key = dice_key(path)
    assert (len(key), dice_key(path), path.stat().st_mode & 0o777) == (32, key, 0o600)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    for bad in ("", "zz", "00" * 31):
        path.write_text(bad)
        with pytest.raises(InputFault, match=r"^house.dice_key: .* is not 64 hexadecimal digits"):
            dice_key(path)
    with pytest.raises(InputFault, match=r"^house.dice_key: .* cannot be read or made"):
        dice_key(tmp_path / "nowhere" / "key")


@pytest.mark.parametrize("make", SOURCES)
def test_a_source_tells_nothing_to_a_log(make: Callable[[], DiceSource]) -> None:
    """A printed source shows its name, and neither key nor secret."""
    source = make()
    source.commit("T1", 1)
    assert repr(source) == str(source) == f"<{type(source).__name__}>"


def test_a_script_gives_its_rolls_in_order_and_then_no_more() -> None:
    """Each entry is for one round, whatever its number; after the last one the source raises."""
    wanted: list[Roll | Mischief] = [ALL_ROLLS[0], ALL_ROLLS[215], Mischief.NOT_FLAT, ALL_ROLLS[100]]
    source = ScriptedDice(wanted)
    for number, entry in enumerate(wanted, start=7):
        shown = rolled(source, number)
        if isinstance(entry, Mischief):
            assert source.mischief(number) is entry
        else:
            assert (shown, source.mischief(number)) == (entry, None)
    with pytest.raises(NothingToDeal, match="ends after 4 rounds: nothing for round 11"):
        source.commit("T1", 11)


def test_mischief_for_training_comes_every_so_many_rounds() -> None:
    """Each kind comes in turn, and the tumbler then stops too early, leans or lifts its cover."""
    tumbler = VirtualTumbler(mischief=mischief_every(3))
    seen = []
    for number in range(1, 13):
        seen.append(tumbler.mischief(number))
        assert tumbler.tumble(number) == (2 if seen[-1] is Mischief.TOO_FEW else 3)
    assert [each for number, each in enumerate(seen, start=1) if number % 3] == [None] * 8
    assert set(seen[2::3]) == set(Mischief)
    with pytest.raises(InputFault, match=r"^rounds: needs 1 or more"):
        mischief_every(0)


@pytest.mark.parametrize(
    ("book", "not_flat", "too_few", "exposed"),
    [
        ("nz-division-9", Fact.NOT_FLAT, Fact.TOO_FEW_TUMBLES, Fact.EXPOSED),
        ("rws-tai-sai-v6", Fact.NOT_FLAT, Fact.TOO_FEW_TUMBLES, Fact.EXPOSED),
        ("rws-open-cover-v3", Fact.NOT_FLAT, Fact.TOO_FEW_TUMBLES, None),
        ("rws-mini-dice-v3", Fact.NOT_FLAT, Fact.TOO_FEW_TUMBLES, None),
    ],
)
def test_each_mischief_is_a_void_reason_of_the_book(
    book: str, not_flat: Fact, too_few: Fact, exposed: Fact | None
) -> None:
    """The book decides; where dice are tumbled only after the close, an early look exposes nothing."""
    procedure = shelf().book(book).procedure
    assert [void_for(procedure, each) for each in Mischief] == [not_flat, too_few, exposed]
