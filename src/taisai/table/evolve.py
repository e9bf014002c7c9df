"""`evolve`: what an event makes of a table's state.

Enters: a state and an event that happened. Leaves: the next state. No rule is asked and nothing is refused:
yesterday's bet still loads after today's limits changed. Money moves by the event's postings; a ledger that does not
balance stops the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from taisai.bounds import DISPUTES_KEPT
from taisai.core.rulebook import Fact, Then
from taisai.table import events as e
from taisai.table.events import Event
from taisai.table.ledger import move_in, pay_all, place_all, placing, post, postings_of
from taisai.table.parts import Handed
from taisai.table.record.shift import SHIFT, unchanged, unproved, with_dice
from taisai.table.state import (
    HISTORY_ROUNDS,
    TEST_RUN_ITEM,
    TUMBLER_ITEM,
    Dispute,
    HeldFact,
    Meters,
    PaidLine,
    PastRound,
    Played,
    Round,
    RoundPhase,
    Stack,
    TablePhase,
    TableState,
    Touch,
)

EQUIPMENT: Final = frozenset({Fact.LIGHTS_FAULT, Fact.TERMINAL_DEAD})
"""Facts after which the lights are proven again."""


def evolve(state: TableState, event: e.Event) -> TableState:
    """The state after an event."""
    what = event.what
    if type(what) is e.BetPlaced:
        # By far the most frequent event: one copy of the state instead of two.
        ledger = state.ledger.copy()
        placing(what, move_in, ledger)
        return replace(state, seq=state.seq + 1, at=event.at, ledger=ledger, round=_with_stack(state.round, what))
    if type(what) is e.BetPaid:
        return with_run(state, (event,))
    postings = postings_of(what)
    ledger = post(state.ledger, postings) if postings else state.ledger
    stepped = replace(state, seq=state.seq + 1, at=event.at, ledger=ledger)
    return _EVOLVED[type(what)](stepped, event, what)


def replay(state: TableState, events: Iterable[Event]) -> TableState:
    """The state after many events: as `evolve` gives it, with runs of bets and of payments taken together."""
    run: list[Event] = []
    kind: type | None = None
    for event in events:
        if type(event.what) is not kind:
            if run:
                state = with_run(state, run)
                run = []
            kind = type(event.what)
        if kind in IN_RUNS:
            run.append(event)
        else:
            state = evolve(state, event)
    return with_run(state, run) if run else state


def with_run(state: TableState, run: Sequence[Event]) -> TableState:
    """The state after a run of events of one kind of `IN_RUNS`: as `evolve` gives it, copying each mapping once."""
    ledger = state.ledger.copy()
    current = IN_RUNS[type(run[0].what)](state.round, ledger, [event.what for event in run])
    return replace(state, seq=state.seq + len(run), at=run[-1].at, ledger=ledger, round=current)


def _with_bets(current: Round, ledger: dict[str, int], bets: Sequence[e.BetPlaced]) -> Round:
    totals, stacks, contributions = current.totals.copy(), list(current.stacks), current.contributions
    stakes = {player: boxes.copy() for player, boxes in current.stakes.items()}
    place_all(bets, ledger)
    for what in bets:
        player, box, amount = what.player, what.box, what.amount
        totals[box] = totals.get(box, 0) + amount
        if player in stakes:
            mine = stakes[player]
            mine[box] = mine.get(box, 0) + amount
        else:
            stakes[player] = {box: amount}
        stacks.append(Stack(player, box, amount, what.how, what.colour))
        if what.contribution:
            contributions = {**contributions, player: what.contribution}
    return replace(current, stacks=tuple(stacks), stakes=stakes, totals=totals, contributions=contributions)


def _with_payments(current: Round, ledger: dict[str, int], payments: Sequence[e.BetPaid]) -> Round:
    pay_all(payments, ledger)
    lines = [
        PaidLine(what.player, what.box, what.stake, what.at_risk, what.pays, what.winnings, what.returned)
        for what in payments
    ]
    return replace(current, lines=(*current.lines, *lines))


IN_RUNS: Final[dict[type, Callable[..., Round]]] = {e.BetPlaced: _with_bets, e.BetPaid: _with_payments}
"""Events that come in long runs."""


# ------------------------------------------------------------------ the round


def _committed_to(current: Round, event: e.Event, what: e.DiceCommitted) -> Round:
    return replace(current, commitment=what.commitment, form=what.form, nonce=what.nonce, stepped_at=event.at)


def _committed(state: TableState, event: e.Event, what: e.DiceCommitted) -> TableState:
    return replace(state, round=_committed_to(state.round, event, what))


def _tumbled(state: TableState, event: e.Event, what: e.DiceTumbled) -> TableState:
    before_it = state.round.tumbles > 0 and not state.round.tumbled_after_close
    after_close = state.round.phase is RoundPhase.CLOSED and not before_it
    current = replace(
        state.round, tumbles=what.times, tumbled_after_close=after_close, re_roll=False, stepped_at=event.at
    )
    return replace(state, round=current)


def _bets_opened(state: TableState, event: e.Event, what: e.BetsOpened) -> TableState:
    before = {player: state.funds(player) for player in state.players}
    return replace(
        state,
        round=Round(
            number=what.round,
            phase=RoundPhase.BETTING,
            opened_at=event.at,
            stepped_at=event.at,
            closes_at=what.closes_at,
            commitment=state.round.commitment,
            form=state.round.form,
            nonce=state.round.nonce,
            tumbles=state.round.tumbles,
            funds_before=before,
            # Equipment that is not mended: the procedure in force does without it.
            by_dice=not EQUIPMENT.isdisjoint(state.faults),
        ),
    )


def _with_stack(current: Round, what: e.BetPlaced) -> Round:
    player, box, amount = what.player, what.box, what.amount
    mine = current.stakes.get(player, {}).copy()
    mine[box] = mine.get(box, 0) + amount
    stakes = current.stakes.copy()
    stakes[player] = mine
    totals = current.totals.copy()
    totals[box] = totals.get(box, 0) + amount
    stacks = (*current.stacks, Stack(player, box, amount, what.how, what.colour))
    if what.contribution:
        brought = {**current.contributions, player: what.contribution}
        return replace(current, stacks=stacks, stakes=stakes, totals=totals, contributions=brought)
    return replace(current, stacks=stacks, stakes=stakes, totals=totals)


def without(current: Round, handed: Handed) -> Round:
    """The round without chips handed back, the newest stacks of that player and box first."""
    left = handed.amount
    stacks = list(current.stacks)
    for place in range(len(stacks) - 1, -1, -1):
        stack = stacks[place]
        if left == 0:
            break
        if stack.player == handed.player and stack.box == handed.box:
            taken = min(left, stack.amount)
            left -= taken
            if taken < stack.amount:
                stacks[place] = replace(stack, amount=stack.amount - taken)
            else:
                del stacks[place]
    most = {(player, box): amount for player, box, amount in current.left}
    here = (handed.player, handed.box)
    most[here] = max(most.get(here, 0), current.stakes[handed.player][handed.box])
    mine = _less(current.stakes[handed.player], handed.box, handed.amount)
    stakes = {**current.stakes, handed.player: mine}
    if not mine:
        del stakes[handed.player]
    return replace(
        current,
        stacks=tuple(stacks),
        stakes=stakes,
        totals=_less(current.totals, handed.box, handed.amount),
        left=tuple((player, box, amount) for (player, box), amount in most.items()),
    )


def _less(amounts: dict[str, int], box: str, amount: int) -> dict[str, int]:
    """Amounts by box, with so much less in one; a box with nothing in it is left out."""
    left = {**amounts, box: amounts[box] - amount}
    if not left[box]:
        del left[box]
    return left


def _bet_withdrawn(state: TableState, _event: e.Event, what: e.BetWithdrawn) -> TableState:
    return replace(state, round=without(state.round, what.handed))


def _noticed(current: Round, *bets: tuple[str, str]) -> Round:
    return replace(current, noticed=tuple(dict.fromkeys((*current.noticed, *bets))))


def _minimum_advised(state: TableState, _event: e.Event, what: e.MinimumAdvised) -> TableState:
    return replace(state, round=_noticed(state.round, (what.player, what.box)))


def _excess_rejected(state: TableState, _event: e.Event, what: e.ExcessRejected) -> TableState:
    current = state.round
    for handed in what.handed:
        current = without(current, handed)
    return replace(state, round=_noticed(current, *((each.player, each.box) for each in what.handed)))


def _bet_returned(state: TableState, _event: e.Event, what: e.BetReturned) -> TableState:
    return replace(state, round=without(state.round, what.handed))


def _step_to(state: TableState, event: e.Event, phase: RoundPhase, **changes: object) -> TableState:
    return replace(state, round=replace(state.round, phase=phase, stepped_at=event.at, **changes))


def _bets_closed(state: TableState, event: e.Event, what: e.BetsClosed) -> TableState:
    return _step_to(state, event, RoundPhase.CLOSED, bets=what.bets, flags=what.flags, capacity=what.capacity)


def _opened(state: TableState, _event: e.Event, what: e.DiceOpened) -> TableState:
    if what.dice is not None:
        return replace(state, round=replace(state.round, opening=what.opening, fixed=what.dice))
    history = tuple(
        replace(past, opening=what.opening) if past.number == what.round else past for past in state.history
    )
    return replace(state, history=history)


def _drawn(state: TableState, _event: e.Event, what: e.OddsDrawn) -> TableState:
    return replace(state, round=replace(state.round, draw=what.draw, raised=what.raised))


def _uncovered(state: TableState, event: e.Event, what: e.DiceUncovered) -> TableState:
    return _step_to(state, event, RoundPhase.UNCOVERED, dice=what.dice, opening=what.opening)


def _announced(state: TableState, event: e.Event, what: e.ResultAnnounced) -> TableState:
    return _step_to(state, event, RoundPhase.ANNOUNCED, call=what.call)


def _pressed(state: TableState, _event: e.Event, what: e.NumberPressed) -> TableState:
    return replace(state, round=replace(state.round, pressed=(*state.round.pressed, what.number)[-3:]))


def _entered(state: TableState, event: e.Event, what: e.ResultEntered) -> TableState:
    return _step_to(state, event, RoundPhase.ENTERED, entered=what.dice, lit=what.lit, pressed=())


def _areas_lit(state: TableState, _event: e.Event, what: e.AreasLit) -> TableState:
    return replace(state, round=replace(state.round, lit=what.lit))


def _amended(state: TableState, _event: e.Event, what: e.EntryAmended) -> TableState:
    return replace(state, round=replace(state.round, entered=what.after, lit=what.lit))


def _dice_corrected(state: TableState, _event: e.Event, what: e.DiceCorrected) -> TableState:
    current = replace(state.round, dice=what.after, call=what.call)
    return replace(state, round=replace(current, lit=what.lit) if current.entered is None else current)


def _collected(state: TableState, event: e.Event, what: e.LosersCollected) -> TableState:
    current = state.round
    stakes = {(bet.player, bet.box): bet.stake for bet in current.bets}
    # A loser that was not wholly at risk is settled when the rest of its stake is handed back.
    lines = tuple(
        PaidLine(loss.player, loss.box, loss.amount, loss.amount, None, 0, 0)
        for loss in what.losses
        if stakes.get((loss.player, loss.box)) == loss.amount
    )
    return _step_to(state, event, RoundPhase.COLLECTED, lines=lines, losses=what.losses)


def _into_history(state: TableState, past: PastRound, meters: Meters) -> TableState:
    return replace(
        state,
        round=Round(number=past.number, stepped_at=past.ended_at),
        history=(*state.history, past)[-HISTORY_ROUNDS:],
        meters=meters,
        # Of what held this round only the state of the dice outlives it.
        held=tuple(each for each in state.held if each.fact == Fact.DAMAGED_DICE),
    )


def _past(state: TableState, event: e.Event, lines: tuple[PaidLine, ...], void: str) -> PastRound:
    current, ruled_by = state.round, state.set_up
    return PastRound(
        number=current.number,
        opened_at=current.opened_at,
        ended_at=event.at,
        dice=None if void else current.dice,
        call=current.call,
        void=void,
        lines=lines,
        funds_before=current.funds_before,
        funds_after={player: state.funds(player) for player in state.players},
        book=ruled_by.book if ruled_by else "",
        layout=ruled_by.layout if ruled_by else "",
        digest=ruled_by.digest if ruled_by else "",
        limits=ruled_by.limits if ruled_by else None,
        capacity=current.capacity,
        commitment=current.commitment,
        opening=current.opening,
        nonce=current.nonce,
        contributions=current.contributions,
        draw=current.draw,
    )


def _concluded(state: TableState, event: e.Event, what: e.RoundConcluded) -> TableState:
    meters = state.meters
    counted = replace(
        meters,
        rounds=meters.rounds + 1,
        staked=meters.staked + what.staked,
        at_risk=meters.at_risk + what.at_risk,
        winnings=meters.winnings + what.winnings,
        returned=meters.returned + what.returned,
        expected_216=meters.expected_216 + what.expected_216,
        variance=meters.variance + what.deviation**2,
        farthest=max(meters.farthest, what.farthest),
        measured=meters.measured + (what.deviation > 0 or what.at_risk == 0),
    )
    after = _into_history(state, _past(state, event, state.round.lines, ""), counted)
    if state.dice_in is None or state.round.commitment:  # virtual dice cannot be damaged
        return after
    players: dict[str, tuple[int, int]] = {}
    for line in state.round.lines:
        staked, returned = players.get(line.player, (0, 0))
        players[line.player] = (staked + line.stake, returned + line.returned)
    book = state.set_up.book if state.set_up is not None else ""
    played = (*state.unproven.get(state.dice_in, ()), Played(what.round, players, book))
    return replace(after, unproven={**state.unproven, state.dice_in: played})


# ------------------------------------------------------------------ when something is wrong


def _fact_recorded(state: TableState, event: e.Event, what: e.FactRecorded) -> TableState:
    if not what.attested:
        # Earlier versions did not say which set it was: the one in the tumbler.
        dice_set = what.dice_set or (state.dice_in or "" if what.fact == Fact.DAMAGED_DICE else "")
        held = HeldFact(what.fact, what.round, event.by, what.note, dice_set)
        return replace(state, held=(*state.held, held))
    if what.fact == Fact.DAMAGED_DICE and what.dice_set:
        state = with_dice(state, what.dice_set, replace(state.dice_sets[what.dice_set], sound=False))
        if what.dice_set != state.dice_in:  # the dice in the tumbler are others: this round goes on
            return state
    if what.late or what.then == (Then.RECORD,):
        return state
    if Then.SUSPEND in what.then and state.phase is TablePhase.OPEN:
        state = replace(state, faults=tuple(dict.fromkeys((*state.faults, what.fact))))
    if what.fact in EQUIPMENT:  # the lights are in doubt
        state = replace(state, tested={}, checks=unproved(state, TEST_RUN_ITEM))
    if what.fact == Fact.TUMBLER_FAULT:
        state = replace(state, checks=unproved(state, TUMBLER_ITEM))
    current = replace(state.round, facts=(*state.round.facts, what.fact))
    if Then.DICE_DECIDE in what.then and current.phase is not RoundPhase.BETWEEN:
        fault = what.note or what.fact if what.fact == Fact.LIGHTS_FAULT else current.lights_fault
        current = replace(current, by_dice=True, lights_fault=fault)
    if current.phase is RoundPhase.BETWEEN:  # no bet lies: a spin that was made does not count
        current = replace(current, tumbles=0, facts=())
    return replace(state, round=current)


def _fact_attested(state: TableState, _event: e.Event, what: e.FactAttested) -> TableState:
    held = tuple(each for each in state.held if each.fact != what.fact or what.dice_set not in ("", each.dice_set))
    return replace(state, held=held)


def _settlement_undone(state: TableState, _event: e.Event, what: e.SettlementUndone) -> TableState:
    return replace(state, round=replace(state.round, undone=what.lines))


def _roll_voided(state: TableState, event: e.Event, _what: e.RollVoided) -> TableState:
    current = state.round
    phase = current.phase if current.phase is RoundPhase.BETTING else RoundPhase.CLOSED
    # The fact that was recorded just before is of the roll that does not count: the next roll may have it again.
    return _step_to(
        state, event, phase, tumbles=0, tumbled_after_close=False, re_roll=True, dice=None, call="", pressed=(),
        entered=None, lit=(), facts=current.facts[:-1],
    )  # fmt: skip


def _voided(state: TableState, event: e.Event, what: e.RoundVoided) -> TableState:
    lines = tuple(PaidLine(part.player, part.box, part.amount, 0, None, 0, part.amount) for part in what.handed)
    if state.round.bets:  # whatever was settled of them has been undone
        lines = tuple(PaidLine(bet.player, bet.box, bet.stake, 0, None, 0, bet.stake) for bet in state.round.bets)
    counted = replace(state.meters, voided=state.meters.voided + 1)
    past = replace(_past(state, event, lines, what.why), clauses=what.clauses, undone=state.round.undone)
    after = _into_history(replace(state, round=replace(state.round, number=what.round)), past, counted)
    if what.why == Fact.DAMAGED_DICE and state.dice_in is not None:
        damaged = replace(state.dice_sets[state.dice_in], sound=False)
        return with_dice(after, state.dice_in, damaged)
    return after


def _interrupted(state: TableState, _event: e.Event, what: e.RoundInterrupted) -> TableState:
    return replace(state, round=replace(state.round, interrupted=what.cause))


def _interruption_resolved(state: TableState, event: e.Event, what: e.InterruptionResolved) -> TableState:
    current = replace(state.round, interrupted="", stepped_at=event.at)
    if what.dice is not None:
        current = replace(current, dice=what.dice, phase=RoundPhase.UNCOVERED)
    return replace(state, round=current)


def _bet_corrected(state: TableState, _event: e.Event, what: e.BetCorrected) -> TableState:
    return replace(state, round=replace(state.round, bets=what.bets, capacity=what.capacity))


def _line_touched(state: TableState, _event: e.Event, what: e.LineTouched) -> TableState:
    others = tuple(each for each in state.round.touching if (each.player, each.box) != (what.player, what.box))
    touching = (*others, Touch(what.player, what.box, what.attested))
    return replace(state, round=replace(state.round, touching=touching))


def _line_ruled(state: TableState, _event: e.Event, what: e.LineRuled) -> TableState:
    current = state.round
    theirs = (what.player, what.box)
    if what.handed is None:
        touching = tuple(
            replace(each, honoured=True) if (each.player, each.box) == theirs else each for each in current.touching
        )
        return replace(state, round=replace(current, touching=touching))
    if current.phase is RoundPhase.BETTING:
        return replace(state, round=without(current, what.handed))
    return replace(
        state,
        round=replace(
            current,
            bets=tuple(bet for bet in current.bets if (bet.player, bet.box) != theirs),
            stacks=tuple(stack for stack in current.stacks if (stack.player, stack.box) != theirs),
        ),
    )


def _reversed(state: TableState, _event: e.Event, what: e.RoundReversed) -> TableState:
    history = tuple(
        replace(past, reversed=True, void=what.why, clauses=what.clauses, undone=what.lines)
        if past.number == what.round
        else past
        for past in state.history
    )
    unproven = {
        name: tuple(each for each in played if each.number != what.round) for name, played in state.unproven.items()
    }
    meters = replace(state.meters, reversed=state.meters.reversed + 1)
    return replace(state, history=history, meters=meters, unproven=unproven)


def _dispute_opened(state: TableState, event: e.Event, what: e.DisputeOpened) -> TableState:
    dispute = Dispute(what.player, what.round, what.claim, event.at)
    return replace(state, disputes={**state.disputes, what.dispute: dispute})


def _dispute_resolved(state: TableState, _event: e.Event, what: e.DisputeResolved) -> TableState:
    dispute = replace(state.disputes[what.dispute], resolution=what.resolution)
    disputes = {**state.disputes, what.dispute: dispute}
    resolved = [name for name, each in disputes.items() if each.resolution]
    for name in resolved[:-DISPUTES_KEPT]:  # in the order in which they were opened
        del disputes[name]
    return replace(state, disputes=disputes)


_EVOLVED: Final[dict[type, Callable[..., TableState]]] = {
    **SHIFT,
    e.DiceCommitted: _committed,
    e.DiceTumbled: _tumbled,
    e.BetsOpened: _bets_opened,
    e.BetWithdrawn: _bet_withdrawn,
    e.MinimumAdvised: _minimum_advised,
    e.ExcessRejected: _excess_rejected,
    e.ExcessLeft: unchanged,
    e.BetReturned: _bet_returned,
    e.BetsClosed: _bets_closed,
    e.DiceOpened: _opened,
    e.OddsDrawn: _drawn,
    e.DiceUncovered: _uncovered,
    e.ResultAnnounced: _announced,
    e.NumberPressed: _pressed,
    e.ResultEntered: _entered,
    e.AreasLit: _areas_lit,
    e.EntryAmended: _amended,
    e.DiceCorrected: _dice_corrected,
    e.LosersCollected: _collected,
    e.RoundConcluded: _concluded,
    e.FactRecorded: _fact_recorded,
    e.FactAttested: _fact_attested,
    e.SettlementUndone: _settlement_undone,
    e.RollVoided: _roll_voided,
    e.RoundVoided: _voided,
    e.RoundInterrupted: _interrupted,
    e.InterruptionResolved: _interruption_resolved,
    e.BetCorrected: _bet_corrected,
    e.LineTouched: _line_touched,
    e.LineRuled: _line_ruled,
    e.RoundReversed: _reversed,
    e.Ruled: unchanged,
    e.ErrorNoted: unchanged,
    e.DisputeOpened: _dispute_opened,
    e.DisputeResolved: _dispute_resolved,
}
