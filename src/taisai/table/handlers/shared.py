"""What the handlers share: the answer they give, and questions that more than one of them asks.

Enters: the rules and state of a table. Leaves: a refusal, or nothing when there is none; a few sums.
"""

from __future__ import annotations

from taisai.bounds import MONEY_AT_TABLE
from taisai.core.money import CHIPS_MAX
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.ledger import FLOAT, colour_account, postings_of
from taisai.table.people import Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, listed
from taisai.table.state import RoundPhase, SetUpState, TableState

Decision = list[e.EventBody] | Refusal
"""What a handler decides: what happens, or why not."""

OwnAction = c.SitDown | c.LeaveTable | c.PlaceBet | c.WithdrawBet | c.OpenDispute
"""What players may do, for themselves."""


def not_for_themselves(rules: TableRules, command: c.Command, do: OwnAction) -> Refusal | None:
    """Players act for themselves only."""
    if command.by.role is Role.PLAYER and command.by.id != do.player:
        sentence = "Players act for themselves only."
        allowed = f"by {do.player}, or by the crew"
        return rules.refuse(Code.NOT_YOURS_TO_DO, sentence, Rule.PLAYER_ANSWERS, allowed=allowed)
    return None


def not_seated(state: TableState, player: str) -> Refusal | None:
    """The player must be at this table."""
    if player not in state.players:
        return Refusal(Code.NOT_SEATED, f"{player} is not at this table.", allowed="sit-down")
    return None


def walked_away(rules: TableRules, player: str) -> Refusal:
    """Nobody places, raises or withdraws for a player who is gone: their bets are settled as they lie."""
    sentence = f"{player} walked away: what they placed is settled, and nobody bets or withdraws for them."
    return rules.refuse(Code.WALKED_AWAY, sentence, Rule.WALK_AWAY_SETTLED, allowed="sit-down, when they are back")


def float_short(state: TableState, amount: int) -> Refusal | None:
    """The float must hold what is to be handed over."""
    if amount > state.balance(FLOAT):
        held = state.balance(FLOAT)
        sentence = f"The float holds {held}, {amount} is needed."
        return Refusal(Code.FLOAT_SHORT, sentence, allowed="fill", values=(("held", held), ("amount", amount)))
    return None


def colour_out(state: TableState, colour: str) -> int:
    """The worth of a colour's chips that are not in the rack: with their player, or on the felt."""
    current = state.round
    if current.phase in (RoundPhase.BETWEEN, RoundPhase.BETTING):
        on_felt = sum(stack.amount for stack in current.stacks if stack.colour == colour)
    else:
        settled = {(line.player, line.box) for line in current.lines}
        on_felt = sum(
            bet.in_colour for bet in current.bets if bet.colour == colour and (bet.player, bet.box) not in settled
        )
    return state.balance(colour_account(colour)) + on_felt


def worth(set_up: SetUpState, count: c.Count) -> int | Refusal:
    """What a count of chips is worth; a refusal for a denomination that the table does not have."""
    strange = sorted(set(count) - set(set_up.denominations))
    if strange:
        allowed = listed(map(str, set_up.denominations))
        return Refusal(Code.BAD_VALUE, f"count: no chip of {strange[0]} at this table.", allowed=allowed)
    amount = sum(chip * number for chip, number in count.items())
    if amount > CHIPS_MAX:
        return Refusal(Code.BAD_VALUE, f"count: {amount} is more than any table holds.", allowed=f"at most {CHIPS_MAX}")
    return amount


def too_much_money(state: TableState, found: list[e.EventBody]) -> Refusal | None:
    """No account of a table holds more than any table holds, so that every sum fits wherever it is stored."""
    balances: dict[str, int] = {}
    for what in found:
        for account, amount in postings_of(what):
            balances[account] = balances.get(account, state.balance(account)) + amount
    for account, balance in balances.items():
        if abs(balance) > max(MONEY_AT_TABLE, abs(state.balance(account))):  # what is too much may always shrink
            sentence = f"amount: with it, {account} would stand at {balance}, more than any table holds."
            return Refusal(Code.TOO_MUCH, sentence, allowed=f"up to {MONEY_AT_TABLE}")
    return None


def deals_virtually(state: TableState) -> bool:
    """Whether the house's own dealer deals the table with dice of its own, which it has tested this shift."""
    return state.dealt_by is c.DealtBy.HOUSE and state.source_sound


def no_sound_dice(rules: TableRules, state: TableState) -> Refusal | None:
    """A sound set must be sealed into the tumbler, or the house's dealer has tested its own dice."""
    if deals_virtually(state):
        return None
    if state.dice_in is None or not state.dice_sets[state.dice_in].sound:
        allowed = "receive-dice, seal-dice" if state.dice_in is None else "retire-dice, then seal-dice of another set"
        sentence = "No sound set of dice is in the tumbler."
        return rules.refuse(Code.CHECK_INCOMPLETE, sentence, Rule.DICE_SET, allowed=allowed)
    return None
