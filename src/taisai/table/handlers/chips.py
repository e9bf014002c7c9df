"""People and chips: sitting down, buying in, colours, fills and credits.

Serves `nz-division-9` §3.1, §3.4(a)-(c), §4.3; `rws-open-cover-v3` §1, §3.3; `rws-mini-dice-v3` §1, §3.3;
`rws-tai-sai-v6` §5.3.
"""

from __future__ import annotations

from taisai.bounds import PLAYERS_AT_TABLE
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.shared import Decision, colour_out, float_short, not_seated, walked_away, worth
from taisai.table.ledger import colour_account, debt_account, player_account
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, listed, set_up_of
from taisai.table.state import TableState


def has_bets(state: TableState, player: str) -> bool:
    """Whether a player has chips in a box of the round in play."""
    return any(stack.player == player for stack in state.round.stacks)


def sit_down(_rules: TableRules, state: TableState, _command: c.Command, do: c.SitDown) -> Decision:
    """A player joins, or comes back to their seat."""
    seat = state.players.get(do.player)
    if seat is not None and seat.present:
        return Refusal(Code.NOTHING_TO_DO, f"{do.player} is at the table already.")
    if seat is None and len(state.players) >= PLAYERS_AT_TABLE:
        return Refusal(Code.TOO_MUCH, f"All {PLAYERS_AT_TABLE} seats are taken.", allowed="another table")
    return [e.PlayerSat(do.player)]


def leave_table(rules: TableRules, state: TableState, _command: c.Command, do: c.LeaveTable) -> Decision:
    """A player leaves with their value chips, their colour turned in and no bet on the felt."""
    refused = not_seated(state, do.player)
    if refused is not None:
        return refused
    if has_bets(state, do.player):
        sentence = f"{do.player} has bets on the felt: they are settled first."
        return rules.refuse(Code.ROUND_IN_PLAY, sentence, Rule.WALK_AWAY_SETTLED, allowed="walk-away")
    if state.players[do.player].colour is not None:
        sentence = f"{do.player} still has colour chips, which are worth nothing elsewhere."
        return rules.refuse(Code.COLOUR_OUT, sentence, Rule.COLOUR_CHIPS, allowed="turn-in-colour")
    return [e.PlayerLeft(do.player, state.balance(player_account(do.player)))]


def walk_away(rules: TableRules, state: TableState, _command: c.Command, do: c.WalkAway) -> Decision:
    """A player is gone; nothing of theirs is touched."""
    refused = not_seated(state, do.player)
    if refused is not None:
        return refused
    if not state.players[do.player].present:
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} is gone already.", Rule.WALK_AWAY_SETTLED)
    return [e.PlayerWalkedAway(do.player)]


def _off_unit(state: TableState, amount: int) -> Refusal | None:
    unit = set_up_of(state).limits.unit
    if amount % unit:
        return Refusal(Code.BAD_VALUE, f"amount: {amount} cannot be made of chips; the smallest is {unit}.")
    return None


def _too_few(state: TableState, player: str, amount: int) -> Refusal | None:
    balance = state.balance(player_account(player))
    if amount > balance:
        return Refusal(
            Code.NOT_ENOUGH_CHIPS,
            f"{player} has {balance} in value chips.",
            allowed=f"at most {balance}",
            values=(("player", player), ("held", balance)),
        )
    return None


def buy_in(_rules: TableRules, state: TableState, _command: c.Command, do: c.BuyIn) -> Decision:
    """Cash goes into the drop box, chips to the player."""
    refused = _off_unit(state, do.amount) or not_seated(state, do.player) or float_short(state, do.amount)
    return refused if refused is not None else [e.BoughtIn(do.player, do.amount)]


def bring_chips(_rules: TableRules, state: TableState, _command: c.Command, do: c.BringChips) -> Decision:
    """Value chips are good at every table."""
    refused = _off_unit(state, do.amount) or not_seated(state, do.player)
    return refused if refused is not None else [e.ChipsBrought(do.player, do.amount)]


def cash_out(rules: TableRules, state: TableState, _command: c.Command, do: c.CashOut) -> Decision:
    """A player takes value chips away; those of a player who is gone are kept for them."""
    refused = not_seated(state, do.player) or _too_few(state, do.player, do.amount)
    if refused is None and not state.players[do.player].present:
        refused = walked_away(rules, do.player)
    if do.amount != state.balance(player_account(do.player)):
        refused = _off_unit(state, do.amount) or refused
    return refused if refused is not None else [e.CashedOut(do.player, do.amount)]


