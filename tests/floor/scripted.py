"""Dice from a list, for tests of automatic tables."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count

from taisai.core.dice import Roll
from taisai.core.fair import commitment_of, opening_of, roll_from
from taisai.floor.dice import Commitment, Mischief, NothingToDeal, VirtualTumbler


class ScriptedDice(VirtualTumbler):
    """Dice from a list, one entry a round: a roll, or something that goes wrong.

    They are committed and opened like any others: the source searches for a secret that gives the roll to players who
    bring nothing.
    """

    def __init__(self, script: Sequence[Roll | Mischief]) -> None:
        super().__init__()
        self._script = tuple(script)
        self._dealt: dict[int, tuple[bytes, Mischief | None]] = {}

    def _drawn(self, table: str, number: int) -> tuple[bytes, Mischief | None]:
        if len(self._dealt) == len(self._script):
            raise NothingToDeal(f"the script ends after {len(self._script)} rounds: nothing for round {number}")
        entry = self._script[len(self._dealt)]
        secrets = (sha256(f"script {number} {tried}".encode()).digest() for tried in count())
        if isinstance(entry, Mischief):
            return next(secrets), entry
        return next(secret for secret in secrets if roll_from(secret, table, number) is entry), None

    def commit(self, table: str, number: int) -> Commitment:
        """The next entry of the script."""
        if number not in self._dealt:
            self._dealt[number] = self._drawn(table, number)
        return Commitment(commitment_of(self._dealt[number][0], table, number), "")

    def opening(self, table: str, number: int, committed: Commitment) -> str | None:
        """The secret, unless it was another source's."""
        secret, _ = self._dealt.get(number, (bytes(32), None))
        return opening_of(secret) if commitment_of(secret, table, number) == committed.commitment else None

    def mischief(self, number: int) -> Mischief | None:
        """What the script says."""
        return self._dealt[number][1] if number in self._dealt else None
