"""Pro rata: what is at risk when a box is over its limit at the close.

Enters: the bets at "No more bets" and the table's limits. Leaves: each bet's stake at risk, every step of the
arithmetic in words, and flags for what people should look at. Serves `rws-tai-sai-v6` §5.1.1, §5.1.2, §5.2.1 and
interpretations I6, I7; books without pro rata have their excess flagged: it stands where the book says so, otherwise a
supervisor rules (I16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from taisai.core.bets import Bet, PlayerId, totals_by_box
from taisai.core.boxes import BoxName
from taisai.core.limits import OPPOSITE_BOXES, BoxLimits, Limits, Opposites, Per
from taisai.core.money import Chips
from taisai.core.rulebook import Rule, RuleBook


class FlagCode(StrEnum):
    """What people should look at."""

    UNDER_MINIMUM = "under-minimum"
    OVER_MAXIMUM = "over-maximum"
    OVER_DIFFERENTIAL = "over-differential"
    PRO_RATA = "pro-rata"
    OVER_CAPACITY = "over-capacity"
    NO_DIFFERENTIAL = "no-differential"


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding on the bets at the close, with the amount it is about and its clauses."""

    code: FlagCode
    box: BoxName | None
    player: PlayerId | None
    amount: Chips
    clauses: tuple[str, ...]
    text: str


class Apportionment(NamedTuple):
    """How the capacity of one box was shared among its stakes; `at_risk` is parallel to them."""

    capacity: Chips
    at_risk: tuple[Chips, ...]
    over: Chips
    """By how much the box stays over its capacity, because nobody is pro-rated below the minimum."""
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FixedStakes:
    """The stakes as they were fixed at the close; `at_risk` is parallel to the bets."""

    at_risk: tuple[Chips, ...]
    shared: Mapping[BoxName, Apportionment]
    """The boxes that were over their capacity."""
    flags: tuple[Flag, ...]

    def capacity_of(self, box: BoxName) -> Chips | None:
        """The capacity that a box was over; None when it was within its limits."""
        share = self.shared.get(box)
        return None if share is None else share.capacity


def share_out(stakes: Sequence[Chips], capacity: Chips, minimum: Chips, unit: Chips) -> Apportionment:
    """Share the capacity of a box among its stakes, in order of first placing. Each share is rounded once."""
    total = sum(stakes)
    if total <= capacity:
        return Apportionment(capacity, tuple(stakes), Chips(0), (f"The box holds {total}, within {capacity}.",))
    steps = [f"The box holds {total}, over its limit of {capacity} by {total - capacity}."]
    at_risk = {place: stake for place, stake in enumerate(stakes) if stake < minimum}
    left = capacity - sum(at_risk.values())
    if at_risk:
        kept = ", ".join(map(str, at_risk.values()))
        steps.append(f"Stakes below the minimum of {minimum} stay whole: {kept}; {_left(left)} for the others.")
    sharing = {place: stake for place, stake in enumerate(stakes) if stake >= minimum}
    while True:
        pool = sum(sharing.values())
        low = [place for place, stake in sharing.items() if stake * left < minimum * pool]
        if not low:
            break
        for place in low:
            at_risk[place] = minimum
            left -= minimum
            del sharing[place]
        raised = ", ".join(str(stakes[place]) for place in low)
        steps.append(f"A share below the minimum is set to {minimum} (stakes of {raised}); {_left(left)}.")
    if sharing:
        at_risk |= _in_proportion(sharing, left, unit, steps)
    over = max(sum(at_risk.values()) - capacity, 0)
    if over:
        steps.append(f"The minimums do not fit: the box stays over its limit by {over}.")
    return Apportionment(
        capacity, tuple(Chips(at_risk[place]) for place in range(len(stakes))), Chips(over), tuple(steps)
    )


def _left(room: int) -> str:
    return f"{room} is left" if room > 0 else "nothing is left"


