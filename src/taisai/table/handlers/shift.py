"""The shift: set-up, float, dice, opening check, open, suspend, limits, close.

Serves `nz-division-9` §3.4(d),(e), §5.0, §7.4; `rws-tai-sai-v6` §2.1.1, §2.2.1, §3.3; R3, R16.
"""

from __future__ import annotations

from taisai.core.dice import roll_of
from taisai.core.faults import InputFault
from taisai.core.limits import not_by_book
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.evolve import EQUIPMENT
from taisai.table.handlers.bets_on_felt import suspended_by
from taisai.table.handlers.shared import Decision, deals_virtually, no_sound_dice, worth
from taisai.table.ledger import DROP, FLOAT
from taisai.table.record.coverage import smallest_cover
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, limits_of, listed, set_up_of
from taisai.table.state import TEST_RUN_ITEM, RoundPhase, TablePhase, TableState


def set_up(rules: TableRules, state: TableState, _command: c.Command, do: c.SetUp) -> Decision:
    """A table is put under an approved book, by its digest, while it is closed and has no float."""
    book = rules.book
    in_use = state.phase is TablePhase.OPEN or state.balance(FLOAT)
    if in_use and (state.set_up is None or book.replaces != state.set_up.book):
        return Refusal(
            Code.ALREADY_SET_UP, "The table is in use; close it before setting it up anew.", allowed="close-table"
        )
    if do.book != book.id or do.digest != book.digest:
        sentence = f"The approved book is {book.id} with digest {book.digest[:16]}…; this is not it."
        return Refusal(Code.WRONG_BOOK, sentence)
    if do.layout not in book.layouts:
        allowed = listed(book.layouts)
        return rules.refuse(Code.UNKNOWN, f"The book has no layout {do.layout}.", Rule.LAYOUT_MARKED, allowed=allowed)
    refused = _bad_limits(rules, do.layout, do.limits)
    if refused is not None:
        return refused
    if list(do.denominations) != sorted(set(do.denominations)) or do.denominations[0] != do.limits.unit:
        return Refusal(
            Code.BAD_VALUE, "denominations: in ascending order, each once, the smallest being the limits' unit."
        )
    if any(chip % do.limits.unit for chip in do.denominations):
        return Refusal(Code.BAD_VALUE, f"denominations: each a multiple of the unit {do.limits.unit}.")
    if in_use:
        return _next_edition(rules, state, do)
    return [
        e.TableSetUp(do.book, do.layout, do.digest, do.limits, do.currency, do.denominations, do.colours, do.coverage),
    ]


def _next_edition(rules: TableRules, state: TableState, do: c.SetUp) -> Decision:
    """A table in use takes up the next edition of its book between two rounds; nothing else changes with it."""
    now = set_up_of(state)
    if state.round.phase is not RoundPhase.BETWEEN:
        sentence = f"A round is in play ({state.round.phase}): it is settled by the edition under which it began."
        return rules.refuse(Code.ROUND_IN_PLAY, sentence, Rule.NO_BET_BEFORE_PAID)
    same = (now.limits, now.currency, now.denominations, now.colours)
    if (do.limits, do.currency, do.denominations, do.colours) != same:
        sentence = "With a new edition the limits, currency, chips and colours of a table in use stay as they are."
        return Refusal(Code.ALREADY_SET_UP, sentence, allowed="set-limits, or close-table")
    return [e.EditionTaken(do.book, do.layout, do.digest, now.book)]


def assign_dealing(_rules: TableRules, state: TableState, _command: c.Command, do: c.AssignDealing) -> Decision:
    """Who deals a table is the house's word: no person at the table gives it to anybody else."""
    if (state.dealt_by, state.betting_min_ms, state.purpose) == (do.to, do.betting_min_ms, do.purpose):
        return Refusal(Code.NOTHING_TO_DO, "The table is dealt like that already.")
    return [e.DealingAssigned(do.to, do.betting_min_ms, do.purpose)]


def run_source_test(_rules: TableRules, _state: TableState, _command: c.Command, do: c.TestSource) -> Decision:
    """What the house's own dealer tested, under its own name; what it cannot look at is not in it."""
    return [e.SourceTested(do.source, do.drawn, do.sound, do.dark)]


def set_clock(_rules: TableRules, _state: TableState, _command: c.Command, do: c.SetClock) -> Decision:
    """Records keep the wall clock; when it jumps, the record says by how much."""
    if not do.by_us:
        return Refusal(Code.NOTHING_TO_DO, "The clock was not set.")
    return [e.ClockSet(do.by_us)]


