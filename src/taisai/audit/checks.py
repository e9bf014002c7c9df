"""The checks of an audit, event by event.

Enters: one event of a table, the state before it. Leaves: findings. A check is a plain function; `CHECKS` says which
events it looks at. They know the rules only through the recount and the clauses: what `decide` thought is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

import msgspec

from taisai.audit import recount, second
from taisai.audit.findings import AuditFinding
from taisai.audit.openings import opened_wrong
from taisai.core.boxes import BoxName
from taisai.core.faults import InputFault
from taisai.core.limits import OPPOSITE_OF, Limits
from taisai.core.rulebook import Rule, RuleBook
from taisai.table import events as e
from taisai.table.commands import DealtBy, Dice, How
from taisai.table.people import HOUSE, PIT_MANAGERS, PLAYERS_AND_CREW, SHIFT_MANAGERS, SUPERVISORS, Role
from taisai.table.rules import limits_of
from taisai.table.state import PaidLine, RoundPhase, SetUpState, TablePhase, TableState

LARGEST: Final = 2**63
"""More than any stake."""
_LINE: Final = attrgetter("player", "box", "stake", "at_risk", "pays", "winnings", "returned")
Run = Sequence[tuple[int, e.Event]]
"""Events of one kind that follow each other, with the numbers of their records."""


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
        self.stakes_max: dict[str, int] = {}
        """Maximum of each box that has one."""
        self.paired: frozenset[str] = frozenset()
        """Boxes whose difference from their opposite is limited."""
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
            self.limits, self.stakes_min, self.stakes_max = None, {}, {}
            return
        layout = self.book.layouts.get(set_up.layout) if self.book is not None else None
        self.limits = limits
        has_differential = self.book is not None and self.book.has(Rule.DIFFERENTIAL)
        limited = limits.differential if has_differential else {}
        self.paired = frozenset(str(box) for box, (pair, _) in OPPOSITE_OF.items() if pair in limited)
        of_box = {str(box): limits.of(box) for box in (layout.boxes if layout is not None else ())}
        self.stakes_min = {box: each.stake_min for box, each in of_box.items()}
        self.stakes_max = {box: each.stake_max for box, each in of_box.items() if each.stake_max is not None}

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
    event: e.Event

    def finding(self, code: str, sentence: str, rule: Rule | None = None) -> AuditFinding:
        """A finding at this event."""
        clauses = self.audited.clauses(rule) if rule is not None else ()
        number = self.before.round.number or None
        return AuditFinding(code, sentence, self.audited.table, number, self.seq, clauses)


Check = Callable[[Seen, Any], Iterator[AuditFinding]]

PHASES: Final[dict[type[e.EventBody], tuple[frozenset[RoundPhase], Rule]]] = {
    e.DiceCommitted: (frozenset({RoundPhase.BETWEEN}), Rule.BETS_OPEN),
    e.BetsOpened: (frozenset({RoundPhase.BETWEEN}), Rule.NO_BET_BEFORE_PAID),
    e.BetPlaced: (frozenset({RoundPhase.BETTING}), Rule.NO_CHANGE_AFTER_CLOSE),
    e.BetWithdrawn: (frozenset({RoundPhase.BETTING}), Rule.NO_CHANGE_AFTER_CLOSE),
    e.ExcessRejected: (frozenset({RoundPhase.BETTING}), Rule.EXCESS_REJECTED),
    e.BetsClosed: (frozenset({RoundPhase.BETTING}), Rule.BETS_CLOSE),
    e.DiceUncovered: (frozenset({RoundPhase.CLOSED}), Rule.UPPERMOST_FACES),
    e.ResultAnnounced: (frozenset({RoundPhase.UNCOVERED}), Rule.UPPERMOST_FACES),
    e.ResultEntered: (frozenset({RoundPhase.ANNOUNCED}), Rule.ENTRY_TERMINAL),
    e.EntryAmended: (frozenset({RoundPhase.ENTERED}), Rule.ENTRY_AMENDED),
    e.LosersCollected: (frozenset({RoundPhase.ANNOUNCED, RoundPhase.ENTERED}), Rule.COLLECT_THEN_PAY),
    e.BetPaid: (frozenset({RoundPhase.COLLECTED}), Rule.COLLECT_THEN_PAY),
    e.RoundConcluded: (frozenset({RoundPhase.COLLECTED}), Rule.COLLECT_THEN_PAY),
}


def in_order(seen: Seen, what: e.EventBody) -> Iterator[AuditFinding]:
    """Each step comes when the procedure has it, at an open table."""
    phases, rule = PHASES[type(what)]
    phase = seen.before.round.phase
    if phase not in phases:
        yield seen.finding("out-of-order", f"{_kind(what)} while the round was at {phase}", rule)
    if seen.before.phase is not TablePhase.OPEN:
        yield seen.finding(
            "table-not-open", f"{_kind(what)} while the table was {seen.before.phase}", Rule.OPENING_CHECK
        )


def _kind(what: e.EventBody) -> str:
    return str(type(what).__struct_config__.tag)


def run_is_right(audited: Audited, run: Run, before: TableState, after: TableState) -> Iterator[AuditFinding]:
    """Bets or payments that followed each other: at the right time; a bet also by the right hand, within the limits."""
    kind = type(run[0][1].what)
    phases, _ = PHASES[kind]
    if before.round.phase not in phases or before.phase is not TablePhase.OPEN:
        for seq, event in run:
            yield from in_order(Seen(audited, seq, before, event), event.what)
    if kind is e.BetPaid and before.dealt_by is DealtBy.HOUSE:
        for seq, event in run:
            yield from by_the_house(Seen(audited, seq, before, event), event.what)
    if kind is e.BetPlaced:
        suspect = _suspect_bets(audited, run, before, after)
        if suspect:
            yield from _bets_looked_at(audited, run, before, suspect)


def _suspect_bets(audited: Audited, run: Run, before: TableState, after: TableState) -> set[int]:
    """Bets that may be wrong, by their place in the run: quickly, since nearly all are right.

    Totals only grow while bets follow each other, so a maximum that holds after the run held all through it. What can
    break in between (a minimum, a differential) is looked at bet by bet.
    """
    stakes_min, paired, player = audited.stakes_min, audited.paired, Role.PLAYER
    over = _over_maximum(audited, before, after)
    suspect = set()
    for place, (_, event) in enumerate(run):
        by, what = event.by, cast(e.BetPlaced, event.what)
        box = what.box
        if (
            by.role is not player
            or by.id != what.player
            or what.amount < stakes_min.get(box, LARGEST)
            or box in paired
            or box in over
        ):
            suspect.add(place)
    return suspect


def _bets_looked_at(audited: Audited, run: Run, before: TableState, suspect: set[int]) -> Iterator[AuditFinding]:
    stakes = {(player, box): stake for player, boxes in before.round.stakes.items() for box, stake in boxes.items()}
    totals = dict(before.round.totals)
    for place, (seq, event) in enumerate(run):
        what = cast(e.BetPlaced, event.what)
        key = (what.player, what.box)
        stakes[key] = stakes.get(key, 0) + what.amount
        totals[what.box] = totals.get(what.box, 0) + what.amount
        if place in suspect:
            seen = Seen(audited, seq, before, event)
            yield from _by_the_right_hand(seen, what)
            yield from _within_limits(seen, what, stakes[key], totals)


def _over_maximum(audited: Audited, before: TableState, after: TableState) -> set[str]:
    """The boxes that a run of bets took over their maximum."""
    stakes_max, was = audited.stakes_max, before.round.totals
    return {
        box
        for box, total in after.round.totals.items()
        if total > stakes_max.get(box, LARGEST) and total != was.get(box)
    }


def _by_the_right_hand(seen: Seen, what: e.BetPlaced) -> Iterator[AuditFinding]:
    """A player's bet is placed by the player, or by the crew for the player."""
    by = seen.event.by
    if by.role not in PLAYERS_AND_CREW or (by.role is Role.PLAYER and by.id != what.player):
        yield seen.finding("not-authorised", f"{by.id} ({by.role}) placed a bet of {what.player}", Rule.PLAYER_ANSWERS)


