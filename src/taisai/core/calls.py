"""What the dealer calls.

Enters: a roll and the book's forms of call. Leaves: the words. Serves `nz-division-9` §6.3: faces from low to high,
doubles and triples by name, then the total.
"""

from __future__ import annotations

from typing import Final

from taisai.core.dice import Roll
from taisai.core.rulebook import Calls

CALL_WORDS: Final[dict[str, frozenset[str]]] = {
    "plain": frozenset({"low", "middle", "high", "total"}),
    "double_first": frozenset({"double", "single", "total"}),
    "double_last": frozenset({"double", "single", "total"}),
    "triple": frozenset({"face", "total"}),
}
"""The words that each form of the result call must fill in."""


def result_call(calls: Calls, roll: Roll) -> str:
    """The result as the dealer announces it: `1, 3, 6, total 10`, `double 3, 4, total 10`, `triple 5, total 15`."""
    low, middle, high = roll.low_to_high
    total = roll.total
    if low == high:
        return calls.triple.format(face=low, total=total)
    if low == middle:
        return calls.double_first.format(double=low, single=high, total=total)
    if middle == high:
        return calls.double_last.format(double=high, single=low, total=total)
    return calls.plain.format(low=low, middle=middle, high=high, total=total)
