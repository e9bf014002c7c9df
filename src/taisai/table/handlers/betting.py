"""Betting: placing, raising, withdrawing, advice, rejection of excess.

While betting is open the software notices, so it rejects: a bet below the minimum or over a limit is refused whole,
with the limit and the room left. Felt bets, found as they lie, are accepted whatever their size. Serves
`nz-division-9` §4.3-4.7; `rws-open-cover-v3` §3.3, §5.2; `rws-mini-dice-v3` §3.3, §5.2; `rws-tai-sai-v6` §3.2-3.6,
§5.1, §5.2, §5.7, §5.13.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from taisai.bounds import STACKS_AT_TABLE, STACKS_OF_PLAYER
from taisai.core.boxes import BoxName
from taisai.core.limits import OPPOSITE_OF, BoxLimits, Limits, Per, headroom_of
from taisai.core.rulebook import Rule
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.handlers.bets_on_felt import handed_newest_first
from taisai.table.handlers.shared import Decision, not_for_themselves, not_seated, walked_away
from taisai.table.ledger import colour_account, player_account
from taisai.table.parts import Handed
from taisai.table.people import Role
from taisai.table.refusals import Code, Refusal
from taisai.table.rules import TableRules, unknown_box
from taisai.table.state import Round, RoundPhase, TableState


def place_bet(rules: TableRules, state: TableState, command: c.Command, do: c.PlaceBet) -> Decision:
    """Chips into a box: by the player, or by the crew on their behalf."""
    layout, limits = rules.at(state)
    box_limits = rules.box_limits.get(do.box)
    if box_limits is None:
        return unknown_box(layout, do.box)
    late = _time_is_up(rules, state.round, command)
    if late is not None:
        return late
    by_rule = do.how is not c.How.FELT
    if by_rule and do.amount % limits.unit:
        sentence = f"amount: {do.amount} is not a multiple of the smallest chip, {limits.unit}."
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.MINIMUM, allowed=f"multiples of {limits.unit}")
    refused = _chips_refusal(rules, state, do)
    if refused is None and do.how is c.How.PLACED:
        refused = _too_often(state.round, do.player, limits.unit)
    if refused is None and by_rule:
        refused = _limit_refusal(rules, limits, box_limits, state.round, do)
    if refused is not None:
        return refused
    return [e.BetPlaced(do.player, do.box, do.amount, do.how, do.colour, _brought(state.round, do))]


def _too_often(current: Round, player: str, unit: int) -> Refusal | None:
    """A player's own screen puts down chips so often in a round; the dealer may put down more for them."""
    stacks = current.stacks
    if len(stacks) < STACKS_OF_PLAYER:
        return None
    if len(stacks) < STACKS_AT_TABLE:
        # Who has fewer chips on the felt than that has put them down less often: nothing is counted for most players.
        if sum(current.stakes.get(player, {}).values()) < STACKS_OF_PLAYER * unit:
            return None
        if sum(each.player == player for each in stacks) < STACKS_OF_PLAYER:
            return None
    sentence = "Chips were put down too often in this round."
    return Refusal(Code.TOO_MUCH, sentence, allowed="in the next round, or by the dealer")


def _brought(current: Round, do: c.PlaceBet) -> str:
    """What the player brings to virtual dice with this bet; nothing where it is known, or the dice are not virtual."""
    brought = do.contribution
    if brought is None or not current.commitment or current.contributions.get(do.player) == brought:
        return ""
    return brought


def _time_is_up(rules: TableRules, current: Round, command: c.Command) -> Refusal | None:
    """Where the opening call fixed the time of the close, nothing changes after it, whenever the close is called."""
    if not current.closes_at or command.at < current.closes_at:
        return None
    sentence = "No more bets: the time that was fixed when bets were called is over."
    return rules.refuse(Code.BETS_CLOSED, sentence, Rule.NO_CHANGE_AFTER_CLOSE, allowed="in the next round")


