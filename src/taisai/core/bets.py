"""Bets: whose, where, how much.

Enters: chips as they were put down. Leaves: one bet for each player and box, in order of first placing
(interpretation I13 of all books).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, NewType

from taisai.core.boxes import BoxName, as_printed, box_among
from taisai.core.faults import InputFault, shown
from taisai.core.money import CHIPS_MAX, Chips, parse_chips
from taisai.core.rulebook import Layout

PlayerId = NewType("PlayerId", str)


class Bet(NamedTuple):
    """What one player has in one box."""

    player: PlayerId
    box: BoxName
    stake: Chips


def merge_bets(bets: Iterable[Bet]) -> tuple[Bet, ...]:
    """One bet for each player and box, in order of first placing."""
    stakes: dict[tuple[PlayerId, BoxName], int] = {}
    for player, box, stake in bets:
        key = (player, box)
        stakes[key] = stakes.get(key, 0) + stake
    return tuple(Bet(player, box, Chips(stake)) for (player, box), stake in stakes.items())


def totals_by_box(bets: Iterable[Bet]) -> dict[BoxName, Chips]:
    """What lies in each box, over all players."""
    totals: dict[BoxName, Chips] = {}
    for _, box, stake in bets:
        totals[box] = Chips(totals.get(box, 0) + stake)
    return totals


def box_on(layout: Layout, name: str, field_name: str = "box") -> BoxName:
    """A box of this layout by name, also as the felt prints its faces; `InputFault` when it has none of that name."""
    named = BoxName(name)
    if named in layout.boxes:
        return named
    printed = as_printed(layout.boxes, name)
    return printed or box_among(layout.boxes, name, field_name, f"layout {layout.name} has no box").name


def parse_bets(layout: Layout, text: str, player: str = "you", field_name: str = "bets") -> tuple[Bet, ...]:
    """Read bets as people write them: `small=100 total:9=50`."""
    bets = []
    for part in text.replace(",", " ").split():
        name, equals, amount = part.partition("=")
        if not equals:
            raise InputFault(field_name, f"write each bet as box=amount, not {shown(part)}")
        box = box_on(layout, name, field_name)
        stake = parse_chips(amount, f"{field_name} {name}", at_least=1)
        if layout.rounding is None and stake % layout.unit:
            reason = f"stakes are multiples of {layout.unit}, so that all odds win whole amounts, got {stake}"
            raise InputFault(f"{field_name} {name}", reason)
        bets.append(Bet(PlayerId(player), box, stake))
    if not bets:
        raise InputFault(field_name, "no bet given; write for example small=100 total:9=50")
    if sum(bet.stake for bet in bets) > CHIPS_MAX:
        raise InputFault(field_name, f"the stakes together are at most {CHIPS_MAX}")
    return merge_bets(bets)
