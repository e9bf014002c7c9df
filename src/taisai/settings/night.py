"""The settings of a table at home: `taisai night`.

Enters: a layout, who deals, how long bets are open, where the house is reached. Leaves: `Settings` for one table with
play chips, at which guests sit down by a nickname.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from taisai.books import Shelf
from taisai.core.faults import InputFault
from taisai.settings.forms import Demo, House, JournalPlace, Listen, LogForm, Settings, SignIn, Timing, ready_table

SECONDS_MIN, SECONDS_MAX = 5, 600
CHIPS_MAX = 1_000_000
"""A hundred guests with so much leave the float enough to pay them."""


def night_settings(
    shelf: Shelf,
    layout: str,
    *,
    dealer: Literal["automatic", "human"] = "automatic",
    seconds: int = 20,
    chips: int = 100_000,
    journal: str = "memory:",
    listen: Listen | None = None,
) -> Settings:
    """One table of a layout for an evening; `chips` in minor units is what each guest sits down with."""
    if not SECONDS_MIN <= seconds <= SECONDS_MAX:
        raise InputFault("--seconds", f"from {SECONDS_MIN} to {SECONDS_MAX}, got {seconds}")
    chosen = shelf.layout(layout, "layout")
    mode: Literal["dealer", "automatic"] = "automatic" if dealer == "automatic" else "dealer"
    table = ready_table(shelf, f"Night-{chosen.id}", chosen.name, mode)
    if not 0 < chips <= CHIPS_MAX or chips % table.denominations[0]:
        raise InputFault("--chips", f"up to {CHIPS_MAX}, in steps of {table.denominations[0]}, got {chips}")
    return Settings(
        listen=listen or Listen(),
        journal=JournalPlace(url=journal),
        demo=Demo(enabled=True, guest_chips=chips),
        house=House(name="Casino night", minimum_betting_ms=seconds * 1_000, purpose="demo"),
        log=LogForm(format="text", level="warning"),
        sign_in=SignIn(idle_minutes=60),
        tables=(replace(table, timing=Timing(betting_ms=seconds * 1_000)),),
    )
