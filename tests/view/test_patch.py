"""Merge patches: applied to the view before, a patch gives the view after, and both ends agree on how to apply it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from taisai.client import merged as merged_by_client
from taisai.table import commands as c
from taisai.table.decide import decide
from taisai.table.evolve import evolve
from taisai.table.people import Person, Role
from taisai.table.refusals import Refusal
from taisai.table.rules import TableRules
from taisai.table.state import TableState
from taisai.view.patch import difference, merged, public_patch
from taisai.view.public import public_view
from tests.core.samples import LAYOUT_NAMES
from tests.view.dealt import Step, as_json, book, steps_by_chance, steps_of_shifts, without_nulls

_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("xyz", max_size=1), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text("xyz", max_size=1), _values, max_size=3)


def assert_patched(step: Step) -> None:
    """The patch of a step brings whoever saw the table before it to what is seen after it."""
    before = as_json(public_view(step.rules_before, step.before))
    patch = as_json(public_patch(step.rules_after, step.before, step.after, step.rules_before))
    after = as_json(public_view(step.rules_after, step.after))
    assert without_nulls(merged(before, patch)) == without_nulls(after), step.events


def test_a_patch_gives_the_next_view_in_every_shift() -> None:
    """After each command of each shift, the view before with the patch applied is the view after."""
    steps = steps_of_shifts()
    assert len(steps) > 500
    for step in steps:
        assert_patched(step)


@pytest.mark.parametrize("layout", LAYOUT_NAMES)
def test_a_patch_gives_the_next_view_at_tables_dealt_by_chance(layout: str) -> None:
    """The same after each event of a table at which everything happens that can."""
    for step in steps_by_chance(layout, 1):
        assert_patched(step)


def test_one_patch_spans_any_number_of_events() -> None:
    """Chips that move are gathered: a patch over many steps is as good as one for each."""
    steps = steps_of_shifts()
    for first, last in zip(steps[::7], steps[5::7], strict=False):
        if first.before.table == last.after.table and first.rules is last.rules:
            assert_patched(Step(first.rules, first.before, (), last.after))


def test_nothing_changed_is_an_empty_patch() -> None:
    """A state and itself differ in nothing; nor do equal states that share no memory."""
    for step in steps_of_shifts()[::20]:
        assert public_patch(step.rules_after, step.after, step.after, step.rules_after) == {}
        again = msgspec.json.decode(msgspec.json.encode(step.after.round), type=type(step.after.round))
        patch = public_patch(step.rules_after, step.after, replace(step.after, round=again), step.rules_after)
        assert set(patch) <= {"lines"}


def test_a_bet_is_a_small_patch() -> None:
    """A bet changes its player's stake, the total of its box, and the room that is left: nothing else is sent."""
    steps = [step for step in steps_of_shifts() if isinstance(getattr(step.command, "do", None), c.PlaceBet)]
    assert steps
    for step in steps:
        patch = public_patch(step.rules, step.before, step.after, step.rules)
        assert set(patch) == {"stakes", "totals", "room"}
        assert len(patch["totals"]) == 1
        assert len(patch["room"]) <= 2


def test_limits_that_are_taken_away_are_gone() -> None:
    """A merge patch keeps what it does not name: limits of a kind that a new set-up does not have are named."""
    wide = c.TableLimits(5, c.BoxLimit(10, 300), {"small": c.BoxLimit(10, 400)}, {"big-small": 150})
    narrow = c.TableLimits(5, c.BoxLimit(10, 300))
    tai_sai, mini_dice = book("rws-tai-sai-v6"), book("rws-mini-dice-v3")
    first = c.SetUp(tai_sai.id, "C", tai_sai.digest, wide, "SGD", (5, 25), {"red": c.ColourSet(20)})
    layout = next(iter(mini_dice.layouts))
    second = c.SetUp(mini_dice.id, layout, mini_dice.digest, narrow, "SGD", (5, 25))
    one = _after(TableRules(tai_sai), TableState("T1"), first)
    two = _after(TableRules(mini_dice), one, second)
    before = as_json(public_view(TableRules(tai_sai), one))
    after = as_json(public_view(TableRules(mini_dice), two))
    assert set(before["room"]) - set(after["room"])
    assert before["set_up"]["colours"]
    patch = as_json(public_patch(TableRules(mini_dice), one, two, TableRules(tai_sai)))
    assert merged(before, patch) == after


def _after(rules: TableRules, state: TableState, do: c.Action) -> TableState:
    command = c.Command(id="x", at=1, by=Person("sue", Role.SUPERVISOR), do=do)
    found = decide(rules, state, command)
    assert not isinstance(found, Refusal)
    for event in found:
        state = evolve(state, event)
    return state


# ------------------------------------------------------------------ merge patches as such


@given(before=objects, after=objects)
def test_the_difference_leads_from_one_object_to_another(before: dict[str, Any], after: dict[str, Any]) -> None:
    """For any two objects without nulls, the difference applied to the first gives the second."""
    before, after = without_nulls(before), without_nulls(after)
    assert merged(before, difference(before, after)) == after
    assert difference(after, after) == {}


@given(target=objects, patch=objects)
def test_merging_leaves_its_arguments_alone(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """A view that is patched is a new one: whoever holds the old one still has it."""
    before = msgspec.json.encode((target, patch))
    merged(target, patch)
    assert msgspec.json.encode((target, patch)) == before


def test_the_examples_of_the_merge_patch_standard() -> None:
    """RFC 7396, appendix A, where the target is an object."""
    assert merged({"a": "b"}, {"a": "c"}) == {"a": "c"}
    assert merged({"a": "b"}, {"b": "c"}) == {"a": "b", "b": "c"}
    assert merged({"a": "b"}, {"a": None}) == {}
    assert merged({"a": "b", "b": "c"}, {"a": None}) == {"b": "c"}
    assert merged({"a": ["b"]}, {"a": "c"}) == {"a": "c"}
    assert merged({"a": "c"}, {"a": ["b"]}) == {"a": ["b"]}
    assert merged({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}) == {"a": {"b": "d"}}
    assert merged({"a": [{"b": "c"}]}, {"a": [1]}) == {"a": [1]}
    assert merged({}, {"a": {"bb": {"ccc": None}}}) == {"a": {"bb": {}}}
    assert merged({"a": ["b"]}, {"a": {"x": 1}}) == {"a": {"x": 1}}
    assert merged_by_client is merged
