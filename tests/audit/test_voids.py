"""The test of voids: exact level, and a house that aborts is found in time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from taisai.audit.voids import BOLDNESS, ENOUGH, VoidTest
from taisai.core.bets import Bet, PlayerId
from taisai.core.dice import ALL_ROLLS
from taisai.core.money import Chips
from taisai.core.settlement import settle
from tests.table.driver import NZ, TAI_SAI, shelf

ANY_TRIPLE = [-30 if roll.faces[0] == roll.faces[1] == roll.faces[2] else 1 for roll in ALL_ROLLS]
"""The house's win on a bet of 1 on any triple at 30 to 1."""
EVEN = [-1 if roll.total < 11 and ANY_TRIPLE[roll.index] > 0 else 1 for roll in ALL_ROLLS]
"""On small."""


def bets_by_chance(chance: Random, rounds: int) -> Iterator[list[int]]:
    """What the house would win on each roll, for rounds of random bets under two books."""
    for _ in range(rounds):
        name = chance.choice([NZ, TAI_SAI])
        layout = shelf().layout(name)
        bets = [Bet(PlayerId("p"), box, Chips(chance.randint(1, 500))) for box in chance.sample(list(layout.boxes), 4)]
        staked = sum(bet.stake for bet in bets)
        yield [staked - settle(layout, roll, bets).totals.returned for roll in ALL_ROLLS]


@pytest.mark.parametrize("void", [True, False])
def test_in_a_fair_house_no_gambler_wins_on_average(*, void: bool) -> None:
    """Over all 216 rolls, exactly: whatever the bets, a round multiplies the evidence by 1 in the mean, never below 0.

    Evidence that starts with 1, has mean 1 and is never negative ever reaches 1,000 with chance 1/1,000 at most.
    """
    for wins in [ANY_TRIPLE, EVEN, *bets_by_chance(Random(1), 40)]:
        mean = Fraction(sum(wins), 216)
        scale = (max(wins) - mean) if void else (mean - min(wins))
        gains = [(mean - win if void else win - mean) / scale for win in wins]
        assert sum(gains) == 0
        assert min(gains) == -1
        seen = []
        for index in range(216):
            test = VoidTest()
            test.see(wins, index, void=void)
            evidence = test.evidence
            seen.append(evidence.voids if void else evidence.standing)
            bold = sum(BOLDNESS) / len(BOLDNESS)
            assert seen[-1] == pytest.approx(1 + bold * float(gains[index]))
        assert min(seen) > 0
        assert sum(seen) / 216 == pytest.approx(1)


def watched(seed: int, rounds: int, *, abort: float, hide: bool = False, fault: float = 0.0) -> int | None:
    """After how many rounds a house is found that voids a share of the rounds which any triple wins; None if never.

    `hide`: it never opens a void round. `fault`: it also voids so many rounds by chance.
    """
    chance, test = Random(seed), VoidTest()
    for number in range(1, rounds + 1):
        rolled = chance.randrange(216)
        is_void = chance.random() < fault or (ANY_TRIPLE[rolled] < 0 and chance.random() < abort)
        if not (is_void and hide):
            test.see(ANY_TRIPLE, rolled, void=is_void)
        if test.evidence.favours_house:
            return number
    return None


def test_a_house_that_aborts_half_of_its_any_triple_losses_is_found_within_2000_rounds() -> None:
    """Each of 100 simulated houses, with and without honest voids among the others."""
    found = [watched(seed, 2_000, abort=0.5) for seed in range(100)]
    assert None not in found
    mixed = [watched(seed, 2_000, abort=0.5, fault=0.01) for seed in range(50)]
    assert None not in mixed


def test_hidden_voids_leave_their_mark_on_the_rounds_that_stand() -> None:
    """A house that hides what it voided is found by the rounds that are left, though later."""
    found = [watched(seed, 6_000, abort=0.5, hide=True) for seed in range(20)]
    assert sum(each is not None for each in found) >= 18


def test_one_honest_house_in_a_thousand_at_most_is_suspected() -> None:
    """3,000 houses with forty voids by chance each: three alarms at most."""
    alarms = 0
    for seed in range(3_000):
        chance, test = Random(seed), VoidTest()
        for _ in range(40):
            test.see(ANY_TRIPLE, chance.randrange(216), void=True)
        alarms += test.evidence.favours_house
    assert alarms <= 3


def test_a_round_that_no_roll_decides_says_nothing() -> None:
    """Without bets there is nothing to gain by a void."""
    test = VoidTest()
    test.see([0] * 216, 3, void=True)
    assert (test.evidence.rounds, test.evidence.peak) == (0, 1.0)


def test_the_alarm_stays_raised_and_names_its_round() -> None:
    """Later rounds do not wash it away, and evidence has a ceiling."""
    test = VoidTest()
    triple = ANY_TRIPLE.index(-30)
    for _ in range(400):
        test.see(ANY_TRIPLE, triple, void=True)
    first = test.evidence.found_at
    assert first is not None
    assert first < 5
    for _ in range(2_000):
        test.see(ANY_TRIPLE, ANY_TRIPLE.index(1), void=True)
    assert (test.evidence.found_at, test.evidence.favours_house) == (first, True)
    assert test.evidence.peak >= ENOUGH
