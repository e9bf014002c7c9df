"""Sentences for people: why a bet won, lost or came back.

Enters: a ruling and what led to it. Leaves: a sentence a player understands and the clauses behind it, most particular
last. Wording only; no amount is computed here.
"""

from __future__ import annotations

from typing import assert_never

from taisai.core.boxes import Box, Kind
from taisai.core.dice import Roll
from taisai.core.money import Chips
from taisai.core.rulebook import Layout, Rule, RuleBook, VoidRule
from taisai.core.settlement import Ruling
from taisai.core.words import box_needs, box_title

_DICE_WORDS = ("", "one die", "two dice", "all three dice")


def _dice_show(box: Box, roll: Roll, *, won: bool) -> str:
    """What the dice show, as far as it matters to this box, to follow "and" or "but"."""
    faces = ", ".join(map(str, roll.low_to_high))
    match box.kind:
        case Kind.SMALL | Kind.BIG | Kind.ODD | Kind.EVEN if roll.is_triple:
            return f"{faces} is a triple"
        case Kind.SMALL | Kind.BIG | Kind.ODD | Kind.EVEN | Kind.TOTAL | Kind.FIELD:
            return f"{faces} makes {roll.total}"
        case Kind.SINGLE | Kind.DOUBLE | Kind.TRIPLE:
            count = roll.count(box.faces[0])
            if count == 0:
                return f"{faces} does not show it"
            return f"{faces} shows it on {_DICE_WORDS[count]}" + ("" if won else " only")
        case Kind.ANY_TRIPLE | Kind.PAIR | Kind.THREE | Kind.FOUR:
            return f"the dice show {faces}"
        case _:
            assert_never(box.kind)


def why(layout: Layout, roll: Roll, ruling: Ruling, capacity: Chips | None = None) -> str:
    """Why a bet came out as it did; `capacity` is that of a box which was settled pro rata."""
    box = layout.boxes[ruling.bet.box]
    won = ruling.pays is not None
    facts = f"it needs {box_needs(box)}, {'and' if won else 'but'} {_dice_show(box, roll, won=won)}"
    parts = [] if capacity is None else [_why_shared(ruling, capacity)]
    parts.append(f"{box_title(box)} {'wins' if won else 'loses'}: {facts}.")
    parts.append(_what_moves(ruling))
    return " ".join(parts)


def _why_shared(ruling: Ruling, capacity: Chips) -> str:
    stake = ruling.bet.stake
    over = f"The box was over its capacity of {capacity}"
    if ruling.at_risk == stake:
        return f"{over}, but this stake of {stake} stays whole."
    return f"{over} and is settled pro rata: {ruling.at_risk or 'none'} of the {stake} was at risk."


def _what_moves(ruling: Ruling) -> str:
    """Which chips go where."""
    stake = ruling.bet.stake
    if ruling.at_risk == 0:
        nothing = "Nothing is collected" if ruling.pays is None else "Nothing is won"
        return f"{nothing}, and {ruling.returned} goes back to the player."
    if ruling.pays is not None:
        won = f"{ruling.at_risk} at {ruling.pays} to 1 wins {ruling.winnings}."
        return f"{won} {ruling.returned} goes back to the player, the stake of {stake} included."
    if ruling.at_risk == stake:
        return f"The stake of {stake} is collected."
    return f"The {ruling.at_risk} at risk is collected, and {ruling.returned} goes back to the player."


def why_void(rule: VoidRule, ruling: Ruling) -> str:
    """Why a bet came back whole."""
    return f"The round is void: {rule.summary}. The whole stake of {ruling.returned} goes back to the player."


def clauses_behind(
    book: RuleBook, layout: Layout, roll: Roll, ruling: Ruling, capacity: Chips | None, *, under_minimum: bool
) -> tuple[str, ...]:
    """The clauses by which a bet was settled, most particular last."""
    clauses = [*book.clauses_for(Rule.COLLECT_THEN_PAY), *layout.clauses_of(ruling.bet.box, roll)]
    if capacity is not None:
        clauses += book.clauses_for(Rule.UNDER_MINIMUM_EXEMPT if under_minimum else Rule.PRO_RATA)
    elif under_minimum:
        clauses += book.clauses_for(Rule.UNDER_MINIMUM_STANDS)
    return tuple(dict.fromkeys(clauses))


def clauses_behind_void(book: RuleBook, rule: VoidRule) -> tuple[str, ...]:
    """The clauses by which a bet came back whole, most particular last."""
    return tuple(dict.fromkeys((*book.clauses_for(Rule.VOID_RETURNS_BETS), *rule.clauses)))