def _bad_limits(rules: TableRules, layout: str, limits: c.TableLimits) -> Refusal | None:
    try:
        checked = limits_of(limits, rules.book.layouts[layout])
    except InputFault as fault:
        return rules.refuse(Code.BAD_VALUE, f"limits.{fault}.", Rule.MINIMUM)
    wrong = not_by_book(rules.book, checked)
    return None if wrong is None else rules.refuse(Code.BAD_VALUE, f"limits.{wrong[0]}: {wrong[1]}.", wrong[2])


def count_float(_rules: TableRules, state: TableState, _command: c.Command, do: c.CountFloat) -> Decision:
    """The opener comes from the cage, once a shift."""
    amount = worth(set_up_of(state), do.count)
    if isinstance(amount, Refusal):
        return amount
    if not amount:
        return Refusal(Code.BAD_VALUE, "count: the float is empty.")
    if state.balance(FLOAT):
        return Refusal(Code.NOTHING_TO_DO, "The float is counted already.", allowed="fill, once the table is open")
    return [e.FloatCounted(do.count, amount)]


def receive_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.ReceiveDice) -> Decision:
    """Each set has an identity of its own, for life."""
    if do.dice_set in state.dice_sets:
        return rules.refuse(Code.BAD_VALUE, f"dice_set: a set {do.dice_set} was received before.", Rule.DICE_SET)
    return [e.DiceReceived(do.dice_set)]


def _retired_or_unknown(rules: TableRules, state: TableState, name: str) -> Refusal | None:
    dice = state.dice_sets.get(name)
    if dice is None or dice.retired_at is not None:
        known = listed(sorted(each for each, its in state.dice_sets.items() if its.retired_at is None))
        return rules.refuse(Code.UNKNOWN, f"No dice set {name} is at this table.", Rule.DICE_SET, allowed=known)
    return None


def seal_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.SealDice) -> Decision:
    """One sound set at a time is in the tumbler, under a seal."""
    refused = _retired_or_unknown(rules, state, do.dice_set)
    if refused is not None:
        return refused
    if state.dice_in is not None and state.dice_in != do.dice_set:
        sentence = f"Dice set {state.dice_in} is in the tumbler: retire it first."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.DICE_SET, allowed="retire-dice")
    if not state.dice_sets[do.dice_set].sound:
        return rules.refuse(Code.BAD_VALUE, f"Dice set {do.dice_set} is damaged.", Rule.DICE_SET, allowed="retire-dice")
    return [e.DiceSealed(do.dice_set, do.seal)]


def retire_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.RetireDice) -> Decision:
    """A set leaves for good."""
    refused = _retired_or_unknown(rules, state, do.dice_set)
    if refused is not None:
        return refused
    return [e.DiceRetired(do.dice_set, do.note)]


def run_test(rules: TableRules, state: TableState, _command: c.Command, do: c.TestRun) -> Decision:
    """A known result is entered and exactly its areas must light: before opening, or before a suspension ends."""
    if state.phase is TablePhase.OPEN and not (state.suspended or state.faults):
        sentence = "The table is open; test runs are made while it is closed or suspended."
        return rules.refuse(Code.TABLE_OPEN, sentence, Rule.TEST_RUNS, allowed="suspend-table")
    layout, _ = rules.at(state)
    return [e.TestRunMade(do.dice, layout.lit(roll_of(do.dice)), do.lit_correctly)]


def runs_left(rules: TableRules, state: TableState) -> tuple[c.Dice, ...]:
    """The test runs that are still to be made: those that failed, then a smallest set that lights the rest (I28)."""
    layout, _ = rules.at(state)
    runs = {text: tuple(map(int, text.split(","))) for text in state.tested}
    failed = [runs[text] for text, passed in sorted(state.tested.items()) if not passed]
    proven = [roll_of(runs[text]) for text, passed in state.tested.items() if passed]
    by_kind = set_up_of(state).coverage is c.Coverage.KINDS
    rolls = smallest_cover(layout, proven, by_kind=by_kind)
    left = [*failed, *(roll.faces for roll in rolls if roll.faces not in failed)]
    return tuple((dice[0], dice[1], dice[2]) for dice in left)


def _not_proven(rules: TableRules, state: TableState) -> Refusal | None:
    """The lights are proven by test runs that cover what the house chose, with no failed one left."""
    left = runs_left(rules, state)
    if not left:
        return None
    shown = listed("-".join(map(str, dice)) for dice in left)
    sentence = f"The lights are not proven: {len(left)} test runs are to be made."
    return rules.refuse(Code.CHECK_INCOMPLETE, sentence, Rule.TEST_RUNS, allowed=f"test-run of {shown}")