def _within_limits(seen: Seen, what: e.BetPlaced, mine: int, totals: dict[str, int]) -> Iterator[AuditFinding]:
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
    pair = OPPOSITE_OF.get(BoxName(what.box))
    if pair is not None and pair[0] in limits.differential and audited.clauses(Rule.DIFFERENTIAL):
        difference = total - totals.get(pair[1], 0)
        if difference > limits.differential[pair[0]]:
            sentence = f"{what.box} is {difference} ahead, differential {limits.differential[pair[0]]}"
            yield seen.finding("over-differential", sentence, Rule.DIFFERENTIAL)


def chips_were_there(seen: Seen, what: e.BetWithdrawn | e.ExcessRejected | e.LineRuled) -> Iterator[AuditFinding]:
    """Chips that go back are chips that lay there."""
    handed = what.handed if isinstance(what, e.ExcessRejected) else (what.handed,)
    for part in handed:
        lay = seen.before.round.stakes.get(part.player, {}).get(part.box, 0) if part is not None else 0
        if part is not None and part.amount > lay:
            yield seen.finding(
                "chips-not-there", f"{part.amount} of {part.player} handed back out of {part.box}, {lay} lay there"
            )


def bets_as_closed(seen: Seen, what: e.BetsClosed) -> Iterator[AuditFinding]:
    """What was fixed at the close is what lay on the felt."""
    stakes: dict[tuple[str, str], int] = {}
    for stack in seen.before.round.stacks:
        key = (stack.player, stack.box)
        stakes[key] = stakes.get(key, 0) + stack.amount
    seen.audited.closed = stakes
    fixed = what.bets
    if len(fixed) != len(stakes) or any(stakes.get((bet.player, bet.box)) != bet.stake for bet in fixed):
        sentence = "the bets fixed at the close are not those on the felt"
        yield seen.finding("bets-differ", sentence, Rule.SETTLED_BY_POSITION)