def wrong_hand(rules: TableRules, command: c.Command, do: c.PlaceBet) -> Refusal | None:
    """A player places their own bets; the crew by call, at a player's request, or as the chips lie."""
    by_player = command.by.role is Role.PLAYER
    if by_player and command.by.id == do.player and do.how is c.How.PLACED:
        return None
    if do.contribution is not None and not by_player:
        sentence = "contribution: a player's part of virtual dice comes from the player's own hand."
        return rules.refuse(Code.NOT_YOURS_TO_DO, sentence, Rule.STAFF_BETS, allowed="without it")
    if by_player or do.how is c.How.PLACED:
        refused = not_for_themselves(rules, command, do)
        if refused is not None:
            return refused
        allowed = "how = placed" if by_player else "how = call, staff or felt"
        sentence = f"A {command.by.role} does not bet this way."
        return rules.refuse(Code.NOT_YOURS_TO_DO, sentence, Rule.STAFF_BETS, Rule.CALL_BET_NEEDS_CHIPS, allowed=allowed)
    return None


def _chips_refusal(rules: TableRules, state: TableState, do: c.PlaceBet) -> Refusal | None:
    """The chips must be there, and be the player's own: a spoken bet needs them too."""
    seat = state.players.get(do.player)
    rule = Rule.CALL_BET_NEEDS_CHIPS if do.how is c.How.CALL else Rule.BETS_BY_CHIPS
    if seat is None or not seat.present:
        absent = not_seated(state, do.player)
        cited = rules.clauses(rule) or rules.clauses(Rule.PLAYER_ANSWERS)
        return walked_away(rules, do.player) if absent is None else replace(absent, clauses=cited)
    if do.colour is None:
        balance = state.ledger.get(player_account(do.player), 0)
    else:
        if do.colour != seat.colour:
            sentence = f"{do.colour} is not {do.player}'s colour."
            own = seat.colour or "value chips"
            return rules.refuse(Code.COLOUR_NOT_YOURS, sentence, Rule.COLOUR_CHIPS, allowed=own)
        if do.amount % seat.value:
            sentence = f"amount: {do.colour} chips are worth {seat.value} each."
            return rules.refuse(Code.BAD_VALUE, sentence, Rule.COLOUR_CHIPS, allowed=f"multiples of {seat.value}")
        balance = state.ledger.get(colour_account(do.colour), 0)
    if do.amount > balance:
        sentence = f"{do.player} has {balance} in these chips."
        cited = rules.clauses(rule) or rules.clauses(Rule.PLAYER_ANSWERS)
        values = (("player", do.player), ("held", balance))
        return Refusal(Code.NOT_ENOUGH_CHIPS, sentence, cited, f"at most {balance}", values=values)
    return None


