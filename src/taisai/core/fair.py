"""Fair virtual dice: a roll that is fixed before the bets, and proven after them.

Enters: a secret of 32 bytes, the table's name, the number of the round. Leaves: the commitment, which is published
before the first bet and reveals nothing, and the roll, which follows from the secret alone. Anyone who is shown the
secret afterwards (the opening) can recompute both. Serves R22 (cryptographic, unbiased scaling) and R14 (the result is
fixed before it is shown). Each is SHA-256 over lines of text, so that `sha256sum` can check it:

    taisai dice 1 commitment <newline> opening <newline> round <newline> table
    taisai dice 1 roll <newline> opening <newline> round <newline> block <newline> table

The opening is the secret in 64 lowercase hexadecimal digits; round and block are decimal numbers; there is no trailing
newline. The table comes last, so that no name can give two rounds the same text. Blocks are numbered from 0; of their
bytes, in order, the first below 216 is the roll's index in `ALL_ROLLS`. Each roll has exactly one byte value, so all
are equally likely; the other 40 values are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain, count
from typing import Final

from taisai.core.dice import ALL_ROLLS, Roll
from taisai.core.faults import InputFault, shown

SECRET_BYTES: Final = 32
COMMITMENT_DOMAIN: Final = "taisai dice 1 commitment"
ROLL_DOMAIN: Final = "taisai dice 1 roll"
_HEX: Final = re.compile(r"[0-9a-f]{64}")


def opening_of(secret: bytes) -> str:
    """The secret as it is published once the dice are uncovered."""
    if len(secret) != SECRET_BYTES:
        raise InputFault("secret", f"needs {SECRET_BYTES} bytes, got {len(secret)}")
    return secret.hex()


def secret_of(opening: str, field_name: str = "opening") -> bytes:
    """The secret in an opening; `InputFault` with the field for anything but 64 hexadecimal digits."""
    return bytes.fromhex(hex_of(opening, field_name))


def hex_of(text: str, field_name: str) -> str:
    """A commitment or an opening: 64 lowercase hexadecimal digits; `InputFault` for any other text."""
    if _HEX.fullmatch(text) is None:
        raise InputFault(field_name, f"needs 64 hexadecimal digits in small letters, got {shown(text)}")
    return text


def commitment_of(secret: bytes, table: str, number: int) -> str:
    """What is published before the bets of a round; nobody can find a second secret that gives the same."""
    return _hashed(f"{COMMITMENT_DOMAIN}\n{opening_of(secret)}\n{_round(number)}\n{table}").hex()


def roll_from(secret: bytes, table: str, number: int) -> Roll:
    """The roll that a secret gives for a round."""
    return roll_among(_blocks(opening_of(secret), table, _round(number)))


def roll_among(blocks: Iterable[bytes]) -> Roll:
    """The roll whose index is the first byte below 216."""
    return ALL_ROLLS[next(byte for byte in chain.from_iterable(blocks) if byte < len(ALL_ROLLS))]


def _blocks(opening: str, table: str, number: int) -> Iterator[bytes]:
    return (_hashed(f"{ROLL_DOMAIN}\n{opening}\n{number}\n{block}\n{table}") for block in count())


def _round(number: int) -> int:
    if number < 1:
        raise InputFault("round", f"rounds are numbered from 1, got {shown(number)}")
    return number


def _hashed(text: str) -> bytes:
    # A name with a lone surrogate is not valid UTF-8; it is hashed as it would be stored.
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
