"""A second opinion on a round, from the recount, quickly enough for millions of rounds.

Enters: a layout, dice, stakes and limits. Leaves: what each bet should have had at risk, won and got back, by an
implementation that shares no code with the first: the recount for the books that are typed into it, and for every
other book `outcomes`, which works its predicates out by itself. Every answer is asked once and kept: there are only so
many boxes and rolls.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from taisai.audit import recount
from taisai.audit.second.outcomes import Row, outcomes
from taisai.core.names import Calls
from taisai.core.rulebook import PayRow, Rule, RuleBook

Dice = tuple[int, int, int]


class SecondLine(NamedTuple):
    """One bet by the second settlement."""

    stake: int
    at_risk: int
    pays: Fraction | int | None
    winnings: int
    returned: int


class _Learned(NamedTuple):
    """A layout that the recount has no pay table of, read a second time from its book's own words."""

    table: Mapping[Dice, Mapping[str, Fraction]]
    shares: bool
    rounding: str
    calls: Calls


_LEARNED: dict[str, _Learned] = {}


def learn(book: RuleBook, layout_id: str, draw: str = "") -> str:
    """The key of a layout for the functions below. One that was not typed into the recount is read again, once.

    With the name of a draw, the layout as it pays after it.
    """
    layout = book.layouts.get(layout_id)
    if layout is None or layout.name in recount.LAYOUTS:
        return f"{book.id}/{layout_id}"
    key = f"{layout.name}@{book.digest}#{draw}"
    if key not in _LEARNED:
        rows = [_plain(row) for row in layout.rows]
        raised = {
            str(box): written for each in layout.draws if each.name == draw for box, (_, written) in each.raised.items()
        }
        rounding = "down" if layout.rounding is None else str(layout.rounding.way)
        _LEARNED[key] = _Learned(outcomes(rows, raised), book.has(Rule.PRO_RATA), rounding, book.procedure.calls)
    return key


def _plain(row: PayRow) -> Row:
    """A pay row as it is written: names, texts and figures, nothing that was worked out of them."""
    own = None if row.when is None else row.when.text
    whens = [own or (box.definition.when.text if box.definition.when is not None else "") for box in row.boxes]
    return Row(
        boxes=[(str(box.name), box.definition.pattern) for box in row.boxes],
        whens=whens,
        dice=row.dice,
        totals=None if row.totals is None else sorted(row.totals),
        pays=row.written,
    )


def knows(layout: str) -> bool:
    """Whether there is a second reading of this layout."""
    return layout in recount.LAYOUTS or layout in _LEARNED


@cache
def _paying(layout: str, low_to_high: Dice) -> Mapping[str, Fraction | int]:
    """The boxes that are paid on a roll and their odds; a push has 0."""
    if layout in _LEARNED:
        table = _LEARNED[layout].table[low_to_high]
        return {box: int(odds) if odds.denominator == 1 else odds for box, odds in table.items()}
    found = ((box, recount.pays(layout, box, low_to_high)) for box in recount.boxes(layout))
    return {box: odds for box, odds in found if odds is not None}


def winners(layout: str, dice: Dice) -> Mapping[str, Fraction | int]:
    """The boxes that are paid, and their odds to 1; a push has 0."""
    low, middle, high = sorted(dice)
    return _paying(layout, (low, middle, high))


@cache
def lit(layout: str, dice: Dice) -> frozenset[str]:
    """The boxes that should light: those that win, so no push."""
    return frozenset(box for box, odds in winners(layout, dice).items() if odds)


def call(layout: str, dice: Dice) -> str:
    """What the dealer should call."""
    if layout not in _LEARNED:
        return recount.call(dice)
    calls, total = _LEARNED[layout].calls, sum(dice)
    low, middle, high = (calls.faces[face - 1] for face in sorted(dice))
    if low == high:
        form = calls.triple.replace("{face}", low)
    elif low == middle:
        form = calls.double_first.replace("{double}", low).replace("{single}", high)
    elif middle == high:
        form = calls.double_last.replace("{double}", high).replace("{single}", low)
    else:
        form = calls.plain
        for name, face in (("{low}", low), ("{middle}", middle), ("{high}", high)):
            form = form.replace(name, face)
    return form.replace("{total}", str(total)).replace("{{", "{").replace("}}", "}")


def winnings(layout: str, risk: int, odds: Fraction | int) -> int:
    """What a stake at risk wins, in whole minor units."""
    if isinstance(odds, int):
        return risk * odds
    exact = risk * odds
    rounding = _LEARNED[layout].rounding if layout in _LEARNED else "down"
    rest = exact - int(exact)
    return int(exact) + (rest > 0 and (rounding == "up" or (rounding == "nearest" and rest * 2 >= 1)))


def _within(stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]) -> bool:
    """Whether no box can be over any limit: then all that was staked is at risk, and the recount need not share out."""
    smallest = min((limit["max"] for limit in (limits["default"], *limits["kinds"].values())), default=0)
    if limits["differential"]:
        smallest = min(smallest, *limits["differential"].values())
    return sum(stakes.values()) <= smallest


def at_risk(
    layout: str, stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]
) -> Mapping[tuple[str, str], int]:
    """What of each bet was at risk, by player and box; `stakes` are in order of first placing."""
    shares = _LEARNED[layout].shares if layout in _LEARNED else None
    return stakes if _within(stakes, limits) else recount.at_risk(layout, stakes, limits, shares=shares)


def settled(
    layout: str, dice: Dice, stakes: Mapping[tuple[str, str], int], limits: Mapping[str, Any]
) -> dict[tuple[str, str], SecondLine]:
    """Every bet, by player and box."""
    won = winners(layout, dice)
    lines = {}
    for key, risk in at_risk(layout, stakes, limits).items():
        stake, odds = stakes[key], won.get(key[1])
        if odds is None:
            lines[key] = SecondLine(stake, risk, None, 0, stake - risk)
        else:
            right = winnings(layout, risk, odds)
            lines[key] = SecondLine(stake, risk, odds, right, stake + right)
    return lines