def _limit_refusal(
    rules: TableRules, limits: Limits, of_box: BoxLimits, current: Round, do: c.PlaceBet
) -> Refusal | None:
    """Minimum of the player, then maximum of the box, then differential of the pair."""
    stake_min, stake_max, per = of_box
    book = rules.book
    theirs = current.stakes.get(do.player)
    mine = theirs.get(do.box, 0) if theirs is not None else 0
    whole = do.amount + mine
    if whole < stake_min:
        sentence = f"{whole} in {do.box} is under the minimum of {stake_min}."
        clauses = book.clauses_for(Rule.MINIMUM) + book.clauses_for(Rule.UNDER_MINIMUM_ADVISED)
        missing = -(-(do.amount + stake_min - whole) // limits.unit) * limits.unit
        values = (("amount", whole), ("box", do.box), ("minimum", stake_min))
        return Refusal(Code.UNDER_MINIMUM, sentence, clauses, f"at least {missing}", values=values)
    total = whole if per is Per.PLAYER else current.totals.get(do.box, 0) + do.amount
    if (stake_max is None or total <= stake_max) and do.box not in rules.paired:
        return None
    headroom = headroom_of(book, limits, current.totals, BoxName(do.box), mine)  # type: ignore[arg-type] # names are text in the journal
    if headroom.chips is None or do.amount <= headroom.chips:
        return None
    # Of two limits the maximum is named first; the headroom is what both leave.
    over_maximum = stake_max is not None and total > stake_max
    code, limit, rule = (
        (Code.OVER_MAXIMUM, "maximum", Rule.MAXIMUM)
        if over_maximum
        else (Code.OVER_DIFFERENTIAL, "differential", Rule.DIFFERENTIAL)
    )
    whose = f"{do.player} in {do.box} over the" if per is Per.PLAYER and over_maximum else f"{do.box} over its"
    sentence = f"{do.amount} would take {whose} {limit}; there is room for {headroom.chips}."
    cited = (rule, headroom.limit, Rule.EXCESS_REJECTED, Rule.HEADROOM_OPEN_TO_ALL)
    clauses = tuple(dict.fromkeys(clause for each in cited for clause in book.clauses_for(each)))
    values = (("amount", do.amount), ("box", do.box), ("room", headroom.chips))
    return Refusal(code, sentence, clauses, f"at most {headroom.chips}", values=values)


_OF_CHIPS: Final = (Rule.BETS_BY_CHIPS, Rule.SETTLED_BY_POSITION)
"""A bet is the chips that lie in the box."""


def withdraw_bet(rules: TableRules, state: TableState, command: c.Command, do: c.WithdrawBet) -> Decision:
    """A player may take back while betting is open; what stays must not be under the minimum."""
    layout, limits = rules.at(state)
    box_limits = rules.box_limits.get(do.box)
    if box_limits is None:
        return unknown_box(layout, do.box)
    late = _time_is_up(rules, state.round, command)
    if late is not None:
        return late
    seat = state.players.get(do.player)
    if seat is not None and not seat.present:
        return walked_away(rules, do.player)
    mine = state.round.stakes.get(do.player, {}).get(do.box, 0)
    amount = mine if do.amount is None else do.amount
    if amount != mine and amount % limits.unit:
        sentence = f"amount: {amount} is not a multiple of the smallest chip, {limits.unit}."
        allowed = f"multiples of {limits.unit}, or all of it"
        return rules.refuse(Code.BAD_VALUE, sentence, Rule.MINIMUM, allowed=allowed)
    handed = handed_newest_first(state, do.player, do.box, min(amount, mine))
    refused = _broken_colour(rules, state, handed) if amount < mine else None
    if refused is not None:
        return refused
    if amount > mine:
        sentence = f"{do.player} has {mine} in {do.box}."
        values = (("player", do.player), ("held", mine), ("box", do.box))
        return rules.refuse(Code.NOT_ENOUGH_CHIPS, sentence, *_OF_CHIPS, allowed=f"at most {mine}", values=values)
    stays, stake_min = mine - amount, box_limits.stake_min
    if 0 < stays < stake_min:
        sentence = f"{stays} would stay in {do.box}, under the minimum of {stake_min}."
        fewer = max(mine - stake_min, 0) // limits.unit * limits.unit
        allowed = f"withdraw {mine}, or at most {fewer}" if fewer else f"withdraw {mine}"
        return rules.refuse(Code.UNDER_MINIMUM, sentence, Rule.MINIMUM, allowed=allowed)
    if not mine:
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.player} has nothing in {do.box}.", *_OF_CHIPS)
    return [e.BetWithdrawn(handed)]


def _broken_colour(rules: TableRules, state: TableState, handed: Handed) -> Refusal | None:
    """A part of a stack comes back in whole chips."""
    value = state.players[handed.player].value
    if not handed.in_colour or handed.in_colour % value == 0:
        return None
    sentence = f"amount: {handed.colour} chips are worth {value} each."
    return rules.refuse(Code.BAD_VALUE, sentence, Rule.COLOUR_CHIPS, allowed=f"multiples of {value}")


def advise_minimum(rules: TableRules, state: TableState, _command: c.Command, do: c.AdviseMinimum) -> Decision:
    """The dealer tells a player that a bet is under the minimum; the player may raise it or take it back."""
    layout, _ = rules.at(state)
    box_limits = rules.box_limits.get(do.box)
    if box_limits is None:
        return unknown_box(layout, do.box)
    stake, stake_min = state.round.stakes.get(do.player, {}).get(do.box, 0), box_limits.stake_min
    if not stake or stake >= stake_min:
        sentence = f"{do.player} has {stake} in {do.box}, not under the minimum."
        return rules.refuse(Code.NOTHING_TO_DO, sentence, Rule.UNDER_MINIMUM_ADVISED)
    return [e.MinimumAdvised(do.player, do.box, stake, stake_min)]


