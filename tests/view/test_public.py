"""The public view: it shows the felt, and tells nobody what anybody has in hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec import UNSET, inspect
from msgspec.structs import replace

from taisai.table import events as e
from taisai.table.decide import decide
from taisai.table.declared import Audience
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.state import Meters, PastRound, RoundPhase, Shift, TableState
from taisai.view.patch import public_patch
from taisai.view.public import RESULTS_SHOWN, PublicView, is_urgent, public_events, public_view
from tests.core.samples import LAYOUT_NAMES
from tests.view.dealt import Step, as_json, steps_by_chance, steps_of_shifts

KINDS: tuple[type[e.EventBody], ...] = get_args(e.EventBody)
RICHER = 7_000_000


def more_in_hand(state: TableState) -> TableState:
    """The same table, at which every player has more chips in hand."""
    hands = ("player:", "colour:")
    ledger = {name: balance + RICHER if name.startswith(hands) else balance for name, balance in state.ledger.items()}
    return replace(state, ledger=ledger)


def richer(state: TableState) -> TableState:
    """The same table, with other balances and figures of the house: the felt is as it was."""
    return replace(
        state,
        ledger={account: balance + RICHER for account, balance in state.ledger.items()},
        round=replace(state.round, funds_before={"ann": RICHER}),
        history=tuple(_richer_past(past) for past in state.history),
        meters=Meters(rounds=RICHER, staked=RICHER),
        shift=Shift(opener=RICHER, drop=RICHER),
        disputes={},
        checks={},
    )


def _richer_past(past: PastRound) -> PastRound:
    before = {name: funds + RICHER for name, funds in past.funds_before.items()}
    after = {name: funds + RICHER for name, funds in past.funds_after.items()}
    return replace(past, funds_before=before, funds_after=after)


def assert_private(step: Step) -> None:
    """What the public is sent after a step is the same whatever anybody has in hand."""
    view = as_json(public_view(step.rules_after, step.after))
    assert as_json(public_view(step.rules_after, richer(step.after))) == view
    patch = as_json(public_patch(step.rules_after, step.before, step.after, step.rules_before))
    other = as_json(public_patch(step.rules_after, richer(step.before), richer(step.after), step.rules_before))
    # The rebuilt history is another object, so its results are sent again; they are the same.
    assert other.pop("results", view["results"]) == view["results"]
    patch.pop("results", None)
    assert other == patch


def test_no_balance_is_in_the_public_view_after_any_kind_of_event() -> None:
    """In every shift, after every kind of event there is, view and patch are the same with all balances changed."""
    seen = set()
    for step in steps_of_shifts():
        seen |= {type(event.what) for event in step.events}
        assert_private(step)
    # A shift has one book.
    assert seen == set(KINDS) - {e.EditionTaken}


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_no_balance_is_in_the_public_view_of_a_table_dealt_by_chance(layout: str) -> None:
    """The same at tables at which everything happens that can."""
    for step in steps_by_chance(layout, 2, moves=40):
        assert_private(step)


def test_no_balance_is_announced_by_any_kind_of_event() -> None:
    """The same command at a table where everybody has more in hand announces the same, for every kind of event."""
    seen = set()
    for step in steps_of_shifts():
        assert step.command is not None
        found = decide(step.rules, more_in_hand(step.before), step.command)
        if not isinstance(found, Refusal):
            assert public_events(found) == public_events(step.events)
            seen |= {type(event.what) for event in step.events}
    # A shift has one book.
    assert seen == set(KINDS) - {e.EditionTaken}


def test_a_player_who_leaves_does_not_announce_what_they_take() -> None:
    """Everybody sees that a player leaves or takes a colour; the amount is withheld."""
    by = Person("dan", Role.DEALER)
    bodies = (e.PlayerLeft("ann", 500), e.ColourTaken("ann", "red", 5, 500), e.ColourTurnedIn("ann", "red", 500))
    for announced in public_events([e.Event(1, by, body) for body in bodies]):
        assert announced["player"] == "ann"
        assert "amount" not in announced
    assert public_events([e.Event(1, by, body) for body in (e.BoughtIn("ann", 500), e.CashedOut("ann", 500))]) == []


def test_an_event_without_a_declaration_is_not_announced() -> None:
    """An event whose author forgot to say who sees it stays with the crew."""
    base = e.BetPlaced.__mro__[1]
    forgotten = msgspec.defstruct("Forgotten", [("secret", int)], bases=(base,), tag="forgotten", frozen=True)
    body: Any = forgotten(5)
    event = e.Event(1, Person("dan", Role.DEALER), body)
    assert event.what.declared.seen_by is Audience.CREW
    assert public_events([event]) == []
    assert is_urgent([event])


def test_what_is_announced_is_what_is_declared() -> None:
    """Each event of every shift is announced with exactly the fields that its declaration leaves."""
    for step in steps_of_shifts():
        public = [event for event in step.events if event.what.declared.seen_by is Audience.EVERYONE]
        announced = public_events(step.events)
        assert [set(each) for each in announced] == [
            {"event", *event.what.__struct_fields__} - event.what.declared.withheld for event in public
        ]


def test_only_moved_chips_may_wait() -> None:
    """Bets placed and withdrawn are gathered; whatever else happens is sent at once."""
    by = Person("ann", Role.PLAYER)
    placed = e.Event(1, by, e.BetPlaced("ann", "small", 500))
    assert not is_urgent([placed, placed])
    assert is_urgent([placed, e.Event(1, by, e.PlayerSat("bob"))])
    assert {kind for kind in KINDS if not kind.declared.urgent} == {e.BetPlaced, e.BetWithdrawn}


FIELDS = {
    "table", "phase", "suspended", "procedure", "held", "purpose", "virtual_dice", "round", "seats", "stakes", "totals",
    "lines", "results", "set_up", "room", "per",
    # the round
    "number", "opened_at", "closes_at", "tumbles", "commitment", "opening", "contributions", "dice", "call",
    "pressed", "entered", "raised", "lit",
    "lights_fault", "interrupted", "bets", "flags",
    # a bet, a settled bet, a flag
    "player", "box", "stake", "at_risk", "pays", "winnings", "returned", "code", "amount", "clauses", "text",
    # a result
    "void", "reversed", "ended_at",
    # a seat
    "present", "colour", "value",
    # the set-up
    "book", "layout", "digest", "limits", "currency", "denominations", "colours", "coverage", "unit", "default",
    "kinds", "differential", "min", "max", "chips",
}  # fmt: skip
"""Every field that the public view can hold, at any depth."""


def test_a_field_becomes_public_on_purpose() -> None:
    """The view shares structs with the state: a field added to one of these must be listed here to become public."""
    assert set(_fields(inspect.type_info(PublicView))) == FIELDS


def _fields(info: Any) -> Iterator[str]:
    match info:
        case inspect.StructType():
            for field in info.fields:
                yield field.encode_name
                yield from _fields(field.type)
        case inspect.UnionType():
            for each in info.types:
                yield from _fields(each)
        case inspect.DictType():
            yield from _fields(info.value_type)
        case inspect.VarTupleType():
            yield from _fields(info.item_type)


def test_boards_show_completed_rounds_only() -> None:
    """Results are those of rounds that are over, the last of them last, and no more than a board needs."""
    for step in steps_of_shifts():
        view = public_view(step.rules_after, step.after)
        assert [each.number for each in view.results] == [past.number for past in step.after.history[-RESULTS_SHOWN:]]
        if view.round.phase is not RoundPhase.BETWEEN:
            assert view.round.number not in [each.number for each in view.results]


def test_the_view_before_the_table_is_set_up() -> None:
    """A new table has neither a set-up nor room in its boxes: the keys are absent."""
    view = public_view(None, TableState("T1"))
    assert (view.set_up, view.room) == (UNSET, UNSET)
    assert {"set_up", "room"}.isdisjoint(as_json(view))


def test_the_room_of_a_box_is_what_may_still_be_bet() -> None:
    """Every box of the layout has its room: a number, or true where nothing limits it."""
    for step in steps_of_shifts():
        view = public_view(step.rules_after, step.after)
        if step.after.set_up is not None:
            assert view.room is not UNSET
            assert set(view.room) == set(step.rules.book.layouts[step.after.set_up.layout].boxes)
            assert all(room is True or room >= 0 for room in view.room.values())


def test_a_client_can_read_the_view_back() -> None:
    """What is encoded decodes to the same view, also after patches took the nulls away."""
    for step in steps_of_shifts():
        view = public_view(step.rules_after, step.after)
        assert msgspec.json.decode(msgspec.json.encode(view), type=PublicView) == view
