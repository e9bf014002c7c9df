"""The checks of an audit, event by event.

Enters: one event of a table, the state before it. Leaves: findings. A check is a plain function; `CHECKS` says which
events it looks at. They know the rules only through the recount and the clauses: what `decide` thought is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from taisai.audit import recount, second
from taisai.audit.findings import AuditFinding
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import PAIR_OF, Limits
from taisai.core.rulebook import Rule, RuleBook
from taisai.table import happenings as h
from taisai.table.actions import Dice, How
from taisai.table.people import PIT_MANAGERS, PLAYERS_AND_CREW, SHIFT_MANAGERS, SUPERVISORS, Role
from taisai.table.rules import limits_of
from taisai.table.state import RoundPhase, SetUpState, TablePhase, TableState

LARGEST: Final = 2**63
"""More than any stake."""
PAIRED: Final = frozenset(map(str, PAIR_OF))
PlacedBet = tuple[int, h.Event, h.BetPlaced]
"""A bet on its way past the checks: its record's number, the event, and what happened."""


class Audited:
    """What is known of a table while its events go by: its book, its limits, and the bets as they were closed."""

    def __init__(self, table: str, book_of: Callable[[str], RuleBook | None]) -> None:
        self.table = table
        self.book_of = book_of
        self.book: RuleBook | None = None
        self.limits: Limits | None = None
        self.layout = ""
        self.plain_limits: dict[str, Any] = {}
        self.stakes_min: dict[str, int] = {}
        """Minimum of each box of the layout."""
        self.closed: dict[tuple[str, str], int] = {}
        """Stakes at the close, by player and box, in order of first placing."""
        self._set_up: SetUpState | None = None

    def stand_under(self, set_up: SetUpState) -> None:
        """Know the rules of a set-up; the same one is known already."""
        if set_up is self._set_up:
            return
        self._set_up = set_up
        self.book = self.book_of(set_up.book)
        self.layout = f"{set_up.book}/{set_up.layout}"
        self.plain_limits = msgspec.to_builtins(set_up.limits)
        try:
            limits = limits_of(set_up.limits)
        except InputFault:
            self.limits, self.stakes_min = None, {}
            return
        layout = self.book.layouts.get(set_up.layout) if self.book is not None else None
        self.limits = limits
        self.stakes_min = {box: limits.of(box).stake_min for box in (layout.boxes if layout is not None else ())}

    def clauses(self, rule: Rule) -> tuple[str, ...]:
        """The clauses of the table's book behind a rule."""
        return self.book.clauses_for(rule) if self.book is not None else ()

    @property
    def is_recounted(self) -> bool:
        """Whether the second settlement knows this layout."""
        return second.knows(self.layout)


class Seen(NamedTuple):
    """One event on its way past the checks."""

    audited: Audited
    seq: int
    before: TableState
    event: h.Event

    def finding(self, code: str, sentence: str, rule: Rule | None = None) -> AuditFinding:
        """A finding at this event."""
        clauses = self.audited.clauses(rule) if rule is not None else ()
        number = self.before.round.number or None
        return AuditFinding(code, sentence, self.audited.table, number, self.seq, clauses)


Check = Callable[[Seen, Any], Iterator[AuditFinding]]

_PHASES: Final[dict[type, tuple[frozenset[RoundPhase], Rule]]] = {
    h.BetsOpened: (frozenset({RoundPhase.BETWEEN}), Rule.NO_BET_BEFORE_PAID),
    h.BetPlaced: (frozenset({RoundPhase.BETTING}), Rule.NO_CHANGE_AFTER_CLOSE),
    h.BetWithdrawn: (frozenset({RoundPhase.BETTING}), Rule.NO_CHANGE_AFTER_CLOSE),
    h.ExcessRejected: (frozenset({RoundPhase.BETTING}), Rule.EXCESS_REJECTED),
    h.BetsClosed: (frozenset({RoundPhase.BETTING}), Rule.BETS_CLOSE),
    h.DiceUncovered: (frozenset({RoundPhase.CLOSED}), Rule.UPPERMOST_FACES),
    h.ResultAnnounced: (frozenset({RoundPhase.UNCOVERED}), Rule.UPPERMOST_FACES),
    h.ResultEntered: (frozenset({RoundPhase.ANNOUNCED}), Rule.ENTRY_TERMINAL),
    h.EntryAmended: (frozenset({RoundPhase.ENTERED}), Rule.ENTRY_AMENDED),
    h.LosersCollected: (frozenset({RoundPhase.ANNOUNCED, RoundPhase.ENTERED}), Rule.COLLECT_THEN_PAY),
    h.BetPaid: (frozenset({RoundPhase.COLLECTED}), Rule.COLLECT_THEN_PAY),
    h.RoundConcluded: (frozenset({RoundPhase.COLLECTED}), Rule.COLLECT_THEN_PAY),
}