class Breach(NamedTuple):
    """A box over a limit, or a player under the minimum, while betting is open."""

    box: str
    player: str | None
    rule: Rule
    amount: int
    """By how much."""
    clauses: tuple[str, ...]


def _beyond(rules: TableRules, state: TableState, box: str) -> dict[str | None, int]:
    """What is over the maximum of a box: of each player where it is a maximum for each, otherwise of nobody's own."""
    _, limits = rules.at(state)
    _, stake_max, per = limits.of(BoxName(box))
    if stake_max is None:
        return {}
    held: dict[str | None, int] = {None: state.round.totals.get(box, 0)}
    if per is Per.PLAYER:
        held = {player: boxes.get(box, 0) for player, boxes in state.round.stakes.items()}
    return {player: chips - stake_max for player, chips in held.items() if chips > stake_max}


def excess_of(rules: TableRules, state: TableState, box: str) -> tuple[Rule, int] | None:
    """By how much a box is over its maximum or its differential, whichever is more.

    A side is measured against all that is placed opposite, as at the close (I6).
    """
    _, limits = rules.at(state)
    total = state.round.totals.get(box, 0)
    beyond = sum(_beyond(rules, state, box).values())
    excess = (Rule.MAXIMUM, beyond) if beyond else None
    pair = OPPOSITE_OF.get(BoxName(box))
    if pair is None or pair[0] not in limits.differential or not rules.book.has(Rule.DIFFERENTIAL):
        return excess
    over = total - state.round.totals.get(pair[1], 0) - limits.differential[pair[0]]
    return (Rule.DIFFERENTIAL, over) if over > (excess[1] if excess else 0) else excess


def breaches(rules: TableRules, state: TableState) -> list[Breach]:
    """What the dealer should see and mend before the close."""
    if state.round.phase is not RoundPhase.BETTING:
        return []
    _, limits = rules.at(state)
    found = []
    for box in state.round.totals:
        excess = excess_of(rules, state, box)
        if excess is not None:
            clauses = rules.clauses(excess[0], Rule.EXCESS_REJECTED)
            whose = _beyond(rules, state, box) if excess[0] is Rule.MAXIMUM else {None: excess[1]}
            found += [Breach(box, player, excess[0], amount, clauses) for player, amount in whose.items()]
    for player, boxes in state.round.stakes.items():
        for box, stake in boxes.items():
            stake_min = limits.of(BoxName(box)).stake_min
            if stake < stake_min:
                clauses = rules.clauses(Rule.MINIMUM, Rule.UNDER_MINIMUM_ADVISED)
                found.append(Breach(box, player, Rule.MINIMUM, stake_min - stake, clauses))
    return found


def reject_excess(rules: TableRules, state: TableState, _command: c.Command, do: c.RejectExcess) -> Decision:
    """What is over goes back, newest chips first, in whole chips; of a maximum for each player, from who is over it."""
    layout, _ = rules.at(state)
    if do.box not in rules.box_limits:
        return unknown_box(layout, do.box)
    excess = excess_of(rules, state, do.box)
    if excess is None:
        return rules.refuse(Code.NOTHING_TO_DO, f"{do.box} is within its limits.", Rule.EXCESS_REJECTED)
    limit, amount = excess
    left: dict[str | None, int] = _beyond(rules, state, do.box) if limit is Rule.MAXIMUM else {None: amount}
    taken: dict[str, int] = {}
    for stack in reversed(state.round.stacks):
        whose = None if None in left else stack.player
        if left.get(whose, 0) <= 0 or stack.box != do.box:
            continue
        chip = state.players[stack.player].value if stack.colour is not None else 1
        part = min(stack.amount, -(-left[whose] // chip) * chip)
        left[whose] -= part
        taken[stack.player] = taken.get(stack.player, 0) + part
    handed = tuple(handed_newest_first(state, player, do.box, amount) for player, amount in taken.items())
    return [e.ExcessRejected(do.box, limit, handed)]
