"""What holds after every event, whatever happened: money, bets, lights, records.

Settlement is held against `audit.recount`, the second implementation; nothing here asks the table's own arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, Final

import msgspec

from taisai.audit import recount
from taisai.audit.openings import opened_wrong
from taisai.core.rulebook import Fact
from taisai.table import events as e
from taisai.table.handlers.betting import breaches
from taisai.table.ledger import OUTSIDE, post, postings_of
from taisai.table.parts import FixedBet
from taisai.table.rules import TableRules
from taisai.table.state import HISTORY_ROUNDS, PaidLine, Round, RoundPhase, TableState, snapshot_of, state_from

_MOVES_CHIPS_ON_THE_FELT: Final = (e.BetPlaced, e.BetWithdrawn, e.ExcessRejected, e.BetReturned)
_event_decoder: Final = msgspec.json.Decoder(e.Event)


def check_event(rules: TableRules, before: TableState, event: e.Event, after: TableState) -> None:
    """Hold one event, and the state it left, against everything below."""
    _event_survives_the_journal(event)
    _money_is_conserved(before, event, after)
    _boxes_hold_what_lies_on_the_felt(after)
    _nothing_moves_after_the_close(before, event)
    _colours_are_one_players(after)
    _other_rounds_are_left_alone(before, event, after)
    match event.what:
        case e.DiceCommitted():
            assert (before.round.phase, before.round.commitment) == (RoundPhase.BETWEEN, "")
        case e.BetsOpened():
            assert after.round.commitment == before.round.commitment
        case e.BetPlaced() | e.BetWithdrawn():
            assert not before.round.closes_at or event.at < before.round.closes_at, "the time of the close was over"
        case e.DiceOpened():
            _opened_as_committed(before, event.what)
        case e.DiceUncovered():
            assert before.round.fixed in (None, event.what.dice)
            assert (before.round.fixed is None) == (not before.round.commitment)
        case e.InterruptionResolved():
            assert event.what.dice is None or not before.round.commitment, "nobody can read virtual dice"
        case e.BetsClosed():
            _what_is_shared_out_was_shown(rules, before, event.what)
        case e.BetPaid():
            assert (event.what.player, event.what.box) not in {(line.player, line.box) for line in before.round.lines}
        case e.LosersCollected():
            _losers_are_those_that_lose(before, event.what)
        case e.RoundConcluded():
            _settled_as_counted_twice(rules, before, event.what, after)
        case e.RoundVoided():
            _all_goes_back(before, event.what, after)
        case e.ResultEntered() | e.AreasLit() | e.EntryAmended():
            _lights_are_the_winners(before, event.what)
        case _:
            pass
    assert state_from(snapshot_of(after)) == after


def _opened_as_committed(before: TableState, what: e.DiceOpened) -> None:
    """Virtual dice are those that the opening and the contributions give, by the second reading of the scheme."""
    current = before.round if what.dice is not None else before.history[-1]
    told = (current.commitment, what.opening, before.table, current.number, what.dice)
    assert opened_wrong(*told, contributions=what.contributions) == ""
    assert what.dice is None or set(before.round.contributions.values()) == set(what.contributions)


def _event_survives_the_journal(event: e.Event) -> None:
    assert _event_decoder.decode(msgspec.json.encode(event)) == event


def _money_is_conserved(before: TableState, event: e.Event, after: TableState) -> None:
    """Money in = money out: of this event, and of all of them."""
    assert sum(amount for _, amount in postings_of(event.what)) == 0
    assert after.ledger == post(before.ledger, postings_of(event.what)), "posted in place, or by its postings"
    assert sum(after.ledger.values()) == 0
    for account, balance in after.ledger.items():
        owing = account == "claims" or account.startswith("debt:")
        assert balance > 0 or account in OUTSIDE or owing, f"{account} at {balance}"
    owed = -sum(balance for account, balance in after.ledger.items() if account.startswith("debt:"))
    assert after.balance("claims") == owed


def on_felt(state: TableState) -> Counter[str]:
    """By box, what lies there by the record of bets: stacks while betting, then the bets fixed and not yet settled."""
    current, lying = state.round, Counter[str]()
    if current.phase is RoundPhase.BETTING:
        for stack in current.stacks:
            lying[stack.box] += stack.amount
        return lying
    settled = {(line.player, line.box) for line in current.lines}
    for bet in current.bets:
        if (bet.player, bet.box) not in settled:
            lost = current.phase is RoundPhase.COLLECTED and not _pays(state, bet.box)
            lying[bet.box] += bet.stake - (bet.at_risk if lost else 0)
    return +lying


def _pays(state: TableState, box: str) -> int | None:
    assert state.set_up is not None
    assert state.round.dice is not None
    return recount.pays(f"{state.set_up.book}/{state.set_up.layout}", box, state.round.dice)


def _boxes_hold_what_lies_on_the_felt(state: TableState) -> None:
    lying = on_felt(state)
    assert {k.removeprefix("box:"): v for k, v in state.ledger.items() if k.startswith("box:")} == dict(lying)
    current = state.round
    if current.phase is RoundPhase.BETTING:
        stakes: dict[str, dict[str, int]] = {}
        for stack in current.stacks:
            mine = stakes.setdefault(stack.player, {})
            mine[stack.box] = mine.get(stack.box, 0) + stack.amount
        assert current.stakes == stakes
        assert current.totals == dict(lying)
    elif current.phase is RoundPhase.BETWEEN:
        assert (current.stacks, current.bets, current.totals, current.lines) == ((), (), {}, ())


def _nothing_moves_after_the_close(before: TableState, event: e.Event) -> None:
    """Nothing is placed, raised or withdrawn but while betting is open."""
    what = event.what
    if isinstance(what, _MOVES_CHIPS_ON_THE_FELT):
        assert before.round.phase is RoundPhase.BETTING
        assert not before.round.interrupted


def _colours_are_one_players(state: TableState) -> None:
    holders = [(name, seat) for name, seat in state.players.items() if seat.colour is not None]
    colours = [seat.colour for _, seat in holders]
    assert len(colours) == len(set(colours)), "a colour is one player's"
    for account in state.ledger:
        assert not account.startswith("colour:") or account.removeprefix("colour:") in colours, account
    for name, seat in holders:
        assert state.set_up is not None
        assert seat.colour is not None
        assert seat.value > 0
        stacks = [stack for stack in state.round.stacks if stack.colour == seat.colour]
        assert all(stack.player == name for stack in stacks)
        if state.round.phase in (RoundPhase.BETWEEN, RoundPhase.BETTING):
            out = state.balance(f"colour:{seat.colour}") + sum(stack.amount for stack in stacks)
            assert out <= state.set_up.colours[seat.colour].chips * seat.value, "more chips out than there are"


def _other_rounds_are_left_alone(before: TableState, event: e.Event, after: TableState) -> None:
    """A later error, void or reversal changes no other round's record."""
    what = event.what
    ended = isinstance(what, e.RoundConcluded | e.RoundVoided)
    kept = [past for past in before.history if past in after.history[: len(after.history) - ended]]
    changed = [past.number for past in before.history[-(HISTORY_ROUNDS - ended) :] if past not in kept]
    if isinstance(what, e.RoundReversed):
        kept_still = [past for past in before.history if past.number == what.round]
        assert changed == [past.number for past in kept_still]
        for old in kept_still:
            new = next(past for past in after.history if past.number == what.round)
            assert not old.void
            changes = {"reversed": True, "void": what.why, "clauses": what.clauses, "undone": what.lines}
            assert msgspec.structs.replace(old, **changes) == new
    elif isinstance(what, e.DiceOpened) and what.dice is None:
        assert changed == [what.round]
        old, new = (next(past for past in state.history if past.number == what.round) for state in (before, after))
        assert msgspec.structs.replace(old, opening=what.opening) == new
    else:
        assert not changed
    assert len(after.history) == min(HISTORY_ROUNDS, len(before.history) + ended)
    if ended:
        assert after.history[-1].number == before.round.number
    opened = isinstance(what, e.BetsOpened)
    assert after.round.number == before.round.number + opened