def correction_follows(seen: Seen, what: e.BetCorrected) -> Iterator[AuditFinding]:
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


def committed_once(seen: Seen, what: e.DiceCommitted) -> Iterator[AuditFinding]:
    """The dice of the next round are committed once, before it begins."""
    current = seen.before.round
    if what.round != current.number + 1:
        yield seen.finding("not-as-committed", f"committed for round {what.round}, the next is {current.number + 1}")
    if current.commitment:
        yield seen.finding("not-as-committed", f"the dice of round {what.round} were committed a second time")


def opened_as_committed(seen: Seen, what: e.DiceUncovered | e.InterruptionResolved) -> Iterator[AuditFinding]:
    """Committed dice were uncovered by the secret they were fixed by, and by nothing else; others by none."""
    current = seen.before.round
    if isinstance(what, e.InterruptionResolved):
        wrong = "virtual dice were read that nobody can read" if current.commitment and what.dice is not None else ""
    else:
        wrong = opened_wrong(current.commitment, what.opening, seen.audited.table, current.number, what.dice)
    if wrong:
        yield seen.finding("not-as-committed", wrong, Rule.UPPERMOST_FACES)


def lights_are_right(
    seen: Seen, what: e.ResultEntered | e.EntryAmended | e.AreasLit | e.TestRunMade
) -> Iterator[AuditFinding]:
    """The lights are exactly the boxes that win on the numbers entered."""
    match what:
        case e.EntryAmended():
            dice: Dice | None = what.after
        case e.AreasLit():
            dice = seen.before.round.dice
        case _:
            dice = what.dice
    if dice is None or not seen.audited.is_recounted:
        return
    should = second.winners(seen.audited.layout, dice).keys()
    if set(what.lit) != should:
        wrong = ", ".join(sorted(set(what.lit) ^ should))
        yield seen.finding("lights-wrong", f"lit for {dice} differ from the recount in {wrong}", Rule.WINNING_LIGHTS)


def called_right(seen: Seen, what: e.ResultAnnounced) -> Iterator[AuditFinding]:
    """The call is what the dice show."""
    dice = seen.before.round.dice
    if dice is not None and seen.audited.is_recounted and what.call != recount.call(dice):
        yield seen.finding(
            "call-wrong", f"called {what.call!r}, the dice show {recount.call(dice)!r}", Rule.UPPERMOST_FACES
        )


