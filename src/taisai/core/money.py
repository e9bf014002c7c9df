"""Money: whole numbers of the currency's minor unit, nothing else.

Enters: a number from outside. Leaves: `Chips`, or a fault that names the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NewType

from taisai.core.faults import InputFault, shown

Chips = NewType("Chips", int)
"""An amount in minor units. Never a float, never a fraction."""

CURRENCIES: Final[Mapping[str, str]] = {"New Zealand": "NZD", "Singapore": "SGD"}
"""The currency (ISO 4217) of a jurisdiction, for tables that are set up without anybody choosing one."""
NO_CURRENCY: Final = "XXX"
"""What ISO 4217 has for no currency."""

CHIPS_MAX: Final = Chips(10**15)
"""No stake or limit is larger: ten million million of a currency with cents is a slip of the finger, and its winnings
at 180 to 1, the highest odds of the package's books, still fit the 64 bits of every store and column."""


def chips_of(amount: object, field_name: str, *, at_least: int = 0) -> Chips:
    """An amount as chips; `InputFault` for a fraction, a bool, a negative or an absurdly large number."""
    if type(amount) is not int:
        raise InputFault(field_name, f"an amount is a whole number of minor units, got {shown(amount)}")
    if amount < at_least:
        raise InputFault(field_name, f"an amount is at least {at_least}, got {shown(amount)}")
    if amount > CHIPS_MAX:
        raise InputFault(field_name, f"an amount is at most {CHIPS_MAX}, got {shown(amount)}")
    return Chips(amount)


def parse_chips(text: str, field_name: str, *, at_least: int = 0) -> Chips:
    """Read an amount as people write it: digits, nothing else."""
    if not (text.isascii() and text.isdigit()):
        raise InputFault(field_name, f"an amount is a whole number of minor units, got {shown(text)}")
    digits = text.lstrip("0")
    # Python refuses to read very long numbers; whatever has more digits than the largest amount is larger.
    if len(digits) > len(str(CHIPS_MAX)):
        raise InputFault(field_name, f"an amount is at most {CHIPS_MAX}, got {shown(text)}")
    return chips_of(int(digits or "0"), field_name, at_least=at_least)
