"""`evolve`: what an event makes of a table's state.

Enters: a state and an event that happened. Leaves: the next state. No rule is asked and nothing is refused:
yesterday's bet still loads after today's limits changed. Money moves by the event's postings; a ledger that does not
balance stops the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from taisai.core.rulebook import VoidReason
from taisai.table import events as e
from taisai.table.events import Event
from taisai.table.ledger import move_in, paying, placing, post, postings_of
from taisai.table.parts import Handed
from taisai.table.state import (
    HISTORY_ROUNDS,
    SEAL_ITEM,
    TEST_RUN_ITEM,
    Check,
    DiceSet,
    Dispute,
    Meters,
    PaidLine,
    PastRound,
    Player,
    Round,
    RoundPhase,
    SetUpState,
    Shift,
    Stack,
    TablePhase,
    TableState,
)


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
    totals, stacks = current.totals.copy(), list(current.stacks)
    stakes = {player: boxes.copy() for player, boxes in current.stakes.items()}
    for what in bets:
        player, box, amount = what.player, what.box, what.amount
        placing(what, move_in, ledger)
        totals[box] = totals.get(box, 0) + amount
        mine = stakes.get(player)
        if mine is None:
            mine = stakes[player] = {}
        mine[box] = mine.get(box, 0) + amount
        stacks.append(Stack(player, box, amount, what.how, what.colour))
    return replace(current, stacks=tuple(stacks), stakes=stakes, totals=totals)


def _with_payments(current: Round, ledger: dict[str, int], payments: Sequence[e.BetPaid]) -> Round:
    lines = list(current.lines)
    for what in payments:
        paying(what, move_in, ledger)
        lines.append(PaidLine(what.player, what.box, what.stake, what.at_risk, what.pays, what.winnings, what.returned))
    return replace(current, lines=tuple(lines))


IN_RUNS: Final[dict[type, Callable[..., Round]]] = {e.BetPlaced: _with_bets, e.BetPaid: _with_payments}
"""Events that come in long runs."""


def _unchanged(state: TableState, _event: e.Event, _what: e.EventBody) -> TableState:
    return state


# ------------------------------------------------------------------ the shift


def _set_up(state: TableState, _event: e.Event, what: e.TableSetUp) -> TableState:
    made = SetUpState(what.book, what.layout, what.digest, what.limits, what.currency, what.denominations, what.colours)
    # What was checked was checked on the layout that stood before.
    return replace(state, phase=TablePhase.CLOSED, set_up=made, checks={}, test_runs=0)


def _dealing_assigned(state: TableState, _event: e.Event, what: e.DealingAssigned) -> TableState:
    return replace(state, dealt_by=what.to, betting_min_ms=what.betting_min_ms)


def _float_counted(state: TableState, event: e.Event, what: e.FloatCounted) -> TableState:
    return replace(state, shift=Shift(opened_at=event.at, opener=what.amount))


def _with_dice(state: TableState, name: str, dice: DiceSet) -> TableState:
    return replace(state, dice_sets={**state.dice_sets, name: dice})


def _dice_received(state: TableState, event: e.Event, what: e.DiceReceived) -> TableState:
    return _with_dice(state, what.dice_set, DiceSet(received_at=event.at))


def _untumbled(state: TableState) -> TableState:
    """Dice that were touched or seen since they were tumbled are not tumbled for the next round."""
    return replace(state, round=replace(state.round, tumbles=0))


def _dice_sealed(state: TableState, event: e.Event, what: e.DiceSealed) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], seal=what.seal)
    if state.dice_in != what.dice_set:  # a new seal on the same set: it has been in the tumbler all the while
        dice = replace(dice, sealed_at=event.at, warned=False)
    # Another seal has not been looked at yet (`nz-division-9` §5.0(d)).
    checks = {item: check for item, check in state.checks.items() if item != SEAL_ITEM}
    return replace(_untumbled(_with_dice(state, what.dice_set, dice)), dice_in=what.dice_set, checks=checks)


def _dice_inspected(state: TableState, event: e.Event, what: e.DiceInspected) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], inspected_at=event.at, sound=what.sound)
    return _untumbled(_with_dice(state, what.dice_set, dice))


def _dice_retired(state: TableState, event: e.Event, what: e.DiceRetired) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], retired_at=event.at)
    after = _with_dice(state, what.dice_set, dice)
    return replace(_untumbled(after), dice_in=None) if state.dice_in == what.dice_set else after


def _dice_overdue(state: TableState, _event: e.Event, what: e.DiceOverdue) -> TableState:
    return _with_dice(state, what.dice_set, replace(state.dice_sets[what.dice_set], warned=True))


def _test_run(state: TableState, _event: e.Event, what: e.TestRunMade) -> TableState:
    if what.lit_correctly:
        return replace(state, test_runs=state.test_runs + 1)
    # The lights are not proven after all: a good run, and the item checked again.
    return replace(state, test_runs=0, checks={item: c for item, c in state.checks.items() if item != TEST_RUN_ITEM})


def _item_checked(state: TableState, event: e.Event, what: e.ItemChecked) -> TableState:
    check = Check(what.passed, event.by.id, event.at, what.note)
    return replace(state, checks={**state.checks, what.item: check})


def _table_opened(state: TableState, _event: e.Event, _what: e.TableOpened) -> TableState:
    return replace(state, phase=TablePhase.OPEN)


def _table_suspended(state: TableState, _event: e.Event, what: e.TableSuspended) -> TableState:
    return replace(state, suspended=what.cause)


def _table_resumed(state: TableState, _event: e.Event, _what: e.TableResumed) -> TableState:
    return replace(state, suspended="")


def _limits_set(state: TableState, _event: e.Event, what: e.LimitsSet) -> TableState:
    if state.set_up is None:
        return state
    return replace(state, set_up=replace(state.set_up, limits=what.after))


def _table_closed(state: TableState, _event: e.Event, what: e.TableClosed) -> TableState:
    return replace(
        state,
        phase=TablePhase.CLOSED,
        shift=replace(state.shift, closer=what.amount),
        players={},
        checks={},
        test_runs=0,
        suspended="",
        round=Round(number=state.round.number),
    )


# ------------------------------------------------------------------ people and chips


def _with_player(state: TableState, name: str, player: Player) -> TableState:
    return replace(state, players={**state.players, name: player})


def _player_sat(state: TableState, _event: e.Event, what: e.PlayerSat) -> TableState:
    return _with_player(state, what.player, replace(state.players.get(what.player, Player()), present=True))


def _player_left(state: TableState, _event: e.Event, what: e.PlayerLeft) -> TableState:
    return replace(state, players={name: seat for name, seat in state.players.items() if name != what.player})


def _walked_away(state: TableState, _event: e.Event, what: e.PlayerWalkedAway) -> TableState:
    return _with_player(state, what.player, replace(state.players[what.player], present=False))


def _bought_in(state: TableState, _event: e.Event, what: e.BoughtIn) -> TableState:
    return replace(state, shift=replace(state.shift, drop=state.shift.drop + what.amount))


def _colour_taken(state: TableState, _event: e.Event, what: e.ColourTaken) -> TableState:
    return _with_player(state, what.player, replace(state.players[what.player], colour=what.colour, value=what.value))


def _colour_turned_in(state: TableState, _event: e.Event, what: e.ColourTurnedIn) -> TableState:
    return _with_player(state, what.player, replace(state.players[what.player], colour=None, value=0))


def _filled(state: TableState, _event: e.Event, what: e.Filled) -> TableState:
    return replace(state, shift=replace(state.shift, fills=state.shift.fills + what.amount))


def _credited(state: TableState, _event: e.Event, what: e.Credited) -> TableState:
    return replace(state, shift=replace(state.shift, credits=state.shift.credits + what.amount))


# ------------------------------------------------------------------ the round


def _committed(state: TableState, event: e.Event, what: e.DiceCommitted) -> TableState:
    return replace(state, round=replace(state.round, commitment=what.commitment, stepped_at=event.at))


def _tumbled(state: TableState, event: e.Event, what: e.DiceTumbled) -> TableState:
    return replace(state, round=replace(state.round, tumbles=what.times, stepped_at=event.at))


def _bets_opened(state: TableState, event: e.Event, what: e.BetsOpened) -> TableState:
    before = {player: state.funds(player) for player in state.players}
    return replace(
        state,
        round=Round(
            number=what.round,
            phase=RoundPhase.BETTING,
            opened_at=event.at,
            stepped_at=event.at,
            commitment=state.round.commitment,
            tumbles=state.round.tumbles,
            funds_before=before,
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
    return replace(current, stacks=stacks, stakes=stakes, totals=totals)


def _without(current: Round, handed: Handed) -> Round:
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
            stacks[place] = replace(stack, amount=stack.amount - taken)
    stakes = {player: dict(boxes) for player, boxes in current.stakes.items()}
    mine = stakes[handed.player]
    mine[handed.box] -= handed.amount
    if not mine[handed.box]:
        del mine[handed.box]
    totals = {**current.totals, handed.box: current.totals[handed.box] - handed.amount}
    return replace(
        current,
        stacks=tuple(stack for stack in stacks if stack.amount),
        stakes={player: boxes for player, boxes in stakes.items() if boxes},
        totals={box: total for box, total in totals.items() if total},
    )


def _bet_withdrawn(state: TableState, _event: e.Event, what: e.BetWithdrawn) -> TableState:
    return replace(state, round=_without(state.round, what.handed))


def _excess_rejected(state: TableState, _event: e.Event, what: e.ExcessRejected) -> TableState:
    current = state.round
    for handed in what.handed:
        current = _without(current, handed)
    return replace(state, round=current)


def _step_to(state: TableState, event: e.Event, phase: RoundPhase, **changes: object) -> TableState:
    return replace(state, round=replace(state.round, phase=phase, stepped_at=event.at, **changes))


def _bets_closed(state: TableState, event: e.Event, what: e.BetsClosed) -> TableState:
    return _step_to(state, event, RoundPhase.CLOSED, bets=what.bets, flags=what.flags, capacity=what.capacity)


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


def _lights_faulted(state: TableState, _event: e.Event, what: e.LightsFaulted) -> TableState:
    return replace(state, round=replace(state.round, lights_fault=what.fault))


def _collected(state: TableState, event: e.Event, what: e.LosersCollected) -> TableState:
    current = state.round
    stakes = {(bet.player, bet.box): bet.stake for bet in current.bets}
    # A loser that was not wholly at risk is settled when the rest of its stake is handed back.
    lines = tuple(
        PaidLine(loss.player, loss.box, loss.amount, loss.amount, None, 0, 0)
        for loss in what.losses
        if stakes.get((loss.player, loss.box)) == loss.amount
    )
    return _step_to(state, event, RoundPhase.COLLECTED, lines=lines)


def _into_history(state: TableState, past: PastRound, meters: Meters) -> TableState:
    return replace(
        state,
        round=Round(number=past.number),
        history=(*state.history, past)[-HISTORY_ROUNDS:],
        meters=meters,
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
    )
    return _into_history(state, _past(state, event, state.round.lines, ""), counted)


# ------------------------------------------------------------------ when something is wrong


def _voided(state: TableState, event: e.Event, what: e.RoundVoided) -> TableState:
    lines = tuple(PaidLine(part.player, part.box, part.amount, 0, None, 0, part.amount) for part in what.handed)
    counted = replace(state.meters, voided=state.meters.voided + 1)
    after = _into_history(
        replace(state, round=replace(state.round, number=what.round)), _past(state, event, lines, what.why), counted
    )
    if what.why is VoidReason.DAMAGED_DICE and state.dice_in is not None:
        damaged = replace(state.dice_sets[state.dice_in], sound=False)
        return _with_dice(after, state.dice_in, damaged)
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


def _line_ruled(state: TableState, _event: e.Event, what: e.LineRuled) -> TableState:
    return state if what.handed is None else replace(state, round=_without(state.round, what.handed))


def _reversed(state: TableState, _event: e.Event, what: e.RoundReversed) -> TableState:
    history = tuple(replace(past, reversed=True) if past.number == what.round else past for past in state.history)
    meters = replace(state.meters, reversed=state.meters.reversed + 1)
    return replace(state, history=history, meters=meters)


def _dispute_opened(state: TableState, event: e.Event, what: e.DisputeOpened) -> TableState:
    dispute = Dispute(what.player, what.round, what.claim, event.at)
    return replace(state, disputes={**state.disputes, what.dispute: dispute})


def _dispute_resolved(state: TableState, _event: e.Event, what: e.DisputeResolved) -> TableState:
    dispute = replace(state.disputes[what.dispute], resolution=what.resolution)
    return replace(state, disputes={**state.disputes, what.dispute: dispute})


_EVOLVED: Final[dict[type, Callable[..., TableState]]] = {
    e.TableSetUp: _set_up,
    e.DealingAssigned: _dealing_assigned,
    e.FloatCounted: _float_counted,
    e.DiceReceived: _dice_received,
    e.DiceSealed: _dice_sealed,
    e.DiceInspected: _dice_inspected,
    e.DiceRetired: _dice_retired,
    e.DiceOverdue: _dice_overdue,
    e.TestRunMade: _test_run,
    e.ItemChecked: _item_checked,
    e.TableOpened: _table_opened,
    e.TableSuspended: _table_suspended,
    e.TableResumed: _table_resumed,
    e.LimitsSet: _limits_set,
    e.TableClosed: _table_closed,
    e.PlayerSat: _player_sat,
    e.PlayerLeft: _player_left,
    e.PlayerWalkedAway: _walked_away,
    e.BoughtIn: _bought_in,
    e.ChipsBrought: _unchanged,
    e.CashedOut: _unchanged,
    e.ColourTaken: _colour_taken,
    e.ColourTurnedIn: _colour_turned_in,
    e.Filled: _filled,
    e.Credited: _credited,
    e.DebtSettled: _unchanged,
    e.DiceCommitted: _committed,
    e.DiceTumbled: _tumbled,
    e.BetsOpened: _bets_opened,
    e.BetWithdrawn: _bet_withdrawn,
    e.MinimumAdvised: _unchanged,
    e.ExcessRejected: _excess_rejected,
    e.BetsClosed: _bets_closed,
    e.DiceUncovered: _uncovered,
    e.ResultAnnounced: _announced,
    e.NumberPressed: _pressed,
    e.ResultEntered: _entered,
    e.AreasLit: _areas_lit,
    e.EntryAmended: _amended,
    e.LightsFaulted: _lights_faulted,
    e.LosersCollected: _collected,
    e.RoundConcluded: _concluded,
    e.RoundVoided: _voided,
    e.RoundInterrupted: _interrupted,
    e.InterruptionResolved: _interruption_resolved,
    e.BetCorrected: _bet_corrected,
    e.LineRuled: _line_ruled,
    e.RoundReversed: _reversed,
    e.Ruled: _unchanged,
    e.ErrorNoted: _unchanged,
    e.DisputeOpened: _dispute_opened,
    e.DisputeResolved: _dispute_resolved,
}