def settled_right(seen: Seen, what: e.RoundConcluded) -> Iterator[AuditFinding]:
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
    sums = _sums_when_right(audited, what.dice, current.lines)
    if sums is None:
        yield from _settled_wrong(seen, what)
    elif sums != (what.staked, what.at_risk, what.winnings, what.returned):
        yield seen.finding("sums-wrong", f"the round's sums are not those of its bets, {sums}", Rule.PAY_TABLE)


def _sums_when_right(audited: Audited, dice: Dice, lines: Sequence[PaidLine]) -> tuple[int, int, int, int] | None:
    """The sums over the bets when each was settled once and as the recount has it; None when any was not."""
    closed, won = audited.closed, second.winners(audited.layout, dice)
    risked = second.at_risk(audited.layout, closed, audited.plain_limits)
    staked = at_risk = winnings = returned = 0
    seen = set()
    for player, box, stake, risk, pays, won_by_it, back in map(_LINE, lines):
        key = (player, box)
        odds = won.get(box)
        right = risk * odds if odds is not None else 0
        if (
            closed.get(key) != stake
            or risked.get(key) != risk
            or odds != pays
            or right != won_by_it
            or back != (stake + right if odds is not None else stake - risk)
        ):
            return None
        seen.add(key)
        staked += stake
        at_risk += risk
        winnings += right
        returned += back
    return (staked, at_risk, winnings, returned) if len(seen) == len(lines) == len(closed) else None


def _settled_wrong(seen: Seen, what: e.RoundConcluded) -> Iterator[AuditFinding]:
    """Which bets of a round were not settled as they should be."""
    audited = seen.audited
    should = second.settled(audited.layout, what.dice, audited.closed, audited.plain_limits)
    lines = {(line.player, line.box): line for line in seen.before.round.lines}
    if len(lines) != len(seen.before.round.lines) or lines.keys() != should.keys():
        sentence = "the bets settled are not the bets on the felt, each once"
        yield seen.finding("settled-not-once", sentence, Rule.PAY_TABLE)
    for key in sorted(lines.keys() & should.keys()):
        paid, right = _LINE(lines[key])[2:], should[key]
        if paid != right:
            sentence = f"{key[0]} on {key[1]}: settled as {paid}, the recount finds {tuple(right)}"
            yield seen.finding("settled-wrong", sentence, Rule.PAY_TABLE)


def void_returns_all(seen: Seen, what: e.RoundVoided) -> Iterator[AuditFinding]:
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


ALTERATIONS: Final[dict[type[e.EventBody], tuple[frozenset[Role], Rule]]] = {
    e.EntryAmended: (SUPERVISORS, Rule.ENTRY_AMENDED),
    e.BetCorrected: (SUPERVISORS, Rule.MOVED_WAGER_CORRECTED),
    e.InterruptionResolved: (SUPERVISORS, Rule.INTERRUPTION_CONCLUDED),
    e.RoundReversed: (PIT_MANAGERS, Rule.DAMAGED_DICE_VOID),
    e.LimitsSet: (PIT_MANAGERS, Rule.LIMITS_SHOWN),
}


def two_people(seen: Seen, what: e.EventBody) -> Iterator[AuditFinding]:
    """An alteration has a second person of rank, and a reason."""
    ranks, rule = ALTERATIONS[type(what)]
    yield from _two_people(seen, ranks, rule)


def _two_people(seen: Seen, ranks: frozenset[Role], rule: Rule) -> Iterator[AuditFinding]:
    event = seen.event
    second_person = event.authorised_by
    if second_person is None or second_person.id == event.by.id or second_person.role not in ranks:
        yield seen.finding("one-person", f"{_kind(event.what)} was not authorised by a second person of rank", rule)
    if not event.reason.strip():
        yield seen.finding("no-reason", f"{_kind(event.what)} has no reason", rule)


RANKS: Final[dict[type[e.EventBody], tuple[frozenset[Role], Rule]]] = {
    e.TableSetUp: (SUPERVISORS, Rule.ROLES),
    e.DealingAssigned: (HOUSE, Rule.ROLES),
    e.ItemChecked: (SUPERVISORS, Rule.OPENING_CHECK),
    e.TableOpened: (SUPERVISORS, Rule.OPENING_CHECK),
    e.TableResumed: (SUPERVISORS, Rule.SUSPENDED_AFTER_MALFUNCTION),
    e.Ruled: (SHIFT_MANAGERS, Rule.SHIFT_MANAGER_DECIDES),
}


