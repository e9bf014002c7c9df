"""Dealing: commitment, tumble, calls, close, uncover, terminal, lights, collect, pay.

The order is the book's own procedure. Serves `nz-division-9` §3.3, §3.4(f), §4.4, §6.1-6.5, §7.2-7.4;
`rws-open-cover-v3` §3.1-3.5; `rws-tai-sai-v6` §3.2, §3.6-3.9, §5.5.1, §5.10; `rws-mini-dice-v3` §3.1-3.5;
R14, R22.
"""

from __future__ import annotations

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.calls import result_call
from taisai.core.dice import roll_of
from taisai.core.fair import commitment_of, roll_from, secret_of
from taisai.core.money import Chips
from taisai.core.rulebook import Device, Layout, Rule, Step, Tumble, VoidReason
from taisai.core.settlement import Ruling, settle
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.bets_on_felt import Parts, after_malfunction, fixed_bets, merged, voided
from taisai.table.handlers.shared import Decision, colour_out, float_short, no_sound_dice
from taisai.table.parts import Loss
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, set_up_of
from taisai.table.state import Round, RoundPhase, TableState

DICE_HOURS_MAX = 24
_HOUR_US = 3_600_000_000


def commit_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.CommitDice) -> Decision:
    """The virtual dice of the next round are fixed before its first bet; that cannot be taken back (R22)."""
    if state.round.commitment:
        sentence = f"The dice of round {state.round.number + 1} are committed already, and stay so."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.BETS_OPEN, allowed="open-bets")
    return [e.DiceCommitted(state.round.number + 1, do.commitment)]


def tumble(rules: TableRules, state: TableState, _command: c.Command, do: c.Tumble) -> Decision:
    """Covered dice are tumbled when the book says so; too few tumbles void the round where the book has that.

    A tumbler is started once and tumbles by itself; a cage is turned by its handle, and its spins add up.
    """
    refused = _wrong_time_to_tumble(rules, state) or no_sound_dice(rules, state)
    if refused is not None:
        return refused
    before = state.round.phase is RoundPhase.BETWEEN
    procedure = rules.book.procedure
    once_only = VoidReason.TOO_FEW_TUMBLES in procedure.voids and procedure.device is Device.TUMBLER
    times = do.times if once_only else state.round.tumbles + do.times
    found: list[e.EventBody] = [e.DiceTumbled(state.round.number + 1 if before else state.round.number, times)]
    if times < procedure.tumbles_min and once_only and not before:
        found.append(voided(rules, state, VoidReason.TOO_FEW_TUMBLES, announced=True))
    return found


def _wrong_time_to_tumble(rules: TableRules, state: TableState) -> Refusal | None:
    phase, when = state.round.phase, rules.book.procedure.tumble
    allowed_at = {
        Tumble.BEFORE_BETS: (RoundPhase.BETWEEN,),
        Tumble.AFTER_CLOSE: (RoundPhase.CLOSED,),
        Tumble.EITHER: (RoundPhase.BETWEEN, RoundPhase.BETTING, RoundPhase.CLOSED),
    }[when]
    clauses = rules.step_clauses(Step.TUMBLE)
    if phase not in allowed_at:
        sentence = f"The dice are tumbled at {' or '.join(allowed_at)}; the round is at {phase}."
        early = phase is RoundPhase.BETTING and VoidReason.ACTIVATED_BEFORE_CLOSE in rules.book.procedure.voids
        allowed = "if it was started all the same: void-round activated-before-close" if early else ""
        return Refusal(Code.WRONG_STEP, sentence, clauses, allowed)
    # Before the first bet a spin that went wrong is simply made again.
    if phase is not RoundPhase.BETWEEN and state.round.tumbles >= rules.book.procedure.tumbles_min:
        return Refusal(Code.NOTHING_TO_DO, "The dice are tumbled for this round.", clauses)
    return None


