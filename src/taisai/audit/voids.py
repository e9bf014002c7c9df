"""Whether the voids of a table favour the house: a test that may be looked at after every round.

Enters: rounds of committed dice in order, each with what the house would win on each of the 216 rolls, the roll, and
whether the round was void. Leaves: the evidence that voids were chosen by their rolls. Serves R22.

If nobody chooses which rounds are void by what they would show, then a round's roll is even over the 216, whatever the
bets and whatever came before. Two gamblers bet against that, each with one unit of evidence that cannot go below zero:
one bets that void rounds are those the house would have lost, the other that the rounds which stand are too good for
the house. The second needs no opening of the void rounds. In a fair game neither wins on average, round by round, so
by Ville's inequality the mean of the two ever reaches 1,000 in one fair house of 1,000 at most, however long it is
watched. Each gambler is spread over several boldnesses, since nobody knows beforehand how often a house would cheat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

ENOUGH: Final = 1_000
"""The evidence from which on voids are said to favour the house: one false alarm in so many houses."""
BOLDNESS: Final = (0.02, 0.1, 0.25, 0.5, 0.75)
"""The share of its evidence that a gambler stakes on a round."""
EVIDENCE_MAX: Final = 1e300


class Evidence(Struct, frozen=True):
    """What the test says after the rounds that it was shown."""

    voids: float
    """That the void rounds were those the house would have lost."""
    standing: float
    """That the rounds which stand are too good for the house."""
    peak: float
    """The highest that the mean of the two has ever been: what counts."""
    rounds: int
    """Rounds with bets, void ones included."""
    void_rounds: int
    found_at: int | None
    """The round, counted from 1, after which the voids were said to favour the house."""

    @property
    def favours_house(self) -> bool:
        """Whether there is enough of it."""
        return self.found_at is not None


class VoidTest:
    """The test, round by round."""

    def __init__(self) -> None:
        self._voids = [1.0] * len(BOLDNESS)
        self._standing = [1.0] * len(BOLDNESS)
        self._peak = 1.0
        self._rounds = 0
        self._void_rounds = 0
        self._found_at: int | None = None

    def see(self, wins: Sequence[int], rolled: int, *, void: bool) -> None:
        """A round: the house's win on each of the 216 rolls, less than nothing where it loses, and the roll's index."""
        worst, best = min(wins), max(wins)
        if worst == best:
            return  # no bets, or none that any roll could decide: nothing to gain by a void
        self._rounds += 1
        self._void_rounds += void
        mean = sum(wins) / len(wins)
        if void:
            gain, gamblers = (mean - wins[rolled]) / (best - mean), self._voids
        else:
            gain, gamblers = (wins[rolled] - mean) / (mean - worst), self._standing
        for place, boldness in enumerate(BOLDNESS):
            gamblers[place] = min(gamblers[place] * (1 + boldness * gain), EVIDENCE_MAX)
        now = (_mean(self._voids) + _mean(self._standing)) / 2
        self._peak = max(self._peak, now)
        if self._found_at is None and now >= ENOUGH:
            self._found_at = self._rounds

    @property
    def evidence(self) -> Evidence:
        """What is known so far."""
        return Evidence(
            voids=_mean(self._voids),
            standing=_mean(self._standing),
            peak=self._peak,
            rounds=self._rounds,
            void_rounds=self._void_rounds,
            found_at=self._found_at,
        )


def _mean(gamblers: Sequence[float]) -> float:
    return sum(gamblers) / len(gamblers)