def of_rank(seen: Seen, what: e.EventBody) -> Iterator[AuditFinding]:
    """Some things only a supervisor, the shift manager or the house itself may do."""
    ranks, rule = RANKS[type(what)]
    by = seen.event.by
    if by.role not in ranks:
        yield seen.finding("not-authorised", f"{_kind(what)} by {by.id} ({by.role})", rule)


DEALT: Final = (
    e.DiceCommitted, e.DiceTumbled, e.BetsOpened, e.BetsClosed, e.DiceUncovered, e.ResultAnnounced, e.NumberPressed,
    e.ResultEntered, e.LosersCollected, e.RoundConcluded,
)  # fmt: skip
"""The steps of a round."""


def by_the_house(seen: Seen, what: e.EventBody) -> Iterator[AuditFinding]:
    """Where the house deals, its own dealer takes every step, the commitment first; the crew only stops a round."""
    by = seen.event.by
    if seen.before.dealt_by is DealtBy.HOUSE and by.role is not Role.SYSTEM:
        sentence = f"{_kind(what)} by {by.id} ({by.role}), at a table that the house deals"
        yield seen.finding("not-authorised", sentence, Rule.ROLES)


def open_long_enough(seen: Seen, _what: e.BetsClosed) -> Iterator[AuditFinding]:
    """Bets were open for as long as the table promises (R20)."""
    open_us, least_ms = seen.event.at - seen.before.round.opened_at, seen.before.betting_min_ms
    if open_us < least_ms * 1_000:
        sentence = f"bets were open for {open_us // 1_000} ms, at least {least_ms} are promised"
        yield seen.finding("betting-too-short", sentence, Rule.BETS_CLOSE)


def book_is_known(seen: Seen, what: e.TableSetUp | e.BetsOpened | e.TableOpened) -> Iterator[AuditFinding]:
    """The rule book in force is one that we have, to the last character."""
    set_up = seen.before.set_up
    book_id = what.book if isinstance(what, e.TableSetUp) else set_up.book if set_up is not None else ""
    book = seen.audited.book_of(book_id)
    if book is None:
        yield seen.finding("book-unknown", f"there is no rule book {book_id} here to check by")
    elif not book.matches(what.digest):
        sentence = f"rule book {book_id} had digest {what.digest[:16]}…, the one here has {book.digest[:16]}…"
        yield seen.finding("book-differs", sentence)
    if set_up is not None and not isinstance(what, e.TableSetUp) and set_up.digest != what.digest:
        yield seen.finding("book-changed", "the digest is not the one that the table was set up with")


def opened_after_check(seen: Seen, _what: e.TableOpened) -> Iterator[AuditFinding]:
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
    (tuple(PHASES), in_order),
    ((e.BetWithdrawn, e.ExcessRejected, e.LineRuled), chips_were_there),
    ((e.BetsClosed,), bets_as_closed),
    ((e.BetCorrected,), correction_follows),
    ((e.DiceCommitted,), committed_once),
    ((e.DiceUncovered, e.InterruptionResolved), opened_as_committed),
    ((e.ResultEntered, e.EntryAmended, e.AreasLit, e.TestRunMade), lights_are_right),
    ((e.ResultAnnounced,), called_right),
    ((e.RoundConcluded,), settled_right),
    ((e.RoundVoided,), void_returns_all),
    (tuple(ALTERATIONS), two_people),
    (tuple(RANKS), of_rank),
    (DEALT, by_the_house),
    ((e.BetsClosed,), open_long_enough),
    ((e.TableSetUp, e.BetsOpened, e.TableOpened), book_is_known),
    ((e.TableOpened,), opened_after_check),
)

CHECKS_BY_EVENT: Final[dict[type, tuple[Check, ...]]] = {
    kind: tuple(check for kinds, check in CHECKS if kind in kinds) for kinds, _ in CHECKS for kind in kinds
}