def open_bets(rules: TableRules, state: TableState, command: c.Command, _do: c.OpenBets) -> Decision:
    """The call that begins a round; where the book tumbles first, the dice are tumbled."""
    procedure = rules.book.procedure
    if procedure.tumble is Tumble.BEFORE_BETS and state.round.tumbles < procedure.tumbles_min:
        sentence = f"The dice are tumbled first, at least {procedure.tumbles_min} times; so far {state.round.tumbles}."
        return Refusal(Code.WRONG_STEP, sentence, rules.step_clauses(Step.TUMBLE), "tumble")
    refused = no_sound_dice(rules, state)
    if refused is not None:
        return refused
    found = _overdue(state, command.at)
    found.append(e.BetsOpened(state.round.number + 1, procedure.calls.open, set_up_of(state).digest))
    return found


def _overdue(state: TableState, at: int) -> list[e.EventBody]:
    """A warning, once a set, when it has been in the tumbler for a day."""
    found: list[e.EventBody] = []
    for name, dice in state.dice_sets.items():
        if name == state.dice_in and dice.sealed_at is not None and not dice.warned:
            hours = (at - dice.sealed_at) // _HOUR_US
            if hours >= DICE_HOURS_MAX:
                found.append(e.DiceOverdue(name, hours))
    return found


def close_bets(rules: TableRules, state: TableState, command: c.Command, _do: c.CloseBets) -> Decision:
    """The closing call fixes every bet, and what of it is at risk; it does not come before its time (R20)."""
    left_us = state.round.opened_at + state.betting_min_ms * 1_000 - command.at
    if left_us > 0:
        sentence = f"Bets stay open for {state.betting_min_ms} ms at least; {-(-left_us // 1_000)} ms are left."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.BETS_CLOSE, allowed="void-round, or later")
    _, limits = rules.at(state)
    parts: Parts = {}
    for stack in state.round.stacks:
        in_colour, colour, called = parts.get((stack.player, stack.box), (0, None, False))
        parts[stack.player, stack.box] = (
            in_colour + (stack.amount if stack.colour is not None else 0),
            stack.colour or colour,
            called or stack.how is c.How.CALL,
        )
    fixed = fixed_bets(rules, limits, merged(state), parts)
    calls = rules.book.procedure.calls
    return [e.BetsClosed(calls.close, calls.bell, *fixed)]


def uncover(rules: TableRules, state: TableState, _command: c.Command, do: c.Uncover) -> Decision:
    """The uppermost faces of dice that lie flat are the result, provided that they were tumbled often enough."""
    least = rules.book.procedure.tumbles_min
    if state.round.tumbles < least:
        sentence = f"The dice were tumbled {state.round.tumbles} times; at least {least} are needed."
        allowed = "tumble, or void-round"
        return Refusal(Code.WRONG_STEP, sentence, rules.step_clauses(Step.TUMBLE), allowed)
    refused = _not_as_committed(rules, state, do)
    return refused if refused is not None else [e.DiceUncovered(do.dice, do.opening or "")]


def _not_as_committed(rules: TableRules, state: TableState, do: c.Uncover) -> Refusal | None:
    """Committed dice are uncovered with the secret they were fixed by, and are the ones that it gives (R14, R22)."""
    current = state.round
    if not current.commitment and do.opening is None:
        return None
    if do.opening is None:
        sentence, allowed = "opening: the dice of this round were committed; bring the secret.", ""
    elif not current.commitment:
        sentence, allowed = "opening: the dice of this round were not committed.", "without opening"
    else:
        secret = secret_of(do.opening)
        if commitment_of(secret, state.table, current.number) != current.commitment:
            sentence, allowed = "opening: it does not fit the commitment of this round.", ""
        else:
            roll = roll_from(secret, state.table, current.number)
            if roll.faces == do.dice:
                return None
            sentence, allowed = f"dice: the opening gives {roll}.", str(roll)
    return rules.refuse(Code.BAD_VALUE, sentence, Rule.UPPERMOST_FACES, allowed=allowed)


