"""A second opinion on committed dice, written from docs/fair-dice.md and sharing no code with `core.fair`.

Enters: a commitment and an opening as the journal has them, the table, the round, the dice. Leaves: what is wrong with
them, in words. Serves R14 and R22.
"""

from __future__ import annotations

import hashlib

Dice = tuple[int, int, int]


def opened_wrong(commitment: str, opening: str, table: str, number: int, dice: Dice) -> str:
    """Why the dice of a round are not as they were committed; nothing when they are, or when nothing was committed."""
    if not commitment:
        return "the dice were opened, and had not been committed" if opening else ""
    if not opening:
        return "committed dice were uncovered without their opening"
    if _sha256("taisai dice 1 commitment", opening, str(number), table).hex() != commitment:
        return f"the opening {opening[:16]}… does not fit the commitment {commitment[:16]}…"
    shows = _dice_of(opening, table, number)
    return "" if shows == dice else f"the dice were recorded as {dice}, the opening gives {shows}"


def _dice_of(opening: str, table: str, number: int) -> Dice:
    block = 0
    while True:
        for byte in _sha256("taisai dice 1 roll", opening, str(number), str(block), table):
            if byte < 6 * 6 * 6:
                two, third = divmod(byte, 6)
                first, second = divmod(two, 6)
                return (first + 1, second + 1, third + 1)
        block += 1


def _sha256(*lines: str) -> bytes:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).digest()