def _in_proportion(sharing: Mapping[int, int], left: int, unit: int, steps: list[str]) -> dict[int, Chips]:
    """Shares in proportion, rounded down to the unit; what is left over goes one unit each by largest remainder.

    Those with equal remainders are treated alike: where the units do not reach all of them, none gets one and what is
    left stays undistributed (I6).
    """
    pool = sum(sharing.values())
    shares = {place: Chips(stake * left // pool // unit * unit) for place, stake in sharing.items()}
    spare = (left - sum(shares.values())) // unit
    # Remainders times the pool are whole numbers, so they compare exactly.
    alike: dict[int, list[int]] = {}
    for place, stake in sharing.items():
        if shares[place] + unit <= stake:
            alike.setdefault(stake * left - shares[place] * pool, []).append(place)
    given = 0
    for _, places in sorted(alike.items(), reverse=True):
        if spare - given < len(places):
            break
        for place in places:
            shares[place] = Chips(shares[place] + unit)
        given += len(places)
    shared = ", ".join(f"{stake} → {shares[place]}" for place, stake in sharing.items())
    steps.append(f"{left} is shared among {pool} in proportion, in units of {unit}: {shared}.")
    if given:
        steps.append(f"Of these, {given} got a unit of {unit} left over, by largest remainder.")
    if spare > given:
        rest = (spare - given) * unit
        steps.append(f"{rest} stays undistributed: it does not reach all who have an equal claim to it.")
    return shares


def fix_stakes(book: RuleBook, limits: Limits | None, bets: Sequence[Bet]) -> FixedStakes:
    """Fix what is at risk at the close. Bets are one for each player and box, in order of first placing."""
    if limits is None:
        return FixedStakes(tuple(bet.stake for bet in bets), {}, ())
    flags = [_under_minimum_flag(book, limits, bet) for bet in bets if bet.stake < limits.of(bet.box).stake_min]
    if not book.has(Rule.DIFFERENTIAL) and limits.differential:
        flags.append(_no_differential_flag(book))
    if not book.has(Rule.PRO_RATA):
        flags += _excess_flags(book, limits, bets)
        return FixedStakes(tuple(bet.stake for bet in bets), {}, tuple(flags))
    shared = _shared_boxes(book, limits, bets)
    queues = {box: iter(share.at_risk) for box, share in shared.items()}
    at_risk = tuple(next(queues[bet.box]) if bet.box in queues else bet.stake for bet in bets)
    for box, share in shared.items():
        flags += _shared_flags(book, box, share)
    return FixedStakes(at_risk, shared, tuple(flags))


def _shared_boxes(book: RuleBook, limits: Limits, bets: Sequence[Bet]) -> dict[BoxName, Apportionment]:
    """The boxes over their capacity: by their own maximum, or as the heavier of two opposites by the differential."""
    stakes: dict[BoxName, list[Chips]] = {}
    for bet in bets:
        stakes.setdefault(bet.box, []).append(bet.stake)
    shares: dict[BoxName, Apportionment] = {}
    for box, each in stakes.items():
        own = limits.of(box)
        if own.stake_max is not None and _excess(own, each):
            shares[box] = (
                _each_to_maximum(each, own.stake_max)
                if own.per is Per.PLAYER
                else (share_out(each, own.stake_max, own.stake_min, limits.unit))
            )
    if book.has(Rule.DIFFERENTIAL):
        for opposites, differential in limits.differential.items():
            _share_by_differential(limits, opposites, differential, stakes, shares)
    return shares


def _excess(own: BoxLimits, stakes: Sequence[Chips]) -> Chips:
    """By how much a box is over its maximum, or its players over theirs."""
    if own.stake_max is None:
        return Chips(0)
    held = stakes if own.per is Per.PLAYER else (sum(stakes),)
    return Chips(sum(max(each - own.stake_max, 0) for each in held))


def _each_to_maximum(stakes: Sequence[Chips], stake_max: Chips) -> Apportionment:
    """Stakes of a box that has a maximum for each player: nobody's share depends on the others."""
    cut = ", ".join(f"{stake} → {stake_max}" for stake in stakes if stake > stake_max)
    at_risk = tuple(min(stake, stake_max) for stake in stakes)
    return Apportionment(stake_max, at_risk, Chips(0), (f"Each player stands for at most {stake_max}: {cut}.",))


def _share_by_differential(
    limits: Limits,
    opposites: Opposites,
    differential: Chips,
    stakes: Mapping[BoxName, Sequence[Chips]],
    shares: dict[BoxName, Apportionment],
) -> None:
    """Share the heavier of two opposites when it is ahead by more than the differential; the lighter is left alone.

    Both sides weigh what was placed on them (§1.3), whatever their own maximum leaves of it (I6).
    """
    one, two = OPPOSITE_BOXES[opposites]
    placed = {box: sum(stakes.get(box, ())) for box in (one, two)}
    heavier, lighter = (one, two) if placed[one] > placed[two] else (two, one)
    reach = Chips(placed[lighter] + differential)
    own = limits.of(heavier)
    if own.per is Per.PLAYER:  # what is over a player's maximum is no part of what is shared
        standing: Sequence[Chips] = shares[heavier].at_risk if heavier in shares else stakes.get(heavier, ())
        within = sum(standing) <= reach
    else:
        standing, within = stakes.get(heavier, ()), own.stake_max is not None and own.stake_max <= reach
    if placed[heavier] <= reach or within:
        return
    share = share_out(standing, reach, own.stake_min, limits.unit)
    because = (
        f"The {opposites} differential is {differential} and {placed[lighter]} was placed on {lighter}: "
        f"{heavier} stands for at most {reach}."
    )
    shares[heavier] = share._replace(steps=(because, *share.steps))


def _under_minimum_flag(book: RuleBook, limits: Limits, bet: Bet) -> Flag:
    minimum = limits.of(bet.box).stake_min
    clauses = book.clauses_for(Rule.UNDER_MINIMUM_STANDS) or book.clauses_for(Rule.MINIMUM)
    text = f"{bet.player} has {bet.stake} in {bet.box}, under the minimum of {minimum}: it stands as it lies."
    return Flag(FlagCode.UNDER_MINIMUM, bet.box, bet.player, bet.stake, clauses, text)


def _no_differential_flag(book: RuleBook) -> Flag:
    clauses = book.clauses_for(Rule.MAXIMUM)
    text = "This rule book has no differential: the one in the limits is not applied."
    return Flag(FlagCode.NO_DIFFERENTIAL, None, None, Chips(0), clauses, text)


def _excess_flags(book: RuleBook, limits: Limits, bets: Sequence[Bet]) -> list[Flag]:
    """What is over a limit at the close, under a book that does not share it out."""
    stands = book.has(Rule.EXCESS_STANDS)
    then = "what was accepted stands whole." if stands else "this book has no pro rata, a supervisor rules."
    clauses = book.clauses_for(Rule.EXCESS_STANDS)
    flags, stakes = [], {box: [bet.stake for bet in bets if bet.box == box] for box in totals_by_box(bets)}
    for box, each in stakes.items():
        own, total = limits.of(box), sum(each)
        over = _excess(own, each)
        if over:
            whose = f"{box} holds {total}, over its maximum of {own.stake_max}"
            if own.per is Per.PLAYER:
                whose = f"{box} holds stakes over the maximum of {own.stake_max} for each player,"
            cited = clauses or book.clauses_for(Rule.MAXIMUM)
            flags.append(Flag(FlagCode.OVER_MAXIMUM, box, None, over, cited, f"{whose} by {over}: {then}"))
    for pair, most in limits.differential.items() if book.has(Rule.DIFFERENTIAL) else ():
        one, two = (sum(stakes.get(box, ())) for box in OPPOSITE_BOXES[pair])
        if abs(one - two) > most:
            box, over = OPPOSITE_BOXES[pair][one < two], Chips(abs(one - two) - most)
            cited = clauses or book.clauses_for(Rule.DIFFERENTIAL)
            text = f"{box} is {abs(one - two)} ahead, over the {pair} differential of {most} by {over}: {then}"
            flags.append(Flag(FlagCode.OVER_DIFFERENTIAL, box, None, over, cited, text))
    return flags


def _shared_flags(book: RuleBook, box: BoxName, share: Apportionment) -> list[Flag]:
    clauses = book.clauses_for(Rule.PRO_RATA)
    flags = [Flag(FlagCode.PRO_RATA, box, None, share.capacity, clauses, f"{box}: " + " ".join(share.steps))]
    if share.over:
        text = f"{box} stays over its limit of {share.capacity} by {share.over}: nobody is put below the minimum."
        flags.append(Flag(FlagCode.OVER_CAPACITY, box, None, share.over, clauses, text))
    return flags