def announce(rules: TableRules, state: TableState, _command: c.Command, _do: c.Announce) -> Decision:
    """The call, low to high; without a terminal the winning areas light at once."""
    roll = roll_of(state.round.dice or ())
    layout, _ = rules.at(state)
    found: list[e.EventBody] = [e.ResultAnnounced(result_call(rules.book.procedure.calls, roll), roll.total)]
    if rules.has_lights and not rules.has_terminal:
        found.append(e.AreasLit(layout.lit(roll)))
    return found


def _no_terminal(rules: TableRules) -> Refusal | None:
    if rules.has_terminal:
        return None
    return Refusal(Code.WRONG_STEP, "This book has no entry terminal.", allowed="collect")


def press(rules: TableRules, _state: TableState, _command: c.Command, do: c.Press) -> Decision:
    """Six numbered buttons; the display shows the last three pressed."""
    return _no_terminal(rules) or [e.NumberPressed(do.number)]


def enter(rules: TableRules, state: TableState, _command: c.Command, _do: c.Enter) -> Decision:
    """The entry button sends the last three numbers; fewer than three are refused."""
    refused = _no_terminal(rules)
    if refused is not None:
        return refused
    pressed = state.round.pressed
    if len(pressed) < 3:
        shown = ", ".join(map(str, pressed)) or "none"
        sentence = f"Three numbers are needed; the display shows {shown}."
        return rules.refuse(Code.ENTRY_INCOMPLETE, sentence, Rule.ENTRY_TERMINAL, allowed="press")
    layout, _ = rules.at(state)
    dice = (pressed[0], pressed[1], pressed[2])
    matches = sorted(dice) == sorted(state.round.dice or ())
    return [e.ResultEntered(dice, layout.lit(roll_of(dice)), matches)]


def amend_entry(rules: TableRules, state: TableState, _command: c.Command, do: c.AmendEntry) -> Decision:
    """A wrong entry is put right to what the dice show."""
    current = state.round
    if sorted(do.dice) != sorted(current.dice or ()):
        shown = ", ".join(map(str, current.dice or ()))
        return rules.refuse(Code.ENTRY_WRONG, f"The dice show {shown}.", Rule.ENTRY_AMENDED, allowed=shown)
    if current.entered is None or sorted(current.entered) == sorted(do.dice):
        return rules.refuse(Code.NOTHING_TO_DO, "The entry agrees with the dice.", Rule.ENTRY_AMENDED)
    layout, _ = rules.at(state)
    return [e.EntryAmended(current.entered, do.dice, layout.lit(roll_of(do.dice)))]


def report_lights(rules: TableRules, state: TableState, _command: c.Command, do: c.ReportLights) -> Decision:
    """The dice decide whatever the lights show."""
    if not rules.has_lights:
        return Refusal(Code.WRONG_STEP, "This book has no lights.", allowed="collect")
    if rules.has_terminal and state.round.phase is not RoundPhase.ENTERED:
        sentence = "Nothing is entered yet, so nothing should be lit."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.ENTRY_TERMINAL, allowed="enter")
    if state.round.lights_fault:
        return rules.refuse(Code.NOTHING_TO_DO, "It is recorded already.", Rule.DICE_DECIDE_OVER_LIGHTS)
    return [e.LightsFaulted(do.fault or "not said")]


# ------------------------------------------------------------------ settlement


def rulings_of(layout: Layout, current: Round) -> tuple[Ruling, ...]:
    """Every bet of the round settled by the dice, in the fixed order: the layout's boxes, then the order of placing."""
    places = {box: place for place, box in enumerate(layout.boxes)}
    ordered = sorted(current.bets, key=lambda bet: places[BoxName(bet.box)])
    bets = [Bet(PlayerId(bet.player), BoxName(bet.box), Chips(bet.stake)) for bet in ordered]
    at_risk = [Chips(bet.at_risk) for bet in ordered]
    return settle(layout, roll_of(current.dice or ()), bets, at_risk).rulings


