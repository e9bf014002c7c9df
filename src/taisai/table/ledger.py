"""The ledger: every cent an event moves, posted twice.

Enters: an event. Leaves: postings that sum to nothing. Accounts are text: `player:ann`, `box:small`, `colour:red`,
`float`, `drop`, `cage`, `patrons` (cash and chips away from the table), `debt:ann` and `claims` (owed after a void or a
ruling), `variance` (count against books). Postings follow from the event alone, so that history posts the same whatever
the rules are today. Serves `nz-division-9` §3.1, §3.4; `rws-tai-sai-v6` §5.6, §5.12, §5.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from taisai.table import events as e
from taisai.table.parts import Handed

FLOAT: Final = "float"
DROP: Final = "drop"
CAGE: Final = "cage"
PATRONS: Final = "patrons"
CLAIMS: Final = "claims"
VARIANCE: Final = "variance"

OUTSIDE: Final = (CAGE, PATRONS, VARIANCE)
"""Accounts that may be negative: they stand for what is away from the table."""
_OWING: Final = (*OUTSIDE, CLAIMS)
"""Claims are below zero when the house owes more than it is owed."""


def player_account(player: str) -> str:
    """A player's value chips in hand."""
    return "player:" + player


def box_account(box: str) -> str:
    """The chips in a box."""
    return "box:" + box


def colour_account(colour: str) -> str:
    """The worth of a colour's chips that are with their player."""
    return "colour:" + colour


def debt_account(player: str) -> str:
    """What a player owes: negative; above zero, what the house owes them."""
    return "debt:" + player


class Posting(NamedTuple):
    """An amount into an account; negative is out of it."""

    account: str
    amount: int


Postings = Sequence[tuple[str, int]]
"""`Posting`s, or plain pairs of the same."""

Move = Callable[[dict[str, int], str, str, int], None]
"""Moves an amount, in some balances, from one account to another. Bets and payments are described by their moves: they
come in long runs, which are posted in place (`move_in`)."""


class LedgerBroken(Exception):
    """Postings that do not balance, or an account that may not be negative: the table must stop."""


def _move(amount: int, source: str, target: str) -> Postings:
    return (Posting(source, -amount), Posting(target, amount))


def _handed(parts: Iterable[Handed]) -> Postings:
    postings: list[tuple[str, int]] = []
    for part in parts:
        postings.append(Posting(box_account(part.box), -part.amount))
        if part.in_colour and part.colour is not None:
            postings.append(Posting(colour_account(part.colour), part.in_colour))
        postings.append(Posting(player_account(part.player), part.amount - part.in_colour))
    return postings


def placing(what: e.BetPlaced, move: Move, balances: dict[str, int]) -> None:
    """A bet is placed: out of the player's hand, in value or colour, into the box."""
    source = "player:" + what.player if what.colour is None else "colour:" + what.colour
    move(balances, source, "box:" + what.box, what.amount)


def paying(what: e.BetPaid, move: Move, balances: dict[str, int]) -> None:
    """A bet is paid: the stake out of its box, the winnings out of the float, and of both some into colour."""
    player, winnings = "player:" + what.player, what.winnings
    move(balances, "box:" + what.box, player, what.returned - winnings)
    if winnings:
        move(balances, FLOAT, player, winnings)
    if what.in_colour:
        if what.colour is None:
            raise LedgerBroken(f"{what.in_colour} in colour chips of no colour")
        move(balances, player, "colour:" + what.colour, what.in_colour)


def _net_of(moves: Callable[..., None]) -> Callable[..., Postings]:
    """The postings of an event that is described by its moves, netted: one for each account."""

    def postings(what: e.EventBody) -> Postings:
        net: dict[str, int] = {}
        moves(what, _net, net)
        return tuple(net.items())

    return postings


def _net(net: dict[str, int], source: str, target: str, amount: int) -> None:
    net[source] = net.get(source, 0) - amount
    net[target] = net.get(target, 0) + amount


def _bought_in(what: e.BoughtIn) -> Postings:
    return [*_move(what.amount, PATRONS, DROP), *_move(what.amount, FLOAT, player_account(what.player))]


def _collected(what: e.LosersCollected) -> Postings:
    by_box: dict[str, int] = {}
    for loss in what.losses:
        box = loss.box
        by_box[box] = by_box.get(box, 0) + loss.amount
    postings = [("box:" + box, -amount) for box, amount in by_box.items()]
    postings.append((FLOAT, sum(by_box.values())))
    return postings


def _undone(what: e.RoundReversed | e.SettlementUndone | e.Ruled) -> Postings:
    postings: list[tuple[str, int]] = []
    for line in what.lines:
        player = player_account(line.player)
        postings += _move(line.given_back, FLOAT, player)
        postings += _move(line.taken, player, FLOAT)
        if line.owed:
            postings += _move(line.owed, debt_account(line.player), CLAIMS)
        if line.owing:
            postings += _move(line.owing, CLAIMS, debt_account(line.player))
    return postings


