"""A second opinion on committed dice, written from docs/fair-dice.md and sharing no code with `core.fair`.

Enters: a commitment and an opening as the journal has them, the table, the round, what players brought, the dice.
Leaves: what is wrong with them, in words. Serves R14 and R22.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

Dice = tuple[int, int, int]


def opened_wrong(
    commitment: str,
    opening: str,
    table: str,
    number: int,
    dice: Dice | None,
    *,
    contributions: Sequence[str] | None = None,
) -> str:
    """Why the dice of a round are not as they were committed; nothing when they are, or when nothing was committed.

    Without contributions the round is of form 1, whose roll was fixed before the bets. Without dice, the round has no
    roll, and the opening alone is looked at.
    """
    if not commitment:
        return "the dice were opened, and had not been committed" if opening else ""
    if not opening:
        return "committed dice were uncovered without their opening"
    form = "1" if contributions is None else "2"
    if _sha256(f"taisai dice {form} commitment", opening, str(number), table).hex() != commitment:
        return f"the opening {opening[:16]}… does not fit the commitment {commitment[:16]}…"
    if dice is None:
        return ""
    shows = dice_of(opening, table, number, contributions)
    return "" if shows == dice else f"the dice were recorded as {dice}, the opening gives {shows}"


def dice_of(opening: str, table: str, number: int, contributions: Sequence[str] | None) -> Dice:
    """The dice that an opening gives; without contributions, of form 1."""
    first = ["taisai dice 1 roll", opening]
    if contributions is not None:
        first = ["taisai dice 2 roll", opening, _sha256("taisai dice 2 mix", *sorted(contributions)).hex()]
    block = 0
    while True:
        for byte in _sha256(*first, str(number), str(block), table):
            if byte < 6 * 6 * 6:
                two, third = divmod(byte, 6)
                face, second = divmod(two, 6)
                return (face + 1, second + 1, third + 1)
        block += 1


def draw_of(opening: str, table: str, number: int, contributions: Sequence[str], weights: Sequence[int]) -> int:
    """Which row of a draw table an opening gives, counted from 0."""
    mix, whole = _sha256("taisai dice 2 mix", *sorted(contributions)).hex(), sum(weights)
    block, most = 0, 2**64 - 2**64 % whole
    while True:
        drawn = int(_sha256("taisai dice 2 draw", opening, mix, str(number), str(block), table).hex()[:16], 16)
        if drawn < most:
            break
        block += 1
    rest = drawn % whole
    for place, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return place
    raise AssertionError("a rest is below the sum of the weights")


def _sha256(*lines: str) -> bytes:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).digest()