def collect(rules: TableRules, state: TableState, _command: c.Command, _do: c.Collect) -> Decision:
    """All losers, once the lights are right or known to be wrong."""
    current = state.round
    if rules.has_terminal and current.phase is not RoundPhase.ENTERED:
        sentence = "The result is not entered."
        return rules.refuse(
            Code.WRONG_STEP, sentence, Rule.ENTRY_TERMINAL, Rule.COLLECT_THEN_PAY, allowed="press, enter"
        )
    if current.entered is not None and sorted(current.entered) != sorted(current.dice or ()):
        sentence = "The entry does not agree with the dice."
        return rules.refuse(Code.ENTRY_WRONG, sentence, Rule.ENTRY_AMENDED, allowed="amend-entry")
    layout, _ = rules.at(state)
    rulings = rulings_of(layout, current)
    losses = tuple(Loss(ruling.bet.player, ruling.bet.box, ruling.at_risk) for ruling in rulings if ruling.pays is None)
    found: list[e.EventBody] = [e.LosersCollected(losses)]
    if all(ruling.returned == 0 for ruling in rulings):
        found += _conclusion(rules, state, rulings)
    return found


def _to_pay(layout: Layout, current: Round) -> list[Ruling]:
    """What is still to be paid, in order."""
    done = {(line.player, line.box) for line in current.lines if line.returned}
    return [
        ruling
        for ruling in rulings_of(layout, current)
        if ruling.returned and (ruling.bet.player, ruling.bet.box) not in done
    ]


def _payments(state: TableState, paid: list[Ruling]) -> list[e.EventBody]:
    """Each bet's payment, in the kind of chips that was placed, as far as whole colour chips and the rack allow."""
    bets = {(bet.player, bet.box): bet for bet in state.round.bets}
    racks: dict[str, int] = {}  # what is left in the rack of each colour
    found: list[e.EventBody] = []
    for ruling in paid:
        bet, in_colour = bets[ruling.bet.player, ruling.bet.box], 0
        if bet.colour is not None and bet.in_colour:
            value = state.players[bet.player].value
            if bet.colour not in racks:
                chips = set_up_of(state).colours[bet.colour].chips
                racks[bet.colour] = chips * value - colour_out(state, bet.colour)
            back = min(ruling.returned * bet.in_colour // bet.stake, racks[bet.colour] + bet.in_colour)
            in_colour = back // value * value
            racks[bet.colour] += bet.in_colour - in_colour
        found.append(
            e.BetPaid(
                bet.player, bet.box, bet.stake, ruling.at_risk, ruling.pays, ruling.winnings, ruling.returned,
                in_colour, bet.colour if in_colour else None,
            )
        )  # fmt: skip
    return found


def _conclusion(rules: TableRules, state: TableState, rulings: tuple[Ruling, ...]) -> list[e.EventBody]:
    """The round is over."""
    layout, _ = rules.at(state)
    expected = sum(
        rules.returned_216(layout, ruling.bet.box) * ruling.at_risk + 216 * (ruling.bet.stake - ruling.at_risk)
        for ruling in rulings
    )
    current = state.round
    found: list[e.EventBody] = [
        e.RoundConcluded(
            current.number,
            current.dice or (0, 0, 0),
            sum(ruling.bet.stake for ruling in rulings),
            sum(ruling.at_risk for ruling in rulings),
            sum(ruling.winnings for ruling in rulings),
            sum(ruling.returned for ruling in rulings),
            expected,
        )
    ]
    return found + after_malfunction(rules, state)


def _pay(rules: TableRules, state: TableState, count: int | None) -> Decision:
    layout, _ = rules.at(state)
    waiting = _to_pay(layout, state.round)
    paid = waiting if count is None else waiting[:count]
    refused = float_short(state, sum(ruling.winnings for ruling in paid))
    if refused is not None:
        return refused
    found = _payments(state, paid)
    if len(paid) == len(waiting):
        found += _conclusion(rules, state, rulings_of(layout, state.round))
    return found


def pay_next(rules: TableRules, state: TableState, _command: c.Command, _do: c.PayNext) -> Decision:
    """The next winner in the fixed order; the last one ends the round."""
    return _pay(rules, state, 1)


def pay_all(rules: TableRules, state: TableState, _command: c.Command, _do: c.PayAll) -> Decision:
    """Every winner that is left, in the fixed order."""
    return _pay(rules, state, None)
