"""Bounds: whatever a player sends, and however often, what a table keeps of it does not grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from taisai import bounds
from taisai.core.money import CHIPS_MAX
from taisai.table import commands as c
from taisai.table.actions import ACTIONS, name_of
from taisai.table.decide import decide
from taisai.table.evolve import evolve, replay
from taisai.table.people import Person, Role
from taisai.table.refusals import Code, Refusal
from taisai.table.state import snapshot_of
from taisai.view.crew import crew_view
from taisai.view.public import public_view
from tests.table.driver import DEALER, SHIFT_MANAGER, SUPERVISOR, TAI_SAI, Deal, opened, player

Flood = Callable[[Deal, int], tuple[c.Action, Person]]
ENOUGH: Final = 700
"""More than any bound of a player, and of the seats of a table."""


def flood(deal: Deal, wave: Flood, count: int) -> set[str]:
    """Send a wave without end; the codes of what is refused."""
    codes = set()
    for number in range(count):
        do, by = wave(deal, number)
        found = decide(deal.rules, deal.state, deal.command(do, by))
        if isinstance(found, Refusal):
            codes.add(found.code)
        else:
            deal.record += found
            for event in found:
                deal.state = evolve(deal.state, event)
    return codes


def shown(deal: Deal) -> tuple[int, ...]:
    """What the table keeps and shows, in bytes: its state, the public view, the crew's."""
    views = (public_view(deal.rules, deal.state), crew_view(deal.rules, deal.state, SUPERVISOR))
    return len(snapshot_of(deal.state)), *(len(msgspec.json.encode(view)) for view in views)


def _boxes(deal: Deal) -> list[str]:
    layout, _ = deal.rules.at(deal.state)
    return [str(box) for box in layout.boxes]


WAVES: Final[dict[type, Flood]] = {
    c.SitDown: lambda _deal, number: (c.SitDown(f"p{number}"), player(f"p{number}")),
    c.LeaveTable: lambda _deal, number: ((c.LeaveTable, c.SitDown)[number % 2]("eve"), player("eve")),
    c.PlaceBet: lambda deal, number: (
        c.PlaceBet("eve", _boxes(deal)[number % 50], 10, contribution=f"{number:032x}"),
        player("eve"),
    ),
    c.WithdrawBet: lambda deal, number: (
        (c.PlaceBet("eve", _boxes(deal)[number // 2 % 50], 10), c.WithdrawBet("eve", _boxes(deal)[number // 2 % 50]))[
            number % 2
        ],
        player("eve"),
    ),
    c.OpenDispute: lambda deal, number: (
        c.OpenDispute(f"d{number}", "eve", 1 + number % deal.state.round.number, "x" * 500),
        player("eve"),
    ),
}
"""Of each action that a player may ask for, the worst that one can send."""
REFUSED: Final = {c.SitDown: Code.TOO_MUCH, c.PlaceBet: Code.TOO_MUCH, c.OpenDispute: Code.TOO_MUCH}
"""What ends a wave that would make the table keep ever more; the others take back what they put down."""


def test_every_action_of_a_player_is_flooded_here() -> None:
    """An action that players get brings its wave: nothing that they can send is forgotten."""
    theirs = {action for action, declared in ACTIONS.items() if Role.PLAYER in declared.roles}
    assert theirs == set(WAVES)


@pytest.mark.parametrize("action", WAVES, ids=name_of)
def test_what_a_player_sends_without_end_is_kept_within_a_bound(action: type) -> None:
    """After so many commands, as many again add nothing to what the table keeps or shows."""
    deal = opened(TAI_SAI, eve=50_000)
    for _ in range(12):
        deal.begin().finish(1, 2, 3)
    deal.begin()
    codes = flood(deal, WAVES[action], ENOUGH)
    before = shown(deal)
    assert before[0] < 250_000
    codes |= flood(deal, lambda deal, number: WAVES[action](deal, number + ENOUGH), ENOUGH)
    after = shown(deal)
    assert all(now <= then + 100 for then, now in zip(before, after, strict=True)), (before, after)
    if action in REFUSED:
        assert REFUSED[action] in codes
    assert replay(type(deal.state)("t1"), deal.record) == deal.state


def test_the_crew_records_what_a_players_screen_is_refused() -> None:
    """Beyond the bounds of a screen the dealer opens the dispute and puts down the chips."""
    deal = opened(TAI_SAI, eve=50_000).begin().finish(1, 2, 3).begin()
    flood(deal, WAVES[c.OpenDispute], 10)
    assert len(deal.state.disputes) == min(bounds.DISPUTES_OF_ROUND * 2, bounds.DISPUTES_OF_PLAYER)
    refusal = deal.refused(c.OpenDispute("more", "eve", 1, "again"), Code.TOO_MUCH, player("eve"))
    assert refusal.allowed == "ask the dealer or the supervisor"
    deal.do(c.OpenDispute("more", "eve", 1, "again"))
    flood(deal, WAVES[c.PlaceBet], bounds.STACKS_OF_PLAYER + 5)
    assert len(deal.state.round.stacks) == bounds.STACKS_OF_PLAYER
    deal.do(c.PlaceBet("eve", "small", 10, c.How.STAFF))


def test_many_players_together_stay_within_the_bounds_of_the_table() -> None:
    """Disputes and chips of all players together are bounded too, whoever they are."""
    names = [f"p{number}" for number in range(30)]
    deal = Deal(TAI_SAI).open().seat(**dict.fromkeys(names, 3_000)).begin()
    flood(deal, lambda _deal, n: (c.OpenDispute(f"d{n}", names[n % 30], 1, "x"), player(names[n % 30])), 5 * 30)
    assert len(deal.state.disputes) == bounds.DISPUTES_OPEN
    flood(deal, lambda _deal, n: (c.PlaceBet(names[n % 30], "small", 10), player(names[n % 30])), 300)
    assert len(deal.state.round.stacks) == 300


def test_resolved_disputes_leave_the_table_and_stay_in_its_record() -> None:
    """A supervisor who resolves many disputes has the last of them before their eyes; the record has all."""
    deal = opened(TAI_SAI, eve=1_000).begin()
    for number in range(bounds.DISPUTES_KEPT + 5):
        deal.do(c.OpenDispute(f"d{number}", "eve", 1, "short"))
        deal.do(c.ResolveDispute(f"d{number}", "paid"), SUPERVISOR)
    assert len(deal.state.disputes) == bounds.DISPUTES_KEPT
    assert "d4" not in deal.state.disputes
    deal.replays()


BRINGING: Final[tuple[tuple[c.Action, Person], ...]] = (
    (c.BringChips("eve", CHIPS_MAX), DEALER),
    (c.Fill({500: CHIPS_MAX // 500}), SUPERVISOR),
    (c.MakeRuling("m", "d", c.RulingGround.NOT_COVERED, ("5.14",), amounts={"eve": -(10**15)}), SHIFT_MANAGER),
)


@pytest.mark.parametrize(("do", "by"), BRINGING, ids=lambda each: type(each).__name__)
def test_no_account_of_a_table_grows_past_what_every_store_holds(do: Any, by: Person) -> None:
    """Whoever brings money without end is refused long before a sum is beyond 64 bits."""
    deal = opened(TAI_SAI, eve=1_000)
    codes = flood(deal, lambda _deal, _number: (do, by), 30)
    assert codes == {Code.TOO_MUCH}
    assert max(map(abs, deal.state.ledger.values())) * 216 < 2**63
    assert deal.refused(do, Code.TOO_MUCH, by).allowed == f"up to {bounds.MONEY_AT_TABLE}"
