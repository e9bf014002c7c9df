"""Dice from a list, for tests of automatic tables."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count

from taisai.core.dice import Roll
from taisai.core.fair import roll_from
from taisai.floor.dice import Mischief, NothingCommitted, VirtualTumbler


class ScriptedDice(VirtualTumbler):
    """Dice from a list, one entry a round: a roll, or something that goes wrong.

    They are committed and opened like any others: the source searches for a secret that gives the roll.
    """

    def __init__(self, script: Sequence[Roll | Mischief]) -> None:
        super().__init__()
        self._script = tuple(script)
        self._dealt = 0

    def _drawn(self, table: str, number: int) -> tuple[bytes, Mischief | None]:
        if self._dealt == len(self._script):
            raise NothingCommitted(f"the script ends after {len(self._script)} rounds: nothing for round {number}")
        entry = self._script[self._dealt]
        self._dealt += 1
        secrets = (sha256(f"script {number} {tried}".encode()).digest() for tried in count())
        if isinstance(entry, Mischief):
            return next(secrets), entry
        return next(secret for secret in secrets if roll_from(secret, table, number) is entry), None