def in_order(seen: Seen, what: h.Happening) -> Iterator[AuditFinding]:
    """Each step comes when the procedure has it, at an open table."""
    phases, rule = _PHASES[type(what)]
    phase = seen.before.round.phase
    if phase not in phases:
        yield seen.finding("out-of-order", f"{_kind(what)} while the round was at {phase}", rule)
    if seen.before.phase is not TablePhase.OPEN:
        yield seen.finding(
            "table-not-open", f"{_kind(what)} while the table was {seen.before.phase}", Rule.OPENING_CHECK
        )


def _kind(what: h.Happening) -> str:
    return str(type(what).__struct_config__.tag)


def bets_are_right(
    audited: Audited, run: Sequence[PlacedBet], before: TableState, after: TableState
) -> Iterator[AuditFinding]:
    """Bets that followed each other: each by the right hand, at the right time, within the limits.

    Totals only grow while bets follow each other, so a maximum that holds after the run held all through it; what can
    break in between (a minimum, a differential) is looked at bet by bet.
    """
    late = before.round.phase is not RoundPhase.BETTING or before.phase is not TablePhase.OPEN
    stakes_min = audited.stakes_min
    over = _over_maximum(audited, before, after)
    suspect = {
        place
        for place, (_, event, what) in enumerate(run)
        if late
        or event.by.role is not Role.PLAYER
        or event.by.id != what.player
        or what.amount < stakes_min.get(what.box, LARGEST)
        or what.box in PAIRED
        or what.box in over
    }
    if not suspect:
        return
    stakes = {(player, box): stake for player, boxes in before.round.stakes.items() for box, stake in boxes.items()}
    totals = dict(before.round.totals)
    for place, (seq, event, what) in enumerate(run):
        key = (what.player, what.box)
        stakes[key] = stakes.get(key, 0) + what.amount
        totals[what.box] = totals.get(what.box, 0) + what.amount
        if place in suspect:
            seen = Seen(audited, seq, before, event)
            if late:
                yield from in_order(seen, what)
            yield from _by_the_right_hand(seen, what)
            yield from _within_limits(seen, what, stakes[key], totals)


def _over_maximum(audited: Audited, before: TableState, after: TableState) -> set[str]:
    """The boxes that a run of bets took over their maximum."""
    limits = audited.limits
    if limits is None:
        return set()
    found = set()
    for box, total in after.round.totals.items():
        if box in audited.stakes_min and total != before.round.totals.get(box):
            stake_max = limits.of(BoxName(box)).stake_max
            if stake_max is not None and total > stake_max:
                found.add(box)
    return found


def _by_the_right_hand(seen: Seen, what: h.BetPlaced) -> Iterator[AuditFinding]:
    """A player's bet is placed by himself, or by the crew for him."""
    by = seen.event.by
    if by.role not in PLAYERS_AND_CREW or (by.role is Role.PLAYER and by.id != what.player):
        yield seen.finding("not-authorised", f"{by.id} ({by.role}) placed a bet of {what.player}", Rule.PLAYER_ANSWERS)


