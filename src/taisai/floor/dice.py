"""Sources of dice: the virtual tumbler, and dice by script for tests.

Enters: the machine's own source of chance, or a list. Leaves: a commitment before the bets, a tumble, and at the end
dice with the opening that proves them. A source serves one table and tells nobody but its dealer, who has the result
recorded before it is shown (R14). Secrets live in memory only: nobody who reads the disk knows a roll early, and after
a restart a round that was committed cannot be opened any more; it is void. Serves R22: every round has a secret of its
own from the system's cryptographic generator, which reseeds itself and knows no clock; scaling is unbiased
(`core.fair`). Dice of a physical tumbler are entered by a dealer and have no source here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import StrEnum
from hashlib import sha256
from itertools import count
from typing import Final, NamedTuple, Protocol

from taisai.core.dice import Roll
from taisai.core.fair import SECRET_BYTES, commitment_of, opening_of, roll_from
from taisai.core.faults import InputFault
from taisai.core.rulebook import Procedure, VoidReason
from taisai.table.commands import Dice

TUMBLES: Final = 3
"""Every book asks for three tumbles at least."""


class Mischief(StrEnum):
    """What a device can be told to do wrong, for training and for tests."""

    NOT_FLAT = "not-flat"
    """A die leans."""
    TOO_FEW = "too-few-tumbles"
    """It stops before the third tumble."""
    EXPOSED = "exposed"
    """The cover lifts while bets are open."""


_VOIDS: Final = {
    Mischief.NOT_FLAT: (VoidReason.NOT_FLAT,),
    Mischief.TOO_FEW: (VoidReason.TOO_FEW_TUMBLES, VoidReason.TUMBLER_FAULT),
    Mischief.EXPOSED: (VoidReason.EXPOSED,),
}


def void_for(procedure: Procedure, mischief: Mischief) -> VoidReason | None:
    """By which of its reasons a book voids a round for this; None where the book has nothing against it."""
    return next((reason for reason in _VOIDS[mischief] if reason in procedure.voids), None)


class Reveal(NamedTuple):
    """Dice, and the opening that proves them."""

    dice: Dice
    opening: str


class DiceSource(Protocol):
    """Where a table's dice come from. Asked again for the same round, it answers the same."""

    def commit(self, table: str, number: int) -> str:
        """Fix the dice of a round, and give the commitment to publish; the round before is forgotten."""
        ...

    def holds(self, commitment: str) -> bool:
        """Whether this source can open a commitment; after a restart it cannot."""
        ...

    def tumble(self) -> int:
        """Tumble the dice of the committed round: how many times it did."""
        ...

    def mischief(self) -> Mischief | None:
        """What goes wrong with the committed round, if anything."""
        ...

    def reveal(self) -> Reveal:
        """The dice of the committed round, for the dealer alone, once bets are closed."""
        ...


class NothingCommitted(LookupError):
    """A source is asked for dice before it was asked for a commitment."""


class _Committed(NamedTuple):
    table: str
    number: int
    secret: bytes
    mischief: Mischief | None
    commitment: str


class _Source:
    """What the sources share: the one round that is committed, and nothing of those before."""

    def __init__(self) -> None:
        self._committed: _Committed | None = None

    def _made(self, table: str, number: int) -> tuple[bytes, Mischief | None]:
        raise NotImplementedError

    def commit(self, table: str, number: int) -> str:
        """Fix the dice of a round; the same round asked again has the same commitment."""
        held = self._committed
        if held is None or (held.table, held.number) != (table, number):
            secret, mischief = self._made(table, number)
            commitment = commitment_of(secret, table, number)
            held = self._committed = _Committed(table, number, secret, mischief, commitment)
        return held.commitment

    def _now(self) -> _Committed:
        if self._committed is None:
            raise NothingCommitted("no round is committed: commit comes first")
        return self._committed

    def holds(self, commitment: str) -> bool:
        """Whether the committed round is the one of this commitment."""
        held = self._committed
        return held is not None and held.commitment == commitment

    def tumble(self) -> int:
        """Three times, or too few where the device was told to misbehave."""
        return TUMBLES - (self._now().mischief is Mischief.TOO_FEW)

    def mischief(self) -> Mischief | None:
        """What the device was told to do wrong in this round."""
        return self._now().mischief

    def reveal(self) -> Reveal:
        """The dice that the secret gives, and the secret."""
        held = self._now()
        return Reveal(roll_from(held.secret, held.table, held.number).faces, opening_of(held.secret))

    def __repr__(self) -> str:
        """The name alone: a secret must not come into a log."""
        return f"<{type(self).__name__}>"


def no_mischief(_number: int) -> Mischief | None:
    """Every round goes well."""
    return None


def mischief_every(rounds: int) -> Callable[[int], Mischief | None]:
    """For training: every so many rounds something goes wrong, each kind in turn."""
    if rounds < 1:
        raise InputFault("rounds", f"needs 1 or more, got {rounds}")
    kinds = tuple(Mischief)
    return lambda number: None if number % rounds else kinds[number // rounds % len(kinds)]


class VirtualTumbler(_Source):
    """Dice from the machine's own cryptographic source of chance, committed before the bets (R22)."""

    def __init__(
        self,
        randbytes: Callable[[int], bytes] = os.urandom,
        mischief: Callable[[int], Mischief | None] = no_mischief,
    ) -> None:
        super().__init__()
        self._randbytes = randbytes
        self._mischief_of = mischief

    def _made(self, _table: str, number: int) -> tuple[bytes, Mischief | None]:
        return self._randbytes(SECRET_BYTES), self._mischief_of(number)


class ScriptedDice(_Source):
    """Dice as a list has them, one entry a round: a roll, or something that goes wrong. For tests and demonstrations.

    Committed and opened like any others: a secret is looked for that gives the roll.
    """

    def __init__(self, script: Sequence[Roll | Mischief]) -> None:
        super().__init__()
        self._script = tuple(script)
        self._dealt = 0

    def _made(self, table: str, number: int) -> tuple[bytes, Mischief | None]:
        if self._dealt == len(self._script):
            raise NothingCommitted(f"the script ends after {len(self._script)} rounds: nothing for round {number}")
        entry = self._script[self._dealt]
        self._dealt += 1
        secrets = (sha256(f"script {number} {tried}".encode()).digest() for tried in count())
        if isinstance(entry, Mischief):
            return next(secrets), entry
        return next(secret for secret in secrets if roll_from(secret, table, number) is entry), None
