"""Fair virtual dice: a roll that nobody can choose, fixed by the close and proven after it.

Enters: a secret of 32 bytes, the table's name, the number of the round, what the players brought. Leaves: the
commitment, which is published before the first bet and reveals nothing, and the roll, which follows from the secret and
the players' contributions together. Anyone who is shown the secret after the close (the opening) can recompute both.
Serves R22 (cryptographic, unbiased scaling) and R14 (the result is fixed before it is shown). Each is SHA-256 over
lines of text, so that `sha256sum` can check it:

    taisai dice 2 commitment <newline> opening <newline> round <newline> table
    taisai dice 2 mix <newline> contribution <newline> contribution ...
    taisai dice 2 roll <newline> opening <newline> mix <newline> round <newline> block <newline> table
    taisai dice 2 draw <newline> opening <newline> mix <newline> round <newline> block <newline> table

The opening is the secret in 64 lowercase hexadecimal digits; a contribution is 32 of them, and they are sorted, so that
their order is nobody's choice; the mix is the hash in hexadecimal; round and block are decimal numbers; there is no
trailing newline. The table comes last, so that no name can give two rounds the same text. Blocks are numbered from 0;
of their bytes, in order, the first below 216 is the roll's index in `ALL_ROLLS`. Each roll has exactly one byte value,
so all are equally likely; the other 40 values are skipped.

Form 1, of version 0.1, fixed the roll by the secret alone: its texts say 1, and have no mix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, chain, count
from typing import Final

from taisai.core.dice import ALL_ROLLS, Roll
from taisai.core.faults import InputFault, shown

SECRET_BYTES: Final = 32
CONTRIBUTION_BYTES: Final = 16
FORM: Final = 2
"""How dice are committed today; journals of version 0.1 have form 1."""
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_CONTRIBUTION: Final = re.compile(r"[0-9a-f]{32}")


def opening_of(secret: bytes) -> str:
    """The secret as it is published."""
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


def commitment_of(secret: bytes, table: str, number: int, form: int = FORM) -> str:
    """What is published before the bets of a round; nobody can find a second secret that gives the same."""
    return _hashed(f"taisai dice {_form(form)} commitment\n{opening_of(secret)}\n{_round(number)}\n{table}").hex()


def mix_of(contributions: Iterable[str]) -> str:
    """What all players brought, as one: the same in whatever order they brought it."""
    ordered = sorted(contributions)
    for each in ordered:
        if _CONTRIBUTION.fullmatch(each) is None:
            raise InputFault("contribution", f"needs 32 hexadecimal digits in small letters, got {shown(each)}")
    return _hashed("\n".join(("taisai dice 2 mix", *ordered))).hex()


def roll_from(secret: bytes, table: str, number: int, contributions: Iterable[str] = (), form: int = FORM) -> Roll:
    """The roll that a secret and the players' contributions give for a round."""
    return roll_among(blocks_of(secret, table, number, contributions, form))


def blocks_of(
    secret: bytes, table: str, number: int, contributions: Iterable[str] = (), form: int = FORM
) -> Iterator[bytes]:
    """The hashes that the roll of a round is read from, without end."""
    mixed = [mix_of(contributions)] if _form(form) == FORM else []
    first = "\n".join((f"taisai dice {form} roll", opening_of(secret), *mixed, str(_round(number))))
    return (_hashed(f"{first}\n{block}\n{table}") for block in count())


def draw_from(secret: bytes, table: str, number: int, contributions: Iterable[str], weights: Sequence[int]) -> int:
    """Which row of a draw table a round has: a place among the weights, as fixed by the close as the roll is.

    Of the first eight bytes of each hash, as a number, the first that is below the greatest multiple of all weights
    together; what is left of it when those are taken out falls to a row by its weight.
    """
    total = sum(weights)
    first = "\n".join(("taisai dice 2 draw", opening_of(secret), mix_of(contributions), str(_round(number))))
    numbers = (int.from_bytes(_hashed(f"{first}\n{block}\n{table}")[:8], "big") for block in count())
    left = next(drawn for drawn in numbers if drawn < 2**64 // total * total) % total
    return next(place for place, upto in enumerate(accumulate(weights)) if left < upto)


def roll_among(blocks: Iterable[bytes]) -> Roll:
    """The roll whose index is the first byte below 216."""
    return ALL_ROLLS[next(byte for byte in chain.from_iterable(blocks) if byte < len(ALL_ROLLS))]


def _round(number: int) -> int:
    if number < 1:
        raise InputFault("round", f"rounds are numbered from 1, got {shown(number)}")
    return number


def _form(form: int) -> int:
    if form not in (1, FORM):
        raise InputFault("form", f"1 and {FORM} are known, got {shown(form)}")
    return form


def _hashed(text: str) -> bytes:
    # A name with a lone surrogate is not valid UTF-8; it is hashed as it would be stored.
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
