"""What the events of a shift make of a table's state: set-up, float, dice, opening check, suspension, people and chips.

Enters: a state and an event, from `table.evolve`. Leaves: the next state. No rule is asked and nothing is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from taisai.table import events as e
from taisai.table.commands import Mending
from taisai.table.state import (
    SEAL_ITEM,
    TEST_RUN_ITEM,
    Check,
    DiceSet,
    Player,
    Round,
    SetUpState,
    Shift,
    TablePhase,
    TableState,
)


def unchanged(state: TableState, _event: e.Event, _what: e.EventBody) -> TableState:
    """An event that moves money, or nothing."""
    return state


# ------------------------------------------------------------------ the shift


def _set_up(state: TableState, _event: e.Event, what: e.TableSetUp) -> TableState:
    made = SetUpState(
        what.book, what.layout, what.digest, what.limits, what.currency, what.denominations, what.colours, what.coverage
    )
    # What was checked was checked on the layout that stood before.
    return replace(state, phase=TablePhase.CLOSED, set_up=made, checks={}, tested={}, source_sound=False)


def _edition_taken(state: TableState, _event: e.Event, what: e.EditionTaken) -> TableState:
    if state.set_up is None:
        return state
    unproven = {
        name: tuple(replace(each, book=what.book) if each.book == what.replaces else each for each in played)
        for name, played in state.unproven.items()
    }
    set_up = replace(state.set_up, book=what.book, layout=what.layout, digest=what.digest)
    return replace(state, set_up=set_up, unproven=unproven)


def _dealing_assigned(state: TableState, _event: e.Event, what: e.DealingAssigned) -> TableState:
    return replace(state, dealt_by=what.to, betting_min_ms=what.betting_min_ms, purpose=what.purpose)


def _source_tested(state: TableState, _event: e.Event, what: e.SourceTested) -> TableState:
    return replace(state, source_sound=what.sound and not what.dark)


def _clock_set(state: TableState, _event: e.Event, what: e.ClockSet) -> TableState:
    """Move the times that periods are measured from along with the clock, so that no period ends early or late."""
    current = state.round
    times = (current.opened_at, current.stepped_at, current.closes_at)
    opened_at, stepped_at, closes_at = (at + what.by_us if at else 0 for at in times)
    return replace(state, round=replace(current, opened_at=opened_at, stepped_at=stepped_at, closes_at=closes_at))


def _float_counted(state: TableState, event: e.Event, what: e.FloatCounted) -> TableState:
    return replace(state, shift=Shift(opened_at=event.at, opener=what.amount))


def with_dice(state: TableState, name: str, dice: DiceSet) -> TableState:
    """The state with a set of dice as it is now."""
    return replace(state, dice_sets={**state.dice_sets, name: dice})


def _dice_received(state: TableState, event: e.Event, what: e.DiceReceived) -> TableState:
    return with_dice(state, what.dice_set, DiceSet(received_at=event.at))


def _untumbled(state: TableState) -> TableState:
    """Dice that were touched or seen since they were tumbled are not tumbled for the next round."""
    return replace(state, round=replace(state.round, tumbles=0))


def _dice_sealed(state: TableState, event: e.Event, what: e.DiceSealed) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], seal=what.seal)
    if state.dice_in != what.dice_set:  # a new seal on the same set: it has been in the tumbler all the while
        dice = replace(dice, sealed_at=event.at, warned=False)
    # Another seal has not been looked at yet (`nz-division-9` §5.0(d)).
    checks = unproved(state, SEAL_ITEM)
    return replace(_untumbled(with_dice(state, what.dice_set, dice)), dice_in=what.dice_set, checks=checks)


def _dice_inspected(state: TableState, event: e.Event, what: e.DiceInspected) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], inspected_at=event.at, sound=what.sound)
    unproven = {**state.unproven, what.dice_set: ()} if what.sound else state.unproven
    return replace(_untumbled(with_dice(state, what.dice_set, dice)), unproven=unproven)


def _dice_retired(state: TableState, event: e.Event, what: e.DiceRetired) -> TableState:
    dice = replace(state.dice_sets[what.dice_set], retired_at=event.at)
    after = with_dice(state, what.dice_set, dice)
    return replace(_untumbled(after), dice_in=None) if state.dice_in == what.dice_set else after


def _dice_overdue(state: TableState, _event: e.Event, what: e.DiceOverdue) -> TableState:
    return with_dice(state, what.dice_set, replace(state.dice_sets[what.dice_set], warned=True))


def _test_run(state: TableState, _event: e.Event, what: e.TestRunMade) -> TableState:
    tested = {**state.tested, ",".join(map(str, sorted(what.dice))): what.lit_correctly}
    if what.lit_correctly:
        return replace(state, tested=tested)
    # The lights are not proven after all: this roll again, and then the item.
    return replace(state, tested=tested, checks=unproved(state, TEST_RUN_ITEM))


def unproved(state: TableState, item: str) -> dict[str, Check]:
    """The opening check without an item that no longer holds."""
    return {name: check for name, check in state.checks.items() if name != item}


def _item_checked(state: TableState, event: e.Event, what: e.ItemChecked) -> TableState:
    check = Check(what.passed, event.by.id, event.at, what.note)
    return replace(state, checks={**state.checks, what.item: check})


def _table_opened(state: TableState, _event: e.Event, _what: e.TableOpened) -> TableState:
    return replace(state, phase=TablePhase.OPEN)


def _table_suspended(state: TableState, _event: e.Event, what: e.TableSuspended) -> TableState:
    return replace(state, suspended=what.cause)


def _table_resumed(state: TableState, _event: e.Event, what: e.TableResumed) -> TableState:
    if what.by is Mending.MENDED:
        return replace(state, suspended="", faults=(), procedure="")
    return replace(state, suspended="", procedure=what.note)


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
        tested={},
        source_sound=False,
        suspended="",
        faults=(),
        procedure="",
        held=(),
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


SHIFT: Final[dict[type, Callable[..., TableState]]] = {
    e.TableSetUp: _set_up,
    e.EditionTaken: _edition_taken,
    e.DealingAssigned: _dealing_assigned,
    e.SourceTested: _source_tested,
    e.ClockSet: _clock_set,
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
    e.ChipsBrought: unchanged,
    e.CashedOut: unchanged,
    e.ColourTaken: _colour_taken,
    e.ColourTurnedIn: _colour_turned_in,
    e.Filled: _filled,
    e.Credited: _credited,
    e.DebtSettled: unchanged,
}
"""What each of them does."""
