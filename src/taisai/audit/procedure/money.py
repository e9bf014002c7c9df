"""The money of a round: every bet settled once and rightly, every chip back when it is void.

Serves the pay tables of all four books, `nz-division-9` §4.10, §6.5; `rws-tai-sai-v6` §1.7, §1.9, §3.9, §5.1.1, §5.12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from taisai.audit.findings import AuditFinding
from taisai.audit.procedure.betting import Run
from taisai.audit.procedure.course import COLLECTED, boxes_of
from taisai.audit.procedure.people import second_of_rank
from taisai.audit.procedure.seen import MANAGERS, SUPERVISORS, Seen
from taisai.audit.second import opinion as second


def bets_paid(first: Seen, run: Run) -> list[AuditFinding]:
    """Payments that follow each other, put down in the course; they are looked at when the round is over."""
    first.turn.lines += [
        (what.player, what.box, what.stake, what.at_risk, what.pays, what.winnings, what.returned)
        for what in (event.what for _, event in run)
    ]
    return []


def settled_right(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """Every bet was settled exactly once, for the money that the recount finds, and the felt is empty."""
    turn, ruled, bets = seen.turn, seen.ruled, seen.turn.bets()
    if what.dice != turn.dice:
        sentence = f"concluded on {what.dice}, uncovered were {turn.dice}"
        yield seen.finding("dice-differ", sentence, "uppermost-faces")
    if not ruled.recounted:
        seen.course.could_not(f"not-recounted: settlements on {ruled.layout}")
        return
    seen.course.look_at(boxes_of(turn.lines))
    sums = _sums_when_right(seen, tuple(what.dice), bets)
    if sums is None:
        yield from _settled_wrong(seen, what, bets)
    elif sums != (what.staked, what.at_risk, what.winnings, what.returned):
        yield seen.finding("sums-wrong", f"the round's sums are not those of its bets, {sums}", "pay-table")


def _sums_when_right(
    seen: Seen, dice: tuple[int, int, int], bets: dict[tuple[str, str], int]
) -> tuple[int, int, int, int] | None:
    """The sums over the bets when each was settled once and as the recount has it; None when any was not."""
    layout, lines = seen.ruled.layout, seen.turn.lines
    won, risked = second.winners(layout, dice), second.at_risk(layout, bets, seen.course.sign)
    staked = at_risk = winnings = returned = 0
    done = set()
    for player, box, stake, risk, pays, won_by_it, back in lines:
        key = (player, box)
        if bets.get(key) != stake or risked.get(key) != risk:
            return None
        odds = won.get(box)
        if odds is None:  # most bets lose
            if pays is not None or won_by_it or back != stake - risk:
                return None
            right = 0
        else:
            right = risk * odds if isinstance(odds, int) else second.winnings(layout, risk, odds)
            if odds != pays and (type(pays) is not str or odds != Fraction(pays)):
                return None
            if right != won_by_it or back != stake + right:
                return None
        done.add(key)
        staked += stake
        at_risk += risk
        winnings += right
        returned += back
    return (staked, at_risk, winnings, returned) if len(done) == len(lines) == len(bets) else None


def _settled_wrong(seen: Seen, what: Any, bets: dict[tuple[str, str], int]) -> Iterator[AuditFinding]:
    """Which bets of a round were not settled as they should be."""
    should = second.settled(seen.ruled.layout, tuple(what.dice), bets, seen.course.sign)
    lines = {(line[0], line[1]): line[2:] for line in seen.turn.lines}
    if len(lines) != len(seen.turn.lines) or lines.keys() != should.keys():
        sentence = "the bets settled are not the bets on the felt, each once"
        yield seen.finding("settled-not-once", sentence, "pay-table")
    for key in sorted(lines.keys() & should.keys()):
        stake, risk, pays, *rest = lines[key]
        paid, right = (stake, risk, None if pays is None else Fraction(pays), *rest), tuple(should[key])
        if paid != right:
            shown = [tuple(None if each is None else str(each) for each in line) for line in (paid, right)]
            sentence = f"{key[0]} on {key[1]}: settled as {shown[0]}, the recount finds {shown[1]}"
            yield seen.finding("settled-wrong", sentence, "pay-table")


def void_returns_all(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A void hands back every chip on the felt, for a reason that the book has."""
    handed: dict[tuple[str, str], int] = {}
    for part in what.handed:
        handed[part.player, part.box] = handed.get((part.player, part.box), 0) + part.amount
    if handed != seen.turn.on_felt():
        sentence = "what was handed back is not what lay on the felt"
        yield seen.finding("void-not-whole", sentence, "void-returns-bets")
    if seen.turn.form > 1 and seen.turn.step not in ("betting", "between-rounds") and seen.turn.fixed is None:
        yield seen.finding("not-as-committed", f"round {what.round} was closed without its opening", "bets-close")
    if not seen.ruled.current and seen.turn.dice is not None and what.why != "interrupted":
        yield from second_of_rank(seen, SUPERVISORS, "void-returns-bets")


def reversed_by_two(seen: Seen, _what: Any) -> Iterator[AuditFinding]:
    """Under an earlier version, which recorded no damage, a settled round was made void by two people."""
    if not seen.ruled.current:
        yield from second_of_rank(seen, MANAGERS, "damaged-dice-void")


def undone_rightly(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """What was settled of a round goes back, to each player what the bets had come to."""
    settled = _by_player((player, stake, back) for player, _, stake, back in seen.turn.settled())
    if seen.turn.step != COLLECTED or what.round != seen.turn.number:
        sentence = f"settled bets of round {what.round} were undone while round {seen.turn.number} was at its step"
        yield seen.finding("undone-wrongly", f"{sentence} {seen.turn.step}", "void-returns-bets")
    yield from lines_as_settled(seen, what, settled, "void-returns-bets")


def reversed_rightly(seen: Seen, what: Any) -> Iterator[AuditFinding]:
    """A settled round that is void after all: to each player what the round had come to, no more and no less."""
    number = str(what.round)
    played = next((rounds[number] for rounds in seen.course.played.values() if number in rounds), None)
    if seen.ruled.current and played is not None:
        yield from lines_as_settled(seen, what, played, "damaged-dice-void")


def lines_as_settled(seen: Seen, what: Any, settled: dict[str, tuple[int, int]], rule: str) -> Iterator[AuditFinding]:
    """Lines of something undone: each player's stakes and returns as settled, and what evens that out."""
    told = {line.player: (line.staked, line.returned) for line in what.lines}
    if told != settled or len(told) != len(what.lines):
        sentence = f"what was undone, {told}, is not what had been settled, {settled}"
        yield seen.finding("undone-wrongly", sentence, rule)
    for line in what.lines:
        lost, won = max(line.staked - line.returned, 0), max(line.returned - line.staked, 0)
        if (line.given_back + line.owing, line.taken + line.owed) != (lost, won):
            sentence = f"{line.player} had lost {lost} and won {won}: given {line.given_back}, taken {line.taken}"
            yield seen.finding("undone-wrongly", f"{sentence}, owed {line.owed}, owing {line.owing}", rule)


def _by_player(parts: Iterable[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
    sums: dict[str, tuple[int, int]] = {}
    for player, staked, returned in parts:
        before = sums.get(player, (0, 0))
        sums[player] = (before[0] + staked, before[1] + returned)
    return sums
