"""Bets: by the right hand, within the limits, for nobody who is gone; what goes back, and what is fixed at the close.

Serves `nz-division-9` §4.3-4.7; `rws-tai-sai-v6` §3.2-3.6, §5.1-5.3, §5.7, §5.13; interpretations I6, I16, I21.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.course import Turn
from taisai.audit.procedure.limits import Limits
from taisai.audit.procedure.seen import CREW, PLAYER, SYSTEM, Seen

Run = Sequence[tuple[int, Any]]
"""Events of one kind that follow each other, with the numbers of their records."""
PLACED, CALLED, FELT = "placed", "call", "felt"
LARGEST: Final = 2**63
"""More than any stake."""


def bets_placed(first: Seen, run: Run) -> list[AuditFinding]:
    """Bets that follow each other: each is put down in the course, and looked at closely when anything is unusual."""
    found: list[AuditFinding] = []
    course, limits = first.course, first.ruled.limits
    turn = course.turn
    stakes, totals, put_down = turn.stakes, turn.totals, turn.moves.append
    least, most, each, apart, unit = limits.least, limits.most, limits.most_each, limits.apart, limits.unit
    seated, ends = course.seated, turn.closes_at or LARGEST
    for seq, event in run:
        by, what = event.by, event.what
        player, box, amount, how = what.player, what.box, what.amount, what.how
        if box in stakes:
            theirs = stakes[box]
            theirs[player] = mine = theirs.get(player, 0) + amount
            totals[box] = total = totals[box] + amount
        else:
            stakes[box] = {player: amount}
            totals[box] = mine = total = amount
        put_down((player, box, amount, how))
        if what.contribution:
            turn.brought[player] = what.contribution
        if (
            by.role != PLAYER
            or by.id != player
            or how != PLACED
            or mine < least.get(box, LARGEST)
            or total > most.get(box, LARGEST)
            or (each and mine > each.get(box, LARGEST))
            or amount % unit
            or box in apart
            or not seated.get(player)
            or event.at >= ends
            or what.colour is not None
        ):
            found += _bet_looked_at(first._replace(seq=seq, event=event), mine)
    return found


def _bet_looked_at(seen: Seen, mine: int) -> Iterator[AuditFinding]:
    what, turn = seen.event.what, seen.turn
    yield from _by_the_right_hand(seen, what)
    if turn.closes_at and seen.event.at >= turn.closes_at:
        yield seen.finding("bet-too-late", "a bet after the time of the close", "no-change-after-close")
    if what.colour is not None:
        yield from _in_their_colour(seen, what)
    yield from _within_limits(seen, what, mine)


def _in_their_colour(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Chips of a colour are one player's, and whole."""
    holder, value = seen.course.colours.get(what.colour, ("", 1))
    if holder != what.player or what.amount % value:
        out = f"which is out to {holder or 'nobody'} at {value} a chip"
        sentence = f"{what.amount} in {what.colour} by {what.player}, {out}"
        yield seen.finding("colour-wrong", sentence, "colour-chips")


