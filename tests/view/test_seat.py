"""A player's own view: what the ledger and the felt say of this player, and of nobody else."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from taisai.core.limits import Per
from taisai.table import commands as c
from taisai.table.state import RoundPhase, TableState
from taisai.view.seat import SeatView, seat_view
from tests.core.samples import LAYOUT_NAMES
from tests.table.driver import NZ, TAI_SAI, Deal, opened
from tests.view.dealt import Step, as_json, steps_by_chance, steps_of_shifts


def test_a_stranger_has_nothing() -> None:
    """Somebody who never sat down is not seated and has no chips, debts or rounds."""
    nothing = SeatView(player="zed", seated=False, funds=0, debt=0, on_felt=0, contribution="")
    assert seat_view(TableState("T1"), "zed") == nothing


def test_a_round_in_the_eyes_of_a_player() -> None:
    """Chips move from the hand to the felt and, won, back again; then the round is the last one."""
    deal = Deal(NZ).open().seat(ann=1000, bob=1000).begin()
    deal.bet("ann", "small", 100)
    deal.bet("bob", "big", 50)
    view = seat_view(deal.state, "ann")
    assert (view.funds, view.on_felt, view.last) == (900, 100, None)
    deal.close()
    assert seat_view(deal.state, "ann").on_felt == 100
    deal.result(1, 2, 3).settle()
    view = seat_view(deal.state, "ann")
    assert (view.funds, view.on_felt, view.seated) == (1100, 0, True)
    assert view.last is not None
    assert (view.last.number, view.last.dice, view.last.void) == (1, (1, 2, 3), "")
    assert (view.last.funds_before, view.last.funds_after) == (1000, 1100)
    assert [(line.player, line.box, line.returned) for line in view.last.lines] == [("ann", "small", 200)]


def test_who_walks_away_keeps_chips_and_loses_the_seat() -> None:
    """A player who is gone is not seated; the chips are still theirs."""
    deal = Deal(NZ).open().seat(ann=1000)
    deal.do(c.WalkAway("ann"))
    view = seat_view(deal.state, "ann")
    assert (view.seated, view.funds) == (False, 1000)


def test_who_has_a_maximum_of_their_own_sees_what_it_leaves() -> None:
    """Where a maximum is of each player, a seat is told its own room; under others there is nothing to tell."""
    sign = c.TableLimits(5, c.BoxLimit(50, 1000, Per.PLAYER), {"total": c.BoxLimit(50, 500)})
    deal = opened(NZ, sign, ann=5000, bob=5000).begin().bet("ann", "small", 700).bet("ann", "total:9", 100)
    deal.bet("bob", "small", 1000)
    assert (seat_view(deal.state, "ann").room, seat_view(deal.state, "bob").room) == ({"small": 300}, {"small": 0})
    assert seat_view(deal.close().state, "ann").room == {}
    assert seat_view(Deal(NZ).open().seat(ann=1000).begin().bet("ann", "small", 100).state, "ann").room == {}


def test_a_debt_is_shown_below_zero() -> None:
    """A reversal takes back what was won; what the player cannot give back is a debt until it is paid."""
    deal = Deal(TAI_SAI).open().seat(ann=100).begin()
    deal.bet("ann", "small", 100)
    deal.finish(1, 2, 3)
    deal.do(c.CashOut("ann", 200))
    deal.damage()
    assert seat_view(deal.state, "ann").debt == -100


def assert_own(step: Step) -> None:
    """A view holds its player's balances as the ledger has them, and does not depend on the others'."""
    state = step.after
    for name in state.players:
        view = seat_view(state, name)
        assert view.funds == state.funds(name)
        assert view.on_felt >= 0
        if state.round.phase in (RoundPhase.BETWEEN, RoundPhase.BETTING):
            assert view.on_felt == sum(stack.amount for stack in state.round.stacks if stack.player == name)
        mine = {f"player:{name}", f"debt:{name}", f"colour:{state.players[name].colour}"}
        others = {account: 0 for account in state.ledger if account not in mine}
        assert seat_view(replace(state, ledger={**state.ledger, **others}), name) == view
        assert all(line.player == name for line in (view.last.lines if view.last else ()))


def test_every_seat_of_every_shift() -> None:
    """In every shift, each player's view is the ledger's word on them and holds nothing of anybody else."""
    for step in steps_of_shifts():
        assert_own(step)


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_every_seat_of_a_table_dealt_by_chance(layout: str) -> None:
    """The same at tables at which everything happens that can."""
    for step in steps_by_chance(layout, 3, moves=40):
        assert_own(step)


def test_a_client_can_read_the_view_back() -> None:
    """What is encoded decodes to the same view; absent keys and nulls mean the same."""
    for step in steps_of_shifts()[::10]:
        for name in step.after.players:
            view = seat_view(step.after, name)
            assert msgspec.convert(as_json(view), SeatView) == view