def check_item(rules: TableRules, state: TableState, _command: c.Command, do: c.CheckItem) -> Decision:
    """An item of the book's opening check; the terminal's item stands on test runs."""
    items = [item.item for item in rules.book.procedure.opening]
    if do.item not in items:
        sentence = f"The opening check has no item {do.item}."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.OPENING_CHECK, allowed=listed(items))
    of_runs = do.item == TEST_RUN_ITEM
    refused = _not_proven(rules, state) if of_runs and do.passed else None
    if refused is not None:
        return refused
    return [e.ItemChecked(do.item, do.passed, do.note, str(set_up_of(state).coverage) if of_runs else "")]


def open_table(rules: TableRules, state: TableState, _command: c.Command, _do: c.OpenTable) -> Decision:
    """Open when every item is passed, sound dice are sealed in and the float is there.

    A table that the house deals with virtual dice has no tumbler, seal or terminal: its dealer has tested its source
    of dice and the lights instead.
    """
    missing = [
        item.item
        for item in rules.book.procedure.opening
        if item.item not in state.checks or not state.checks[item.item].passed
    ]
    if missing and not deals_virtually(state):
        sentence = f"The opening check is not complete: {listed(missing)}."
        return rules.refuse(Code.CHECK_INCOMPLETE, sentence, Rule.OPENING_CHECK, allowed="check-item")
    refused = no_sound_dice(rules, state)
    if refused is not None:
        return refused
    if not state.balance(FLOAT):
        return Refusal(Code.CHECK_INCOMPLETE, "The float is not counted.", allowed="count-float")
    return [e.TableOpened(set_up_of(state).digest)]


def suspend(rules: TableRules, state: TableState, _command: c.Command, do: c.SuspendTable) -> Decision:
    """No further round from now; the one in play is settled."""
    if not do.cause.strip():
        return Refusal(Code.REASON_NEEDED, "cause: say what is wrong.")
    found = suspended_by(state, [do.cause])
    if not found:
        sentence = f"The table is suspended already: {state.suspended}."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.SUSPENDED_AFTER_MALFUNCTION)
    return found


def resume(rules: TableRules, state: TableState, _command: c.Command, do: c.ResumeTable) -> Decision:
    """A supervisor records that it is mended, lights and terminal proven again, or which procedure keeps it safe."""
    if not do.note.strip():
        sentence = "note: say what was mended, or what the procedure is."
        return rules.refuse(Code.REASON_NEEDED, sentence, Rule.SUSPENDED_AFTER_MALFUNCTION)
    if do.by is c.Mending.PROCEDURE and state.procedure and not state.suspended:
        return rules.refuse(
            Code.NOTHING_TO_DO, f"In force already: {state.procedure}.", Rule.SUSPENDED_AFTER_MALFUNCTION
        )
    refused = no_sound_dice(rules, state) if state.suspended else None
    proves = any(item.item == TEST_RUN_ITEM for item in rules.book.procedure.opening)
    if refused is None and do.by is c.Mending.MENDED and proves and not EQUIPMENT.isdisjoint(state.faults):
        refused = _not_proven(rules, state)
    return refused if refused is not None else [e.TableResumed(do.by, do.note, state.suspended or state.procedure)]


def set_limits(rules: TableRules, state: TableState, _command: c.Command, do: c.SetLimits) -> Decision:
    """Limits change between rounds, by two people; before and after are recorded."""
    set_up = set_up_of(state)
    refused = _bad_limits(rules, set_up_of(state).layout, do.limits)
    if refused is not None:
        return refused
    if do.limits.unit != set_up.limits.unit:
        return Refusal(Code.BAD_VALUE, f"limits.unit: the smallest chip of this table is {set_up.limits.unit}.")
    return [e.LimitsSet(set_up.limits, do.limits)]


def close_table(rules: TableRules, state: TableState, _command: c.Command, do: c.CloseTable) -> Decision:
    """The closer is counted; players leave with their value chips; colours have been turned in."""
    amount = worth(set_up_of(state), do.count)
    if isinstance(amount, Refusal):
        return amount
    out = sorted(seat.colour for seat in state.players.values() if seat.colour is not None)
    if out:
        sentence = f"Colour chips are still out: {listed(out)}."
        return rules.refuse(Code.COLOUR_OUT, sentence, Rule.COLOUR_CHIPS, allowed="turn-in-colour")
    leaving = {
        account.removeprefix("player:"): balance
        for account, balance in state.ledger.items()
        if account.startswith("player:")
    }
    return [e.TableClosed(do.count, amount, state.balance(FLOAT), state.balance(DROP), leaving)]