def colour_is_free(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A colour is one player's alone, at one value while any of it is out."""
    colours = seen.course.colours
    theirs = {colour for colour, (player, _) in colours.items() if player == what.player}
    if colours.get(what.colour, (what.player, what.value)) != (what.player, what.value) or theirs - {what.colour}:
        sentence = f"{what.colour} at {what.value} to {what.player}, out are {colours}"
        yield seen.finding("colour-wrong", sentence, "colour-chips")


def _by_the_right_hand(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A player's bet is placed by the player, or by the crew for a player who is there."""
    by = seen.event.by
    if by.role not in CREW and (by.role != PLAYER or by.id != what.player):
        yield seen.finding("not-authorised", f"{by.id} ({by.role}) placed a bet of {what.player}", "player-answers")
    elif seen.ruled.current and (by.role == PLAYER) != (what.how == PLACED):
        sentence = f"a bet of {what.player} {what.how} by {by.id} ({by.role})"
        yield seen.finding("not-authorised", sentence, "staff-bets", "call-bet-needs-chips")
    if what.contribution and by.role != PLAYER:
        sentence = f"{by.id} ({by.role}) brought a part of virtual dice in the name of {what.player}"
        yield seen.finding("not-authorised", sentence, "staff-bets")
    yield from _is_there(seen, what.player, "placed")


def _is_there(seen: Seen, player: str, done: str) -> Iterator[AuditFinding]:
    if seen.ruled.current and not seen.course.seated.get(player):
        sentence = f"a bet of {player}, who was not there, was {done} by {seen.event.by.id}"
        yield seen.finding("absent-player", sentence, "walk-away-settled")


def _within_limits(seen: Seen, what: Any, mine: int) -> Iterator[AuditFinding]:
    """A bet that was not found on the felt kept to minimum, maximum and differential, in whole chips."""
    limits, totals = seen.ruled.limits, seen.turn.totals
    if seen.ruled.book is None:
        return
    if what.box not in limits.least:
        yield seen.finding("unknown-box", f"the layout has no box {what.box}", "layout-marked")
        return
    if what.how == FELT:
        return
    if mine < limits.least[what.box]:
        sentence = f"{what.player} has {mine} in {what.box}, minimum {limits.least[what.box]}"
        yield seen.finding("under-minimum", sentence, "minimum")
    if what.amount % limits.unit:
        sentence = f"{what.amount} cannot be made of chips; the smallest is {limits.unit}"
        yield seen.finding("not-in-chips", sentence, "minimum")
    total = totals[what.box]
    if mine > limits.most_each.get(what.box, LARGEST):
        sentence = f"{what.player} has {mine} in {what.box}, maximum {limits.most_each[what.box]} for each player"
        yield seen.finding("over-maximum", sentence, "maximum")
    if total > limits.most.get(what.box, LARGEST):
        yield seen.finding("over-maximum", f"{what.box} holds {total}, maximum {limits.most[what.box]}", "maximum")
    if what.box in limits.apart:
        most, other = limits.apart[what.box]
        ahead = total - totals.get(other, 0)
        if ahead > most:
            yield seen.finding("over-differential", f"{what.box} is {ahead} ahead, differential {most}", "differential")


# ------------------------------------------------------------------ chips that go back


def chips_were_there(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Chips that go back are chips that lay there."""
    handed = what.handed if seen.kind == "excess-rejected" else (what.handed,)
    for part in handed:
        lay = seen.turn.stake(part.player, part.box) if part is not None else 0
        if part is not None and part.amount > lay:
            sentence = f"{part.amount} of {part.player} handed back out of {part.box}, {lay} lay there"
            yield seen.finding("chips-not-there", sentence)


def withdrawn_by_players(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Nobody withdraws for a player who is gone, nor after the time of the close, nor down to under the minimum."""
    handed, turn = what.handed, seen.turn
    yield from _is_there(seen, handed.player, "withdrawn")
    if turn.closes_at and seen.event.at >= turn.closes_at:
        yield seen.finding("bet-too-late", "a bet withdrawn after the time of the close", "no-change-after-close")
    stays = turn.stake(handed.player, handed.box) - handed.amount
    if seen.ruled.current and 0 < stays < seen.ruled.limits.least.get(handed.box, 0):
        sentence = f"{stays} stayed in {handed.box}, minimum {seen.ruled.limits.least[handed.box]}"
        yield seen.finding("under-minimum", sentence, "minimum")


def advised_rightly(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A player is told of a bet that is under the minimum."""
    lies, least = seen.turn.stake(what.player, what.box), seen.ruled.limits.least.get(what.box, what.minimum)
    if (what.stake, what.minimum) != (lies, least) or lies >= least:
        sentence = f"advice about {what.stake} in {what.box}, minimum {what.minimum}: {lies} lay there, minimum {least}"
        yield seen.finding("advice-wrong", sentence, "under-minimum-advised")


def rejected_newest_first(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """What is over the limit goes back and no more than that, but for whole colour chips, the newest bets first."""
    turn, limits = seen.turn, seen.ruled.limits
    excess = limits.excess(turn.totals, what.box, turn.stakes)
    handed = sum(part.amount for part in what.handed)
    if seen.ruled.book is None:
        return
    if excess is None:
        sentence = f"chips were rejected out of {what.box}, which was within its limits"
        yield seen.finding("rejected-wrongly", sentence, "excess-rejected")
        return
    if handed < excess[1]:
        sentence = f"{handed} of an excess of {excess[1]} in {what.box} was rejected"
        yield seen.finding("excess-not-rejected", sentence, "excess-rejected")
    if any(part.in_colour for part in what.handed):
        return  # whole chips of a colour may be more than the excess
    right: dict[str, int] = {}
    of_each = what.box in limits.most_each and excess[0] == "maximum"
    left = limits.beyond(turn.stakes.get(what.box, {}), what.box) if of_each else {"": excess[1]}
    for player, amount in reversed(_stacks(turn, what.box)):
        whose = player if of_each else ""
        taken = min(amount, left.get(whose, 0))
        left[whose] = left.get(whose, 0) - taken
        if taken:
            right[player] = right.get(player, 0) + taken
    if {part.player: part.amount for part in what.handed} != right:
        told = ", ".join(f"{amount} of {player}" for player, amount in right.items())
        yield seen.finding("rejected-wrongly", f"newest first, {told} goes back out of {what.box}", "excess-rejected")


def _stacks(turn: Turn, box: str) -> list[tuple[str, int]]:
    """The chips in a box in the order of placing; those taken out were each player's newest."""
    stacks: list[tuple[str, int]] = []
    for player, where, amount, _ in turn.moves:
        if where != box:
            continue
        if amount > 0:
            stacks.append((player, amount))
            continue
        left = -amount
        for place in range(len(stacks) - 1, -1, -1):
            if stacks[place][0] == player and left:
                taken = min(left, stacks[place][1])
                left -= taken
                stacks[place] = (player, stacks[place][1] - taken)
    return [stack for stack in stacks if stack[1]]


# ------------------------------------------------------------------ the close


def returned_after_advice(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Only a bet under the minimum of which its player was told goes back before the close, and all of it (I21)."""
    turn, key = seen.turn, (what.player, what.box)
    lies, least = turn.stake(*key), seen.ruled.limits.least.get(what.box, what.minimum)
    if key not in turn.noticed or lies >= least or what.handed.amount != lies:
        sentence = f"{what.handed.amount} of {what.player} in {what.box} went back, without advice or not under minimum"
        yield seen.finding("returned-wrongly", sentence, "under-minimum-stands")


def left_over_rightly(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """What is said to be over a limit at the close is; the house's own dealer sees it and rejects it."""
    excess = seen.ruled.limits.excess(seen.turn.totals, what.box, seen.turn.stakes)
    if seen.ruled.book is not None and excess != (str(what.limit), what.amount):
        sentence = f"{what.box} is said to be {what.amount} over its {what.limit}; it was over by {excess}"
        yield seen.finding("excess-wrong", sentence, "excess-rejected")
    if seen.event.by.role == SYSTEM:
        sentence = f"the house's dealer saw {what.amount} over the {what.limit} of {what.box} and did not reject it"
        yield seen.finding("excess-not-rejected", sentence, "excess-rejected")


def bets_as_closed(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """What was fixed at the close is what lay on the felt."""
    fixed, lay = {(bet.player, bet.box): bet.stake for bet in what.bets}, seen.turn.bets()
    if fixed != lay or len(what.bets) != len(lay):
        sentence = "the bets fixed at the close are not those on the felt"
        yield seen.finding("bets-differ", sentence, "settled-by-position")


def closed_by_the_limits(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """An advised bet does not stand under the minimum, and what is over a limit and not rejected is said to be."""
    turn, limits, reading = seen.turn, seen.ruled.limits, seen.ruled.reading
    if reading is None or not seen.ruled.current:
        return
    if reading.advises_minimum:
        for player, box in dict.fromkeys(turn.noticed):
            stake = turn.stake(player, box)
            if 0 < stake < limits.least.get(box, 0):
                sentence = f"{player} was told of {stake} in {box}, under the minimum, and it stood"
                yield seen.finding("advised-bet-stood", sentence, "under-minimum-advised")
    if reading.rejects_excess:
        for box in _over(limits, turn):
            if box not in turn.left_over:
                sentence = f"{box} was over a limit at the close, and no record says that it was not rejected"
                yield seen.finding("excess-not-said", sentence, "excess-rejected")


def _over(limits: Limits, turn: Turn) -> list[str]:
    most, totals = limits.most, turn.totals
    suspect = {box for box, total in totals.items() if total > most.get(box, LARGEST)}
    suspect |= (limits.apart.keys() | limits.most_each.keys()) & totals.keys()
    return sorted(box for box in suspect if limits.excess(totals, box, turn.stakes) is not None)


def nobody_leaves_bets(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Whoever leaves has no bet on the felt: those who go all the same have walked away, and their bets are settled."""
    if any(what.player in theirs for theirs in seen.turn.stakes.values()):
        yield seen.finding("left-with-bets", f"{what.player} left with bets on the felt", "walk-away-settled")