def take_colour(rules: TableRules, state: TableState, _command: c.Command, do: c.TakeColour) -> Decision:
    """A colour is one player's alone, at one value while any of it is out."""
    set_up = set_up_of(state)
    if do.colour not in set_up.colours:
        sentence = f"This table has no {do.colour} chips."
        return rules.refuse(Code.UNKNOWN, sentence, Rule.COLOUR_CHIPS, allowed=listed(sorted(set_up.colours)))
    if do.value % set_up.limits.unit or do.amount % do.value:
        sentence = f"amount: {do.amount} is not a whole number of chips at {do.value}, or that not of the unit."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.COLOUR_CHIPS)
    refused = (
        not_seated(state, do.player)
        or _colour_not_theirs(rules, state, do)
        or _set_too_small(rules, state, do)
        or _too_few(state, do.player, do.amount)
    )
    return refused if refused is not None else [e.ColourTaken(do.player, do.colour, do.value, do.amount)]


def _colour_not_theirs(rules: TableRules, state: TableState, do: c.TakeColour) -> Refusal | None:
    """A colour is another player's, or this player has a colour already."""
    holder = next((name for name, seat in state.players.items() if seat.colour == do.colour), None)
    if holder is not None and holder != do.player:
        taken = {seat.colour for seat in state.players.values()}
        free = listed(colour for colour in sorted(set_up_of(state).colours) if colour not in taken)
        return rules.refuse(
            Code.COLOUR_NOT_YOURS, f"{do.colour} is {holder}'s colour.", Rule.COLOUR_CHIPS, allowed=free
        )
    seat = state.players[do.player]
    if seat.colour is not None and (seat.colour != do.colour or seat.value != do.value):
        sentence = f"{do.player} plays {seat.colour} at {seat.value} a chip until it is turned in."
        return rules.refuse(Code.COLOUR_OUT, sentence, Rule.COLOUR_CHIPS, allowed="turn-in-colour")
    return None


def _set_too_small(rules: TableRules, state: TableState, do: c.TakeColour) -> Refusal | None:
    chips = set_up_of(state).colours[do.colour].chips
    out = -(-(colour_out(state, do.colour) + do.amount) // do.value)
    if out > chips:
        sentence = f"amount: there are {chips} {do.colour} chips; {out} would be out."
        return rules.refuse(Code.NOT_ENOUGH_CHIPS, sentence, Rule.COLOUR_CHIPS)
    return None


def turn_in_colour(rules: TableRules, state: TableState, _command: c.Command, do: c.TurnInColour) -> Decision:
    """All of a player's colour back into value, once none of it lies in a box."""
    refused = not_seated(state, do.player)
    if refused is not None:
        return refused
    colour = state.players[do.player].colour
    if colour is None:
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} has no colour chips.", Rule.COLOUR_CHIPS)
    if any(stack.colour == colour for stack in state.round.stacks):
        sentence = f"{colour} chips lie on the felt: they are settled first."
        return rules.refuse(Code.ROUND_IN_PLAY, sentence, Rule.COLOUR_CHIPS)
    return [e.ColourTurnedIn(do.player, colour, state.balance(colour_account(colour)))]


def fill(_rules: TableRules, state: TableState, _command: c.Command, do: c.Fill) -> Decision:
    """Chips from the cage."""
    amount = worth(set_up_of(state), do.count)
    if isinstance(amount, Refusal):
        return amount
    if not amount:
        return Refusal(Code.BAD_VALUE, "count: nothing to fill.")
    return [e.Filled(do.count, amount)]


def credit(_rules: TableRules, state: TableState, _command: c.Command, do: c.Credit) -> Decision:
    """Chips to the cage."""
    amount = worth(set_up_of(state), do.count)
    if isinstance(amount, Refusal):
        return amount
    if not amount:
        return Refusal(Code.BAD_VALUE, "count: nothing to credit.")
    refused = float_short(state, amount)
    return refused if refused is not None else [e.Credited(do.count, amount)]


def settle_debt(rules: TableRules, state: TableState, _command: c.Command, do: c.SettleDebt) -> Decision:
    """A player pays what they owe, or is paid what the house owes them."""
    owed = -state.balance(debt_account(do.player))
    if owed < 0:
        refused = not_seated(state, do.player) or float_short(state, do.amount)
        if refused is None and do.amount > -owed:
            sentence = f"The house owes {do.player} {-owed}."
            refused = rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.DAMAGED_DICE_VOID, allowed=f"at most {-owed}")
        return refused if refused is not None else [e.DebtSettled(do.player, do.amount, to_player=True)]
    refused = _too_few(state, do.player, do.amount)
    if refused is not None:
        return refused
    if do.amount > owed:
        sentence = f"{do.player} owes {owed}."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.DAMAGED_DICE_VOID, allowed=f"at most {owed}")
    return [e.DebtSettled(do.player, do.amount)]
