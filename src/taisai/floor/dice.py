"""Sources of dice: the virtual tumbler.

Enters: the system's random generator. Leaves: a commitment before the bets, a tumble, and at the end dice
with the opening that proves them. A source serves one table and reveals its dice only to the dealer, who has the result
recorded before it is shown (R14). Secrets are in memory only: nobody who reads the disk knows a roll early, and after a
restart a committed round cannot be opened any more; it is void. Serves R22: every round has a secret of its own from
the system's cryptographic generator, which reseeds itself and uses no clock; scaling is unbiased (`core.fair`). A
dealer enters the dice of a physical tumbler, which has no source here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from taisai.core.fair import SECRET_BYTES, commitment_of, opening_of, roll_from
from taisai.core.faults import InputFault
from taisai.core.rulebook import Procedure, VoidReason
from taisai.table.commands import Dice

TUMBLES: Final = 3
"""Every book requires at least three tumbles."""


class Mischief(StrEnum):
    """What a device can be made to do wrong, for training and for tests."""

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
    """The reason for which a book voids a round after this; None where it does not."""
    return next((reason for reason in _VOIDS[mischief] if reason in procedure.voids), None)


class Reveal(NamedTuple):
    """Dice, and the opening that proves them."""

    dice: Dice
    opening: str


class DiceSource(Protocol):
    """Where a table's dice come from. Asked again for the same round, it gives the same answer."""

    def commit(self, table: str, number: int) -> str:
        """Fix the dice of a round, and give the commitment to publish; the previous round is forgotten."""
        ...

    def holds(self, commitment: str) -> bool:
        """Whether this source can open a commitment, which it cannot after a restart."""
        ...

    def tumble(self) -> int:
        """Tumble the dice of the committed round; the number of tumbles."""
        ...

    def mischief(self) -> Mischief | None:
        """What goes wrong with the committed round, if anything."""
        ...

    def reveal(self) -> Reveal:
        """The dice of the committed round, for the dealer only, once bets are closed."""
        ...


class NothingCommitted(LookupError):
    """A source was asked for dice before it was asked for a commitment."""


class _Committed(NamedTuple):
    table: str
    number: int
    secret: bytes
    mischief: Mischief | None
    commitment: str


def no_mischief(_number: int) -> Mischief | None:
    """Every round goes well."""
    return None


def mischief_every(rounds: int) -> Callable[[int], Mischief | None]:
    """For training: every `rounds` rounds something goes wrong, each kind in turn."""
    if rounds < 1:
        raise InputFault("rounds", f"needs 1 or more, got {rounds}")
    kinds = tuple(Mischief)
    return lambda number: None if number % rounds else kinds[number // rounds % len(kinds)]


class VirtualTumbler:
    """Dice from the system's cryptographic random generator, committed before the bets (R22).

    It keeps the committed round, and nothing of those before.
    """

    def __init__(
        self,
        randbytes: Callable[[int], bytes] = os.urandom,
        mischief: Callable[[int], Mischief | None] = no_mischief,
    ) -> None:
        self._randbytes = randbytes
        self._mischief_of = mischief
        self._committed: _Committed | None = None

    def _drawn(self, _table: str, number: int) -> tuple[bytes, Mischief | None]:
        """The secret of a round, and what goes wrong in it."""
        return self._randbytes(SECRET_BYTES), self._mischief_of(number)

    def commit(self, table: str, number: int) -> str:
        """Fix the dice of a round; the same round asked again has the same commitment."""
        committed = self._committed
        if committed is None or (committed.table, committed.number) != (table, number):
            secret, mischief = self._drawn(table, number)
            commitment = commitment_of(secret, table, number)
            committed = self._committed = _Committed(table, number, secret, mischief, commitment)
        return committed.commitment

    def _now(self) -> _Committed:
        if self._committed is None:
            raise NothingCommitted("no round is committed: commit comes first")
        return self._committed

    def holds(self, commitment: str) -> bool:
        """Whether the committed round is the one of this commitment."""
        return self._committed is not None and self._committed.commitment == commitment

    def tumble(self) -> int:
        """Three times, or too few where the device was made to misbehave."""
        return TUMBLES - (self._now().mischief is Mischief.TOO_FEW)

    def mischief(self) -> Mischief | None:
        """What the device does wrong in this round."""
        return self._now().mischief

    def reveal(self) -> Reveal:
        """The dice that the secret gives, and the secret."""
        committed = self._now()
        roll = roll_from(committed.secret, committed.table, committed.number)
        return Reveal(roll.faces, opening_of(committed.secret))

    def __repr__(self) -> str:
        """The name alone: a secret must not get into a log."""
        return f"<{type(self).__name__}>"