def _limits(state: TableState) -> dict[str, Any]:
    assert state.set_up is not None
    raw: dict[str, Any] = msgspec.to_builtins(state.set_up.limits)
    return raw


def _case(state: TableState) -> dict[str, Any]:
    """The round in play as a case of the second count."""
    assert state.set_up is not None
    return {
        "layout": f"{state.set_up.book}/{state.set_up.layout}",
        "dice": state.round.dice,
        "bets": [{"player": bet.player, "box": bet.box, "stake": bet.stake} for bet in state.round.bets],
        "limits": _limits(state),
    }


def _rows(lines: Iterable[PaidLine]) -> list[dict[str, Any]]:
    fields = ("player", "box", "stake", "at_risk", "pays", "winnings", "returned")
    rows = [{field: getattr(line, field) for field in fields} for line in lines]
    return sorted(rows, key=lambda row: (row["player"], row["box"]))


@cache
def _returned_over_all_rolls(layout: str, box: str) -> int:
    """What one chip at risk brings back over all 216 rolls."""
    odds = (recount.pays(layout, box, (one, two, three)) for one, two, three in product(range(1, 7), repeat=3))
    return sum(pays + 1 for pays in odds if pays is not None)


def _settled_as_counted_twice(rules: TableRules, before: TableState, what: e.RoundConcluded, after: TableState) -> None:
    """Each bet settled exactly once, and as the second count has it."""
    past, counted = after.history[-1], recount.settle(_case(before))
    bets = [(bet.player, bet.box) for bet in before.round.bets]
    assert sorted((line.player, line.box) for line in past.lines) == sorted(bets)
    assert len(set(bets)) == len(bets)
    assert _rows(past.lines) == sorted(counted["bets"], key=lambda row: (row["player"], row["box"]))
    totals = counted["totals"]
    assert (what.staked, what.at_risk, what.winnings, what.returned) == tuple(totals.values())
    assert (past.dice, past.void, past.call) == (what.dice, "", recount.call(what.dice))
    assert past.digest == rules.book.digest
    layout = _case(before)["layout"]
    expected = sum(
        _returned_over_all_rolls(layout, line.box) * line.at_risk + 216 * (line.stake - line.at_risk)
        for line in past.lines
    )
    assert what.expected_216 == expected
    if rules.has_lights and not before.round.by_dice:
        assert sorted(before.round.lit) == counted["lit"]


