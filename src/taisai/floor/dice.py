"""Sources of dice: the virtual tumbler.

Enters: the system's random generator and the house's key of its dice. Leaves: a commitment before the bets, a tumble,
and at the close the opening. What the dice show follows from the opening and from what the players brought
(`core.fair`), so a source knows no roll. Serves R22: every round has 32 bytes of its own from the system's
cryptographic generator, which reseeds itself and uses no clock; the round's secret is their HMAC-SHA256 under the
house's key. The bytes are in the round's record, the key is in a file apart or in memory alone: who reads the journal,
or a backup of it, knows no secret early, and who has the key finds the secret of a committed round again after a
restart, on any node. A dealer enters the dice of a physical tumbler, which has no source here.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from taisai.core.fair import SECRET_BYTES, commitment_of, opening_of
from taisai.core.faults import InputFault
from taisai.core.rulebook import Fact, Procedure
from taisai.outside import Unreadable, read_text

TUMBLES: Final = 3
"""Every book requires at least three tumbles."""
TEST_BYTES: Final = 65_536
KEY_BYTES_MAX: Final = 1_024
"""How much a test of a source looks at: every value of a byte 256 times on average."""


class Mischief(StrEnum):
    """What a device can be made to do wrong, for training and for tests."""

    NOT_FLAT = "not-flat"
    """A die leans."""
    TOO_FEW = "too-few-tumbles"
    """It stops before the third tumble."""
    EXPOSED = "exposed"
    """The cover lifts while bets are open."""


_VOIDS: Final = {
    Mischief.NOT_FLAT: (Fact.NOT_FLAT,),
    Mischief.TOO_FEW: (Fact.TOO_FEW_TUMBLES, Fact.TUMBLER_FAULT),
    Mischief.EXPOSED: (Fact.EXPOSED,),
}


def void_for(procedure: Procedure, mischief: Mischief) -> Fact | None:
    """The fact by which a book voids a round after this; None where it does not."""
    facts = procedure.facts
    return next((fact for fact in _VOIDS[mischief] if fact in facts and facts[fact].voids), None)


class Commitment(NamedTuple):
    """What a round's record says of the house's part in its dice."""

    commitment: str
    nonce: str


class SourceTest(NamedTuple):
    """What a test of a source found."""

    source: str
    drawn: int
    sound: bool


class DiceSource(Protocol):
    """Where a table's dice come from. It keeps nothing of a round: it answers from what the round's record says."""

    def commit(self, table: str, number: int) -> Commitment:
        """Draw the house's part in the dice of a round; asked again for the round before it is recorded, the same."""
        ...

    def opening(self, table: str, number: int, committed: Commitment) -> str | None:
        """The secret behind a commitment; None where this source cannot find it, as after the loss of the key."""
        ...

    def tumble(self, number: int) -> int:
        """Tumble the dice of a round; the number of tumbles."""
        ...

    def mischief(self, number: int) -> Mischief | None:
        """What goes wrong with a round, if anything."""
        ...

    def test(self) -> SourceTest:
        """Whether the source works, before a table is opened with it."""
        ...


class NothingToDeal(LookupError):
    """A source has no dice for a round."""


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
    """Dice from the system's cryptographic random generator, committed before the bets (R22)."""

    def __init__(
        self,
        randbytes: Callable[[int], bytes] = os.urandom,
        mischief: Callable[[int], Mischief | None] = no_mischief,
        key: bytes | None = None,
    ) -> None:
        """Without a key the source draws one of its own: what it committed is lost with it."""
        self._randbytes = randbytes
        self._mischief_of = mischief
        self._key = key or randbytes(SECRET_BYTES)
        self._last: tuple[str, int, Commitment] | None = None

    def _secret(self, table: str, number: int, nonce: str) -> bytes:
        return hmac.digest(self._key, f"taisai dice secret\n{nonce}\n{number}\n{table}".encode(), "sha256")

    def commit(self, table: str, number: int) -> Commitment:
        """Draw for a round."""
        if self._last is None or self._last[:2] != (table, number):
            nonce = self._randbytes(SECRET_BYTES).hex()
            commitment = commitment_of(self._secret(table, number, nonce), table, number)
            self._last = (table, number, Commitment(commitment, nonce))
        return self._last[2]

    def opening(self, table: str, number: int, committed: Commitment) -> str | None:
        """The secret, where the key is the one that it was drawn with."""
        secret = self._secret(table, number, committed.nonce)
        return opening_of(secret) if commitment_of(secret, table, number) == committed.commitment else None

    def tumble(self, number: int) -> int:
        """Three times, or too few where the device was made to misbehave."""
        return TUMBLES - (self.mischief(number) is Mischief.TOO_FEW)

    def mischief(self, number: int) -> Mischief | None:
        """What the device does wrong in a round."""
        return self._mischief_of(number)

    def test(self) -> SourceTest:
        """Draw from the generator and look whether every value of a byte comes about as often as it should.

        The bound is passed by a sound generator all but once in thousands of millions of tests.
        """
        drawn = self._randbytes(TEST_BYTES)
        mean = TEST_BYTES // 256
        # Twice the mean of the chi-squared statistic: 256 values have 255 degrees of freedom.
        spread = sum((drawn.count(value) - mean) ** 2 for value in range(256))
        return SourceTest("virtual dice", len(drawn), len(drawn) == TEST_BYTES and spread < 2 * 255 * mean)

    def __repr__(self) -> str:
        """The name alone: a key must not get into a log."""
        return f"<{type(self).__name__}>"


# ------------------------------------------------------------------ the key


def dice_key(path: Path) -> bytes:
    """The key of a house's dice: a file of 64 hexadecimal digits that its owner alone may read, made on first use."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        if not path.exists():
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{secrets.token_hex(SECRET_BYTES)}\n")
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(draft, path)
            except FileExistsError:  # another node was first
                pass
            finally:
                draft.unlink()
        key = bytes.fromhex(read_text(path, KEY_BYTES_MAX))
    except Unreadable as error:
        raise InputFault("house.dice_key", f"{path} {error.reason}") from error
    except OSError as error:
        raise InputFault("house.dice_key", f"{path} cannot be read or made: {error.strerror}") from error
    except ValueError as error:
        raise InputFault("house.dice_key", f"{path} is not 64 hexadecimal digits") from error
    if len(key) != SECRET_BYTES:
        raise InputFault("house.dice_key", f"{path} is not 64 hexadecimal digits")
    return key