def _debt_settled(what: e.DebtSettled) -> Postings:
    amount = -what.amount if what.to_player else what.amount
    return [*_move(amount, player_account(what.player), FLOAT), *_move(amount, CLAIMS, debt_account(what.player))]


def _closed(what: e.TableClosed) -> Postings:
    postings: list[tuple[str, int]] = []
    for player, amount in what.leaving.items():
        postings += _move(amount, player_account(player), PATRONS)
    postings += _move(what.expected - what.amount, FLOAT, VARIANCE)
    postings += _move(what.amount, FLOAT, CAGE)
    postings += _move(what.drop, DROP, CAGE)
    return postings


def _corrected(what: e.BetCorrected) -> Postings:
    return _move(what.amount, box_account(what.lies_on), box_account(what.belongs_on))


_POSTED: Final[Mapping[type, Callable[..., Postings]]] = {
    e.FloatCounted: lambda what: _move(what.amount, CAGE, FLOAT),
    e.Filled: lambda what: _move(what.amount, CAGE, FLOAT),
    e.Credited: lambda what: _move(what.amount, FLOAT, CAGE),
    e.BoughtIn: _bought_in,
    e.ChipsBrought: lambda what: _move(what.amount, PATRONS, player_account(what.player)),
    e.CashedOut: lambda what: _move(what.amount, player_account(what.player), PATRONS),
    e.PlayerLeft: lambda what: _move(what.amount, player_account(what.player), PATRONS),
    e.ColourTaken: lambda what: _move(what.amount, player_account(what.player), colour_account(what.colour)),
    e.ColourTurnedIn: lambda what: _move(what.amount, colour_account(what.colour), player_account(what.player)),
    e.DebtSettled: _debt_settled,
    e.BetPlaced: _net_of(placing),
    e.BetWithdrawn: lambda what: _handed((what.handed,)),
    e.ExcessRejected: lambda what: _handed(what.handed),
    e.RoundVoided: lambda what: _handed(what.handed),
    e.LineRuled: lambda what: _handed((what.handed,) if what.handed else ()),
    e.LosersCollected: _collected,
    e.BetPaid: _net_of(paying),
    e.BetCorrected: _corrected,
    e.BetReturned: lambda what: _handed((what.handed,)),
    e.SettlementUndone: _undone,
    e.RoundReversed: _undone,
    e.Ruled: _undone,
    e.TableClosed: _closed,
}


def postings_of(what: e.EventBody) -> Postings:
    """What an event moves; nothing for events that move nothing."""
    posted = _POSTED.get(type(what))
    return posted(what) if posted is not None else ()


def move_in(balances: dict[str, int], source: str, target: str, amount: int) -> None:
    """Move an amount between two accounts of the table, in place; `LedgerBroken` when one would be overdrawn."""
    if amount < 0:  # no table moves chips backwards, but a journal that was tampered with may say so
        source, target, amount = target, source, -amount
    left = balances.get(source, 0) - amount
    if left > 0:
        balances[source] = left
    elif left == 0:
        balances.pop(source, None)
    else:
        raise LedgerBroken(f"account {source} would stand at {left}")
    if amount:
        balances[target] = balances.get(target, 0) + amount


def place_all(bets: Iterable[e.BetPlaced], balances: dict[str, int]) -> None:
    """`placing` bet by bet, in place: what goes into the boxes, from which no bet draws, is added up in the end."""
    laid: dict[str, int] = {}
    for what in bets:
        amount, colour = what.amount, what.colour
        source = "player:" + what.player if colour is None else "colour:" + colour
        left = balances.get(source, 0) - amount
        if left > 0 and amount > 0:
            balances[source] = left
            box = what.box
            laid[box] = laid.get(box, 0) + amount
        else:  # the last chips, or a bet that no table would have taken
            _add(balances, laid)
            laid.clear()
            placing(what, move_in, balances)
    _add(balances, laid)


def _add(balances: dict[str, int], laid: Mapping[str, int]) -> None:
    for box, amount in laid.items():
        account = "box:" + box
        balances[account] = balances.get(account, 0) + amount


def pay_all(payments: Iterable[e.BetPaid], balances: dict[str, int]) -> None:
    """`paying` payment by payment, in place."""
    for what in payments:
        paying(what, move_in, balances)


def post(balances: dict[str, int], postings: Postings) -> dict[str, int]:
    """The balances after postings; accounts at nothing are left out. `LedgerBroken` when money was made or lost."""
    after = balances.copy()
    total = 0
    for account, amount in postings:
        total += amount
        balance = after.get(account, 0) + amount
        if balance:
            after[account] = balance
        else:
            after.pop(account, None)
    if total:
        raise LedgerBroken(f"postings do not balance: {total} out of nothing in {list(postings)}")
    for account, amount in postings:
        if amount < 0 and after.get(account, 0) < 0 and account not in _OWING and not account.startswith("debt:"):
            raise LedgerBroken(f"account {account} would stand at {after[account]}")
    return after