def _within_limits(seen: Seen, what: h.BetPlaced, mine: int, totals: dict[str, int]) -> Iterator[AuditFinding]:
    """A bet that was not found on the felt kept to minimum, maximum and differential."""
    audited, limits = seen.audited, seen.audited.limits
    if limits is None or audited.book is None:
        return
    if what.box not in audited.stakes_min:
        yield seen.finding("unknown-box", f"the layout has no box {what.box}", Rule.LAYOUT_MARKED)
        return
    if what.how is How.FELT:
        return
    stake_min, stake_max = limits.of(BoxName(what.box))
    if mine < stake_min:
        yield seen.finding(
            "under-minimum", f"{what.player} has {mine} in {what.box}, minimum {stake_min}", Rule.MINIMUM
        )
    total = totals[what.box]
    if stake_max is not None and total > stake_max:
        yield seen.finding("over-maximum", f"{what.box} holds {total}, maximum {stake_max}", Rule.MAXIMUM)
    pair = PAIR_OF.get(BoxName(what.box))
    if pair is not None and pair[0] in limits.differential and audited.clauses(Rule.DIFFERENTIAL):
        difference = total - totals.get(pair[1], 0)
        if difference > limits.differential[pair[0]]:
            sentence = f"{what.box} is {difference} ahead, differential {limits.differential[pair[0]]}"
            yield seen.finding("over-differential", sentence, Rule.DIFFERENTIAL)


def chips_were_there(seen: Seen, what: h.BetWithdrawn | h.ExcessRejected | h.LineRuled) -> Iterator[AuditFinding]:
    """Chips that go back are chips that lay there."""
    handed = what.handed if isinstance(what, h.ExcessRejected) else (what.handed,)
    for part in handed:
        lay = seen.before.round.stakes.get(part.player, {}).get(part.box, 0) if part is not None else 0
        if part is not None and part.amount > lay:
            yield seen.finding(
                "chips-not-there", f"{part.amount} of {part.player} handed back out of {part.box}, {lay} lay there"
            )


def bets_as_closed(seen: Seen, what: h.BetsClosed) -> Iterator[AuditFinding]:
    """What was fixed at the close is what lay on the felt."""
    stakes: dict[tuple[str, str], int] = {}
    for stack in seen.before.round.stacks:
        key = (stack.player, stack.box)
        stakes[key] = stakes.get(key, 0) + stack.amount
    seen.audited.closed = stakes
    if {(bet.player, bet.box): bet.stake for bet in what.bets} != stakes or len(what.bets) != len(stakes):
        yield seen.finding(
            "bets-differ", "the bets fixed at the close are not those on the felt", Rule.SETTLED_BY_POSITION
        )


def correction_follows(seen: Seen, what: h.BetCorrected) -> Iterator[AuditFinding]:
    """A corrected bet moves only what lay there."""
    closed = seen.audited.closed
    source, target = (what.player, what.lies_on), (what.player, what.belongs_on)
    left = closed.get(source, 0) - what.amount
    if left < 0:
        yield seen.finding("chips-not-there", f"{what.amount} moved out of {what.lies_on}, too many by {-left}")
    closed[source] = left
    if left <= 0:
        del closed[source]
    closed[target] = closed.get(target, 0) + what.amount


def lights_are_right(
    seen: Seen, what: h.ResultEntered | h.EntryAmended | h.AreasLit | h.TestRunMade
) -> Iterator[AuditFinding]:
    """The lights are exactly the boxes that win on the numbers entered."""
    match what:
        case h.EntryAmended():
            dice: Dice | None = what.after
        case h.AreasLit():
            dice = seen.before.round.dice
        case _:
            dice = what.dice
    if dice is None or not seen.audited.is_recounted:
        return
    should = second.winners(seen.audited.layout, dice).keys()
    if set(what.lit) != should:
        wrong = ", ".join(sorted(set(what.lit) ^ should))
        yield seen.finding("lights-wrong", f"lit for {dice} differ from the recount in {wrong}", Rule.WINNING_LIGHTS)


def called_right(seen: Seen, what: h.ResultAnnounced) -> Iterator[AuditFinding]:
    """The call is what the dice show."""
    dice = seen.before.round.dice
    if dice is not None and seen.audited.is_recounted and what.call != recount.call(dice):
        yield seen.finding(
            "call-wrong", f"called {what.call!r}, the dice show {recount.call(dice)!r}", Rule.UPPERMOST_FACES
        )


