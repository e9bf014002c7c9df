"""Sentences for people: why a bet won, lost or came back.

Enters: a ruling and what led to it. Leaves: a sentence a player understands and the clauses behind it, most particular
last. A bet has the name that the book gives it, and amounts are written by whoever knows the table's currency. Wording
only; no amount is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from taisai.core.boxes import Box, BoxName
from taisai.core.dice import Roll
from taisai.core.limits import OPPOSITE_OF, Limits, Per
from taisai.core.money import Chips
from taisai.core.rulebook import FactRule, Layout, Rule, RuleBook
from taisai.core.settlement import Ruling

Money = Callable[[int], str]
"""How an amount is written; `str` where nobody has named a currency."""


class Over(NamedTuple):
    """The limit that a box was over at the close, and by which it is settled pro rata."""

    rule: Rule
    """MAXIMUM, of the box; or DIFFERENTIAL, between it and the box opposite."""
    limit: Chips
    opposite: BoxName | None = None
    placed_opposite: Chips = Chips(0)
    per: Per = Per.BOX


def over_limit(limits: Limits, box: BoxName, most: Chips | None) -> Over | None:
    """Which limit bound a box that stood for at most so much; None for a box within its limits."""
    if most is None:
        return None
    _, stake_max, per = limits.of(box)
    opposite = OPPOSITE_OF.get(box)
    if most == stake_max or opposite is None or opposite[0] not in limits.differential:
        return Over(Rule.MAXIMUM, most, per=per)
    differential = limits.differential[opposite[0]]
    return Over(Rule.DIFFERENTIAL, differential, opposite[1], Chips(max(most - differential, 0)))


_DICE_WORDS = ("", "one die", "two dice", "all three dice")


def _dice_show(layout: Layout, box: Box, roll: Roll, *, won: bool) -> str:
    """What the dice show, as far as it matters to this box, to follow "and" or "but"."""
    faces = layout.names.roll(roll)
    terms = layout.terms_of(box.name)
    if "total" in terms:
        return f"{faces} is a triple" if "triple" in terms and roll.is_triple else f"{faces} makes {roll.total}"
    if len(box.faces) == 1:
        count = roll.count(box.faces[0])
        if count == 0:
            return f"{faces} does not show it"
        return f"{faces} shows it on {_DICE_WORDS[count]}" + ("" if won else " only")
    return f"the dice show {faces}"


def why(layout: Layout, roll: Roll, ruling: Ruling, over: Over | None = None, money: Money = str) -> str:
    """Why a bet came out as it did; `over` is the limit by which its box was settled pro rata."""
    box = layout.boxes[ruling.bet.box]
    won = ruling.pays is not None
    verb = "pushes" if ruling.pays == 0 else "wins" if won else "loses"
    facts = f"it needs {layout.names.needs(box)}, {'and' if won else 'but'} {_dice_show(layout, box, roll, won=won)}"
    parts = [] if over is None else [_why_shared(layout, ruling, over, money)]
    parts.append(f"{layout.bet_name(box.name)} {verb}: {facts}.")
    parts.append(_what_moves(ruling, money))
    return " ".join(filter(None, parts))


def _why_shared(layout: Layout, ruling: Ruling, over: Over, money: Money) -> str:
    """Which limit of which box was passed, and what that leaves of the stake."""
    stake, name = ruling.bet.stake, layout.bet_name(ruling.bet.box)
    if over.per is Per.PLAYER:
        if ruling.at_risk == stake:
            return ""
        maximum, at_risk = money(over.limit), money(ruling.at_risk)
        return f"A player may have {maximum} on {name}: {at_risk} of the {money(stake)} was at risk."
    if over.opposite is None:
        passed = f"{name} held more than its maximum of {money(over.limit)}"
    else:
        opposite = layout.bet_name(over.opposite)
        passed = (
            f"{name} held more than the differential of {money(over.limit)} allows, "
            f"with {money(over.placed_opposite)} placed on {opposite}"
        )
    if ruling.at_risk == stake:
        return f"{passed}, but this stake of {money(stake)} stays whole."
    at_risk = money(ruling.at_risk) if ruling.at_risk else "none"
    return f"{passed}, and is settled pro rata: {at_risk} of the {money(stake)} was at risk."


def _what_moves(ruling: Ruling, money: Money) -> str:
    """Which chips go where."""
    stake, at_risk, returned = money(ruling.bet.stake), money(ruling.at_risk), money(ruling.returned)
    if ruling.at_risk == 0:
        nothing = "Nothing is collected" if ruling.pays is None else "Nothing is won"
        return f"{nothing}, and {returned} goes back to the player."
    if ruling.pays == 0:
        return f"The stake of {stake} goes back to the player."
    if ruling.pays is not None:
        won = f"{at_risk} at {ruling.pays} to 1 wins {money(ruling.winnings)}."
        return f"{won} {returned} goes back to the player, the stake of {stake} included."
    if ruling.at_risk == ruling.bet.stake:
        return f"The stake of {stake} is collected."
    return f"The {at_risk} at risk is collected, and {returned} goes back to the player."


def why_void(rule: FactRule, ruling: Ruling, money: Money = str) -> str:
    """Why a bet came back whole."""
    return f"The round is void: {rule.summary}. The whole stake of {money(ruling.returned)} goes back to the player."


def clauses_behind(
    book: RuleBook, layout: Layout, roll: Roll, ruling: Ruling, over: Over | None, *, under_minimum: bool
) -> tuple[str, ...]:
    """The clauses by which a bet was settled, most particular last."""
    clauses = [*book.clauses_for(Rule.COLLECT_THEN_PAY), *layout.clauses_of(ruling.bet.box, roll)]
    if over is not None and (over.per is Per.BOX or ruling.at_risk < ruling.bet.stake):
        clauses += book.clauses_for(Rule.UNDER_MINIMUM_EXEMPT if under_minimum else Rule.PRO_RATA)
    elif under_minimum:
        clauses += book.clauses_for(Rule.UNDER_MINIMUM_STANDS)
    return tuple(dict.fromkeys(clauses))


def clauses_behind_void(book: RuleBook, rule: FactRule) -> tuple[str, ...]:
    """The clauses by which a bet came back whole, most particular last."""
    return tuple(dict.fromkeys((*book.clauses_for(Rule.VOID_RETURNS_BETS), *rule.clauses)))
