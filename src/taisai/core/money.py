"""Money: whole numbers of the currency's minor unit, nothing else.

Enters: a number from outside. Leaves: `Chips`, or a fault that names the field; an amount in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final, NamedTuple, NewType

from taisai.core.faults import InputFault, shown

Chips = NewType("Chips", int)
"""An amount in minor units. Never a float, never a fraction."""

CURRENCIES: Final[Mapping[str, str]] = {"New Zealand": "NZD", "Singapore": "SGD"}
"""The currency (ISO 4217) of a jurisdiction, for tables that are set up without anybody choosing one."""
NO_CURRENCY: Final = "XXX"
"""What ISO 4217 has for no currency."""

_DIGITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV",
                     "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}  # fmt: skip
"""How many digits a currency has after the point (ISO 4217), where it is not two."""

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


def written(amount: int, currency: str) -> str:
    """An amount as a sentence has it: `SGD 66.67`, `SGD 50`; minor units alone where no currency is known."""
    if currency in ("", NO_CURRENCY):
        return str(amount)
    digits = _DIGITS.get(currency, 2)
    whole, part = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    return f"{currency} {sign}{whole}" + (f".{part:0{digits}}" if part else "")


# --- Odds, and whole money from odds that are not whole

Odds = int | Fraction
"""What a stake of one wins; 0 is a push, which gives the stake back and no more."""
PAYS_MAX: Final = 1_000_000
PUSH: Final = "push"
_WRITTEN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) (to|for) (\d{1,6})")
_FORMS: Final = '8, "8 to 1", "60 for 1", "6 to 5", "0.95 to 1" or "push"'


class Rounding(StrEnum):
    """What becomes of a part of a minor unit."""

    DOWN = "down"
    UP = "up"
    NEAREST = "nearest"


class RoundingRule(NamedTuple):
    """How a book rounds winnings, by which clauses. Halves are rounded up to the nearest."""

    way: Rounding
    clauses: tuple[str, ...]


def parse_odds(raw: object, got: str = "", field_name: str = "pays") -> Odds:
    """Exact odds to 1; `InputFault` with what to write instead. `got` quotes the value as its file has it."""
    if type(raw) is int and 1 <= raw <= PAYS_MAX:
        return raw
    if raw == PUSH:
        return 0
    if isinstance(raw, str) and (found := _WRITTEN.fullmatch(raw)) and int(found[3]):
        odds = Fraction(found[1]) / int(found[3]) - (found[2] == "for")
        if 0 < odds <= PAYS_MAX:
            return odds.numerator if odds.denominator == 1 else odds
    meant = ""
    if isinstance(raw, float) and raw > 0:
        meant = f'; write "{raw} to 1"'
    elif isinstance(raw, str) and (pair := re.fullmatch(r"([\d.]+)\s*[:/-]\s*(\d+)", raw)):
        meant = f'; write "{pair[1]} to {pair[2]}"'
    elif raw in (0, "0 to 1", "1 for 1"):
        meant = '; write "push" where the stake goes back'
    reason = f"`pays` is odds up to {PAYS_MAX} to 1, such as {_FORMS}; got {got or shown(raw)}{meant}"
    raise InputFault(field_name, reason)


def odds_number(odds: Odds) -> int | str:
    """Odds to 1 as one figure: 8, `0.95`; a fraction that no decimal is stays one, `2/3`."""
    if isinstance(odds, int):
        return odds
    places = next((places for places in range(1, 7) if (odds * 10**places).denominator == 1), None)
    if places is None:
        return str(odds)
    whole, rest = divmod((odds * 10**places).numerator, 10**places)
    return f"{whole}.{rest:0{places}d}"


def odds_words(odds: Odds) -> str:
    """Odds in words: `8 to 1`, `6 to 5`, `push`."""
    if odds == 0:
        return PUSH
    number = odds_number(odds)
    return f"{odds.numerator} to {odds.denominator}" if "/" in str(number) else f"{number} to 1"


def winnings_of(at_risk: int, odds: Odds, rounding: RoundingRule | None) -> int:
    """What a stake wins, in whole minor units.

    A table's unit is such that every stake that may be placed wins a whole amount, unless a clause rounds; chips that
    lie there against that rule win no part of a unit.
    """
    exact = at_risk * odds
    if rounding is None or rounding.way is Rounding.DOWN:
        return floor(exact)
    return ceil(exact) if rounding.way is Rounding.UP else floor(exact + Fraction(1, 2))


def unit_needed(payouts: Iterable[Odds]) -> int:
    """The least unit of which every multiple wins whole minor units at all of these odds."""
    return lcm(*(odds.denominator for odds in payouts))