def settled_right(seen: Seen, what: h.RoundConcluded) -> Iterator[AuditFinding]:
    """Every bet was settled exactly once, for the money that the recount finds, and the felt is empty."""
    current = seen.before.round
    on_felt = sorted(account for account in seen.before.ledger if account.startswith("box:"))
    if on_felt:
        yield seen.finding("felt-not-empty", f"chips are left in {', '.join(on_felt)}", Rule.COLLECT_THEN_PAY)
    if what.dice != current.dice:
        yield seen.finding(
            "dice-differ", f"concluded on {what.dice}, uncovered were {current.dice}", Rule.UPPERMOST_FACES
        )
    audited = seen.audited
    if not audited.is_recounted:
        return
    should = second.settled(audited.layout, what.dice, audited.closed, audited.plain_limits)
    lines = {(line.player, line.box): line for line in current.lines}
    if len(lines) != len(current.lines) or lines.keys() != should.keys():
        yield seen.finding(
            "settled-not-once", "the bets settled are not the bets on the felt, each once", Rule.PAY_TABLE
        )
    for key in lines.keys() & should.keys():
        line, right = lines[key], should[key]
        paid = (line.stake, line.at_risk, line.pays, line.winnings, line.returned)
        if paid != right:
            sentence = f"{key[0]} on {key[1]}: settled as {paid}, the recount finds {tuple(right)}"
            yield seen.finding("settled-wrong", sentence, Rule.PAY_TABLE)
    sums = (what.staked, what.at_risk, what.winnings, what.returned)
    found = [0, 0, 0, 0]
    for right in should.values():
        for place, amount in enumerate((right.stake, right.at_risk, right.winnings, right.returned)):
            found[place] += amount
    if sums != tuple(found):
        yield seen.finding("sums-wrong", f"the round's sums are {sums}, the recount finds {found}", Rule.PAY_TABLE)


def void_returns_all(seen: Seen, what: h.RoundVoided) -> Iterator[AuditFinding]:
    """A void hands back every chip on the felt, for a reason that the book has."""
    handed: dict[tuple[str, str], int] = {}
    for part in what.handed:
        handed[part.player, part.box] = handed.get((part.player, part.box), 0) + part.amount
    on_felt: dict[tuple[str, str], int] = {}
    for stack in seen.before.round.stacks:
        on_felt[stack.player, stack.box] = on_felt.get((stack.player, stack.box), 0) + stack.amount
    if seen.before.round.bets:
        on_felt = {(bet.player, bet.box): bet.stake for bet in seen.before.round.bets}
    if handed != on_felt:
        yield seen.finding("void-not-whole", "what was handed back is not what lay on the felt", Rule.VOID_RETURNS_BETS)
    book = seen.audited.book
    if book is not None and what.why not in book.procedure.voids:
        yield seen.finding("void-reason", f"the book has no void reason {what.why}", Rule.VOID_RETURNS_BETS)
    if seen.before.round.dice is not None and what.why != "interrupted":
        yield from _two_people(seen, SUPERVISORS, Rule.VOID_RETURNS_BETS)


_ALTERATIONS: Final[dict[type, tuple[frozenset[Role], Rule]]] = {
    h.EntryAmended: (SUPERVISORS, Rule.ENTRY_AMENDED),
    h.BetCorrected: (SUPERVISORS, Rule.MOVED_WAGER_CORRECTED),
    h.InterruptionResolved: (SUPERVISORS, Rule.INTERRUPTION_CONCLUDED),
    h.RoundReversed: (PIT_MANAGERS, Rule.DAMAGED_DICE_VOID),
    h.LimitsSet: (PIT_MANAGERS, Rule.LIMITS_SHOWN),
}


def two_people(seen: Seen, what: h.Happening) -> Iterator[AuditFinding]:
    """An alteration has a second person of rank, and a reason."""
    ranks, rule = _ALTERATIONS[type(what)]
    yield from _two_people(seen, ranks, rule)