def _what_is_shared_out_was_shown(rules: TableRules, before: TableState, what: e.BetsClosed) -> None:
    """At the close only boxes that the dealer was shown as over are shared out, or flagged where no book shares."""
    over = {breach.box for breach in breaches(rules, before) if breach.player is None}
    under = {(breach.player, breach.box) for breach in breaches(rules, before) if breach.player is not None}
    assert {bet.box for bet in what.bets if bet.at_risk < bet.stake} <= over
    assert {flag.box for flag in what.flags if flag.code in ("pro-rata", "over-maximum")} == over
    assert {(flag.player, flag.box) for flag in what.flags if flag.code == "under-minimum"} == under


def _losers_are_those_that_lose(before: TableState, what: e.LosersCollected) -> None:
    lost = {(bet.player, bet.box): bet.at_risk for bet in before.round.bets if not _pays(before, bet.box)}
    assert {(loss.player, loss.box): loss.amount for loss in what.losses} == lost


def _worth(state: TableState) -> Counter[str]:
    """What each player holds, in value and colour, wherever they are."""
    worth = Counter[str]()
    for account, balance in state.ledger.items():
        if account.startswith("player:"):
            worth[account.removeprefix("player:")] += balance
    for name, seat in state.players.items():
        if seat.colour is not None:
            worth[name] += state.balance(f"colour:{seat.colour}")
    return worth


def _all_goes_back(before: TableState, what: e.RoundVoided, after: TableState) -> None:
    """A void returns every bet whole, in the chips it was made of, and has no result."""
    staked, in_colour = Counter[str](), Counter[str]()
    bets = before.round.bets or before.round.stacks
    for bet in bets:
        staked[bet.player] += bet.amount if not isinstance(bet, FixedBet) else bet.stake
        if bet.colour is not None:
            in_colour[bet.colour] += bet.amount if not isinstance(bet, FixedBet) else bet.in_colour
    if before.round.phase is RoundPhase.COLLECTED:
        handed = Counter[str]()
        for part in what.handed:
            handed[part.box] += part.amount
        assert +handed == on_felt(before), "what was settled has been undone, the rest goes back now"
        in_colour.clear()
    else:
        assert _worth(after) == _worth(before) + staked
    for colour, amount in in_colour.items():
        assert after.balance(f"colour:{colour}") == before.balance(f"colour:{colour}") + amount
    past = after.history[-1]
    assert (past.dice, past.void) == (None, what.why)
    assert all((line.returned, line.at_risk, line.winnings) == (line.stake, 0, 0) for line in past.lines)
    assert sorted({(line.player, line.box) for line in past.lines}) == sorted({(b.player, b.box) for b in bets})
    assert after.round == Round(number=before.round.number, stepped_at=after.at)
    if what.why is Fact.DAMAGED_DICE:
        assert after.dice_in is not None
        assert not after.dice_sets[after.dice_in].sound


def _lights_are_the_winners(before: TableState, what: e.ResultEntered | e.AreasLit | e.EntryAmended) -> None:
    """Lights = exactly the boxes that win on the numbers entered, or on the dice where nothing is entered."""
    shown = before.round.dice
    assert shown is not None
    dice = shown
    if isinstance(what, e.ResultEntered):
        dice = what.dice
        assert what.matches == (sorted(dice) == sorted(shown))
    elif isinstance(what, e.EntryAmended):
        dice = what.after
        assert sorted(dice) == sorted(shown)
    assert before.set_up is not None
    layout = f"{before.set_up.book}/{before.set_up.layout}"
    assert sorted(what.lit) == sorted(box for box in recount.boxes(layout) if recount.pays(layout, box, dice))
