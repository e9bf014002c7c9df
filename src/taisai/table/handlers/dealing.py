"""Dealing: commitment, tumble, calls, close, uncover, terminal, lights, collect, pay.

The order is the book's own procedure. Serves `nz-division-9` §3.3, §3.4(f), §4.4, §6.1-6.5, §7.2-7.4;
`rws-open-cover-v3` §3.1-3.5; `rws-tai-sai-v6` §3.2, §3.6-3.9, §5.5.1, §5.10; `rws-mini-dice-v3` §3.1-3.5;
R14, R22.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import BoxName
from taisai.core.dice import roll_of
from taisai.core.fair import FORM, commitment_of, draw_from, roll_from, secret_of
from taisai.core.limits import Limits
from taisai.core.money import Chips, odds_number
from taisai.core.names import result_call
from taisai.core.odds import spread_of
from taisai.core.rulebook import Device, Draw, Fact, Layout, Rule, Step, Tumble
from taisai.core.settlement import Ruling, settle
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.evolve import without
from taisai.table.handlers.bets_on_felt import (
    Parts,
    after_malfunction,
    fixed_bets,
    handed_newest_first,
    merged,
)
from taisai.table.handlers.betting import excess_of
from taisai.table.handlers.facts import consequences, recorded
from taisai.table.handlers.shared import Decision, colour_out, float_short, no_sound_dice
from taisai.table.parts import Loss
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, set_up_of
from taisai.table.state import Round, RoundPhase, TableState

DICE_HOURS_MAX = 24
_HOUR_US = 3_600_000_000


def commit_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.CommitDice) -> Decision:
    """The house draws its part in the virtual dice before the first bet; that cannot be taken back (R22)."""
    if not rules.book.admits(Device.VIRTUAL) and state.purpose not in (c.Purpose.TRAINING, c.Purpose.DEMO):
        sentence = "Under this book virtual dice are for training and demonstration; this table is for gaming."
        return rules.refuse(Code.NOT_ADMITTED, sentence, Rule.DEVICES, allowed="tumble, with the dice of the book")
    if state.round.commitment:
        sentence = f"The dice of round {state.round.number + 1} are committed already, and stay so."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.BETS_OPEN, allowed="open-bets")
    return [e.DiceCommitted(state.round.number + 1, do.commitment, FORM, do.nonce or "")]


def tumble(rules: TableRules, state: TableState, command: c.Command, do: c.Tumble) -> Decision:
    """The dice were tumbled so often. Out of turn, or too few times, that is a fact of which the book says more.

    A tumbler is started once and tumbles by itself; a cage is turned by its handle, and its spins add up, and so do
    the spins of a tumbler before the bets.
    """
    refused = no_sound_dice(rules, state)
    if refused is not None and state.dice_in is None:
        return refused
    current, procedure = state.round, rules.book.procedure
    before = current.phase is RoundPhase.BETWEEN
    early = current.phase is RoundPhase.BETTING and procedure.tumble is Tumble.AFTER_CLOSE and not current.re_roll
    stopped = refused is not None or current.interrupted or (state.suspended and before)
    if early or stopped or not _in_turn(current, procedure.tumble):
        fact = Fact.ACTIVATED_BEFORE_CLOSE if early else Fact.TUMBLED_OUT_OF_TURN
        return recorded(rules, state, command, fact, f"tumbled {do.times} times at {current.phase}")
    once_only = procedure.device is Device.TUMBLER and procedure.tumble is not Tumble.BEFORE_BETS
    times = do.times if once_only else current.tumbles + do.times
    found: list[e.EventBody] = [e.DiceTumbled(current.number + 1 if before else current.number, times)]
    if times < procedure.tumbles_min and once_only and not before:
        found += consequences(rules, state, Fact.TOO_FEW_TUMBLES, f"tumbled {times} times")
    return found


_TURN: Final = {
    Tumble.BEFORE_BETS: (RoundPhase.BETWEEN,),
    Tumble.AFTER_CLOSE: (RoundPhase.CLOSED,),
    Tumble.EITHER: (RoundPhase.BETWEEN, RoundPhase.BETTING, RoundPhase.CLOSED),
}
"""When the dice are tumbled."""


def _in_turn(current: Round, when: Tumble) -> bool:
    again = current.re_roll and current.phase in (RoundPhase.BETTING, RoundPhase.CLOSED)
    return again or current.phase in _TURN[when]


def open_bets(rules: TableRules, state: TableState, command: c.Command, do: c.OpenBets) -> Decision:
    """The call that begins a round; where the book tumbles first, the dice are tumbled.

    Where the dice are committed the close has its time from now on: who knows the secret must not choose the moment.
    """
    procedure = rules.book.procedure
    if procedure.tumble is Tumble.BEFORE_BETS and state.round.tumbles < procedure.tumbles_min:
        sentence = f"The dice are tumbled first, at least {procedure.tumbles_min} times; so far {state.round.tumbles}."
        return Refusal(Code.WRONG_STEP, sentence, rules.step_clauses(Step.TUMBLE), "tumble")
    refused = no_sound_dice(rules, state)
    if refused is not None:
        return refused
    if state.round.commitment and do.betting_ms is None:
        sentence = "betting_ms: the dice are committed, so the time of the close is fixed with the call for bets."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.BETS_CLOSE)
    if do.betting_ms is not None and do.betting_ms < state.betting_min_ms:
        sentence = f"betting_ms: bets stay open for {state.betting_min_ms} ms at least."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.BETS_CLOSE, allowed=f"{state.betting_min_ms} or more")
    closes_at = 0 if do.betting_ms is None else command.at + do.betting_ms * 1_000
    found = _overdue(state, command.at)
    found.append(e.BetsOpened(state.round.number + 1, procedure.calls.open, set_up_of(state).digest, closes_at))
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


def close_bets(rules: TableRules, state: TableState, command: c.Command, do: c.CloseBets) -> Decision:
    """The closing call fixes every bet, and what of it is at risk; it does not come before its time (R20).

    Virtual dice are opened in the same breath, and so in the same commit: no crash can lose what they show.
    """
    due_at = state.round.closes_at or state.round.opened_at + state.betting_min_ms * 1_000
    if command.at < due_at:
        lasts_ms = (due_at - state.round.opened_at) // 1_000
        left_ms = -(-(due_at - command.at) // 1_000)
        sentence = f"Bets stay open for {lasts_ms} ms at least; {left_ms} ms are left."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.BETS_CLOSE, allowed="later")
    opened = _opened(rules, state, do.opening)
    if isinstance(opened, Refusal):
        return opened
    _, limits = rules.at(state)
    found: list[e.EventBody] = []
    for returned in _not_raised(rules, state, limits):
        found.append(returned)
        state = replace(state, round=without(state.round, returned.handed))
    found += _not_rejected(rules, state)
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
    return [*found, e.BetsClosed(calls.close, calls.bell, *fixed), *opened]


def _opened(rules: TableRules, state: TableState, opening: str | None) -> Decision:
    """The dice that the house's secret and the players' contributions give; nothing where none are committed."""
    current = state.round
    if not current.commitment and opening is None:
        return []
    if opening is None:
        sentence, allowed = "opening: the dice of this round were committed; bring the secret.", ""
    elif not current.commitment:
        sentence, allowed = "opening: the dice of this round were not committed.", "without opening"
    else:
        secret, brought = secret_of(opening), tuple(sorted(current.contributions.values()))
        if commitment_of(secret, state.table, current.number) == current.commitment:
            roll = roll_from(secret, state.table, current.number, brought)
            found: list[e.EventBody] = [e.DiceOpened(current.number, opening, brought, roll.faces)]
            draws = rules.at(state)[0].draws
            if draws:
                weights = [draw.weight for draw in draws]
                found.append(_drawn(current, draws[draw_from(secret, state.table, current.number, brought, weights)]))
            return found
        sentence, allowed = "opening: it does not fit the commitment of this round.", ""
    return rules.refuse(Code.BAD_VALUE, sentence, Rule.UPPERMOST_FACES, allowed=allowed)


def _drawn(current: Round, draw: Draw) -> e.OddsDrawn:
    return e.OddsDrawn(current.number, draw.name, {box: odds_number(odds) for box, (odds, _) in draw.raised.items()})


def draw_odds(rules: TableRules, state: TableState, _command: c.Command, do: c.DrawOdds) -> Decision:
    """The odds of this round, by the device that draws them at a table with dice of its own."""
    layout, current = rules.book.layouts[set_up_of(state).layout], state.round
    if not layout.draws:
        return rules.refuse(Code.NOTHING_TO_DO, "This layout draws no odds.", Rule.PAY_TABLE, allowed="uncover")
    if current.draw:
        sentence = f"The odds of this round are drawn: {current.draw}."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.PAY_TABLE, allowed="uncover")
    found = next((draw for draw in layout.draws if draw.name == do.draw), None)
    if found is None:
        known = ", ".join(draw.name for draw in layout.draws)
        return rules.refuse(Code.BAD_VALUE, f"draw: the draw table has no {do.draw}.", Rule.PAY_TABLE, allowed=known)
    return [_drawn(current, found)]


def open_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.OpenDice) -> Decision:
    """A round that was void before its close had no roll; its secret is published all the same (R22)."""
    past = next((each for each in state.history if each.number == do.round), None)
    if past is None or not past.commitment or not past.void:
        sentence = f"round: no void round {do.round} with committed dice is kept."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.UPPERMOST_FACES)
    if past.opening:
        return rules.refuse(Code.NOTHING_TO_DO, f"The dice of round {do.round} are opened.", Rule.UPPERMOST_FACES)
    if commitment_of(secret_of(do.opening), state.table, do.round) != past.commitment:
        sentence = f"opening: it does not fit the commitment of round {do.round}."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.UPPERMOST_FACES)
    return [e.DiceOpened(do.round, do.opening, tuple(sorted(past.contributions.values())), None)]


def _not_raised(rules: TableRules, state: TableState, limits: Limits) -> list[e.BetReturned]:
    """Bets under the minimum of which the player was told, and which were neither raised nor withdrawn (I21)."""
    if not rules.book.has(Rule.UNDER_MINIMUM_ADVISED):
        return []
    found = []
    for player, box in state.round.noticed:
        stake, stake_min = state.round.stakes.get(player, {}).get(box, 0), limits.of(BoxName(box)).stake_min
        if 0 < stake < stake_min:
            handed = handed_newest_first(state, player, box, stake)
            found.append(e.BetReturned(player, box, stake_min, handed))
    return found


def _not_rejected(rules: TableRules, state: TableState) -> list[e.EventBody]:
    """Boxes over a limit at the closing call: the record says that the excess was seen and not rejected."""
    if not rules.book.has(Rule.EXCESS_REJECTED):
        return []
    boxes = dict.fromkeys(stack.box for stack in state.round.stacks)
    over = [(box, excess_of(rules, state, box)) for box in boxes]
    return [e.ExcessLeft(box, *excess) for box, excess in over if excess is not None]


def uncover(rules: TableRules, state: TableState, _command: c.Command, do: c.Uncover) -> Decision:
    """The uppermost faces of dice that lie flat are the result, provided that they were tumbled often enough."""
    least = rules.book.procedure.tumbles_min
    if state.round.tumbles < least:
        sentence = f"The dice were tumbled {state.round.tumbles} times; at least {least} are needed."
        allowed = "tumble, or report too-few-tumbles"
        return Refusal(Code.WRONG_STEP, sentence, rules.step_clauses(Step.TUMBLE), allowed)
    if not state.round.draw and rules.at(state)[0].draws:
        sentence = "The odds of this round are drawn before the dice are uncovered."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.PAY_TABLE, allowed="draw-odds")
    fixed = state.round.fixed
    if fixed is None and state.round.commitment:
        sentence = "The virtual dice of this round were not opened at its close: nobody can read them."
        return rules.refuse(Code.WRONG_STEP, sentence, Rule.UPPERMOST_FACES, allowed="report")
    if fixed is not None and fixed != do.dice:
        shown = ",".join(map(str, fixed))
        sentence = f"dice: the close fixed {shown}."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.UPPERMOST_FACES, allowed=shown)
    return [e.DiceUncovered(do.dice, state.round.opening)]


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


def correct_dice(rules: TableRules, state: TableState, _command: c.Command, do: c.CorrectDice) -> Decision:
    """Faces that were written down wrongly are put right; after the call that comes with a new one."""
    current = state.round
    before = current.dice or (0, 0, 0)
    if current.commitment:
        sentence = "Virtual dice show what they were committed to."
        return rules.refuse(Code.CONTRADICTED, sentence, Rule.UPPERMOST_FACES)
    if sorted(do.dice) == sorted(before):
        return rules.refuse(Code.NOTHING_TO_DO, "That is what is on record.", Rule.UPPERMOST_FACES)
    layout, _ = rules.at(state)
    roll = roll_of(do.dice)
    called = current.phase is not RoundPhase.UNCOVERED
    call = result_call(rules.book.procedure.calls, roll) if called else ""
    lit = layout.lit(roll) if called and rules.has_lights and not rules.has_terminal else ()
    return [e.DiceCorrected(before, do.dice, call, roll.total, lit)]


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
    if rules.has_terminal and not current.by_dice and current.phase is not RoundPhase.ENTERED:
        sentence = "The result is not entered."
        return rules.refuse(
            Code.WRONG_STEP,
            sentence,
            Rule.ENTRY_TERMINAL,
            Rule.COLLECT_THEN_PAY,
            allowed="press, enter",
        )
    if not current.by_dice and current.entered is not None and sorted(current.entered) != sorted(current.dice or ()):
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
    at_risk: dict[BoxName, int] = {}
    for ruling in rulings:
        at_risk[ruling.bet.box] = at_risk.get(ruling.bet.box, 0) + ruling.at_risk
    current = state.round
    found: list[e.EventBody] = [
        e.RoundConcluded(
            current.number,
            current.dice or (0, 0, 0),
            sum(ruling.bet.stake for ruling in rulings),
            sum(ruling.at_risk for ruling in rulings),
            sum(ruling.winnings for ruling in rulings),
            sum(ruling.returned for ruling in rulings),
            int(expected),
            *spread_of(layout, at_risk),
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
