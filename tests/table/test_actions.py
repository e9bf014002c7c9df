"""The declaration of actions: one for each, whole, and everything that the screens show is derived from it."""

from __future__ import annotations

from typing import get_args

import pytest

from taisai.table import commands as c
from taisai.table.actions import ACTIONS, Group, Nature, declared_actions, name_of, roles_for
from taisai.table.forms import Widget, form_of
from taisai.table.people import CREW, Role
from taisai.table.state import RoundPhase, TableState


def test_every_action_is_declared_once() -> None:
    """No action reaches `decide` without a declaration, and none is declared that does not exist."""
    assert set(ACTIONS) == set(get_args(c.Action))
    assert list(declared_actions()) == [name_of(action) for action in ACTIONS]


def test_every_action_stands_on_a_screen() -> None:
    """Whatever people may ask for can be asked for on a screen; the house itself assigns, commits, opens and tests."""
    nowhere = [action for action, declared in ACTIONS.items() if not declared.groups]
    assert nowhere == [c.CommitDice, c.OpenDice, c.AssignDealing, c.TestSource, c.SetClock]
    shown = {group for declared in ACTIONS.values() for group in declared.groups}
    assert shown == set(Group)


def test_an_action_stands_where_its_people_are() -> None:
    """What stands on the dealer's desk the crew may ask for, and what stands on a player's felt a player."""
    for declared in ACTIONS.values():
        screens = {group.partition(".")[0] for group in declared.groups}
        assert "play" not in screens or Role.PLAYER in declared.roles
        assert not screens & {"deal", "pit"} or declared.roles & CREW


def test_keys_of_the_desk_are_one_letter_each() -> None:
    """No two actions share a key, and `k` is kept for seat codes."""
    keys = [declared.key for declared in ACTIONS.values() if declared.key]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 1 and key.isalpha() and key != "k" for key in keys)


def test_what_moves_a_round_is_of_a_round() -> None:
    """An action that is done within a round, in some of its phases, is meant for that round and no other."""
    within = frozenset(RoundPhase) - {RoundPhase.BETWEEN}
    bound = {action for action, declared in ACTIONS.items() if declared.round is not None and declared.round & within}
    of_round = {action for action, declared in ACTIONS.items() if declared.of_round}
    assert of_round - bound == {c.Tumble, c.OpenBets, c.Interrupt, c.ResolveInterruption, c.Report}
    assert bound <= of_round


def test_a_second_person_comes_with_a_reason() -> None:
    """Whatever a second person authorises has a reason on record; a fact they attest may go without."""
    without = [action for action, declared in ACTIONS.items() if declared.second and not declared.reason]
    assert without == [c.Report, c.TouchLine, c.InspectDice]
    assert all(ACTIONS[action].nature is Nature.FACT for action in without)


@pytest.mark.parametrize("action", ACTIONS, ids=name_of)
def test_the_plain_values_hold_the_form(action: type[c.Action]) -> None:
    """What the screens read has every field with its widget, and no value that says nothing."""
    plain = declared_actions()[name_of(action)]
    assert [field["name"] for field in plain["fields"]] == [field.name for field in form_of(action)]
    assert all(Widget(field["widget"]) for field in plain["fields"])
    assert all(value not in (None, "", ()) for field in plain["fields"] for value in field.values())


def test_nobody_puts_bets_right_where_the_house_deals() -> None:
    """Bets of a table that the house deals lie where their players put them: no hand moves them, no line is touched."""
    state = TableState(table="T", dealt_by=c.DealtBy.HOUSE)
    for action in (c.CorrectBet, c.RuleOnLine):
        assert roles_for(action, TableState(table="T"))
        assert not roles_for(action, state) & CREW