def _two_people(seen: Seen, ranks: frozenset[Role], rule: Rule) -> Iterator[AuditFinding]:
    event = seen.event
    second_person = event.authorised_by
    if second_person is None or second_person.id == event.by.id or second_person.role not in ranks:
        yield seen.finding("one-person", f"{_kind(event.what)} was not authorised by a second person of rank", rule)
    if not event.reason.strip():
        yield seen.finding("no-reason", f"{_kind(event.what)} has no reason", rule)


_RANKS: Final[dict[type, tuple[frozenset[Role], Rule]]] = {
    h.TableSetUp: (SUPERVISORS, Rule.ROLES),
    h.ItemChecked: (SUPERVISORS, Rule.OPENING_CHECK),
    h.TableOpened: (SUPERVISORS, Rule.OPENING_CHECK),
    h.TableResumed: (SUPERVISORS, Rule.SUSPENDED_AFTER_MALFUNCTION),
    h.Ruled: (SHIFT_MANAGERS, Rule.SHIFT_MANAGER_DECIDES),
}


def of_rank(seen: Seen, what: h.Happening) -> Iterator[AuditFinding]:
    """Some things only a supervisor or the shift manager may do."""
    ranks, rule = _RANKS[type(what)]
    by = seen.event.by
    if by.role not in ranks:
        yield seen.finding("not-authorised", f"{_kind(what)} by {by.id} ({by.role})", rule)


def book_is_known(seen: Seen, what: h.TableSetUp | h.BetsOpened | h.TableOpened) -> Iterator[AuditFinding]:
    """The rule book in force is one that we have, to the last character."""
    set_up = seen.before.set_up
    book_id = what.book if isinstance(what, h.TableSetUp) else set_up.book if set_up is not None else ""
    book = seen.audited.book_of(book_id)
    if book is None:
        yield seen.finding("book-unknown", f"there is no rule book {book_id} here to check by")
    elif book.digest != what.digest:
        sentence = f"rule book {book_id} had digest {what.digest[:16]}…, the one here has {book.digest[:16]}…"
        yield seen.finding("book-differs", sentence)
    if set_up is not None and not isinstance(what, h.TableSetUp) and set_up.digest != what.digest:
        yield seen.finding("book-changed", "the digest is not the one that the table was set up with")


def opened_after_check(seen: Seen, _what: h.TableOpened) -> Iterator[AuditFinding]:
    """The table opened with every item of the opening check passed, and sound dice sealed in."""
    before, book = seen.before, seen.audited.book
    missing = [
        item.item
        for item in (book.procedure.opening if book is not None else ())
        if item.item not in before.checks or not before.checks[item.item].passed
    ]
    if missing:
        yield seen.finding("check-incomplete", f"opened without {', '.join(missing)}", Rule.OPENING_CHECK)
    if before.dice_in is None or not before.dice_sets[before.dice_in].sound:
        yield seen.finding("no-dice", "opened without a sound set of dice sealed in", Rule.DICE_SET)


CHECKS: Final[tuple[tuple[tuple[type, ...], Check], ...]] = (
    (tuple(_PHASES), in_order),
    ((h.BetWithdrawn, h.ExcessRejected, h.LineRuled), chips_were_there),
    ((h.BetsClosed,), bets_as_closed),
    ((h.BetCorrected,), correction_follows),
    ((h.ResultEntered, h.EntryAmended, h.AreasLit, h.TestRunMade), lights_are_right),
    ((h.ResultAnnounced,), called_right),
    ((h.RoundConcluded,), settled_right),
    ((h.RoundVoided,), void_returns_all),
    (tuple(_ALTERATIONS), two_people),
    (tuple(_RANKS), of_rank),
    ((h.TableSetUp, h.BetsOpened, h.TableOpened), book_is_known),
    ((h.TableOpened,), opened_after_check),
)

CHECKS_BY_EVENT: Final[dict[type, tuple[Check, ...]]] = {
    kind: tuple(check for kinds, check in CHECKS if kind in kinds) for kinds, _ in CHECKS for kind in kinds
}
