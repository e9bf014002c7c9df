"""The fields of actions as words, and words as fields."""

from __future__ import annotations

from typing import Any, cast

import pytest
from msgspec import Struct

from taisai.core.limits import Per
from taisai.table import commands as c
from taisai.table.notation.fields import VERBS, read_action, sign_text, split_words, usage, write_action
from taisai.table.notation.narration import output_of
from tests.table.notation.dealt_shifts import DOCUMENT
from tests.table.strategies import ACTION_TYPES


def test_usage_names_every_field_once() -> None:
    """How an action is written follows from its definition alone."""
    assert usage(c.PlaceBet, {}) == "place-bet PLAYER BOX AMOUNT [how=…] [colour=…] [contribution=…]"
    assert usage(c.Report, {}) == "report FACT [note=…] [about=…] [not-announced] [dice-set=…]"
    assert usage(c.CheckItem, {}) == "check-item ITEM passed|not-passed [note=…]"
    assert set(VERBS.values()) == set(ACTION_TYPES)


class Juggle(Struct, frozen=True, tag_field="do", tag="juggle"):
    """An action that does not exist yet, with fields of every shape."""

    names: tuple[str, ...]
    rows: dict[str, list[int]]
    either: int | str
    turns: tuple[int, int]
    marks: dict[str, int] = {}
    high: bool = False


class Juggled(Struct, frozen=True, tag_field="event", tag="juggled"):
    """An event that does not exist yet."""

    what: str
    times: int


def test_a_new_action_needs_no_notation_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An action with fields of any shape is written and read by its definition alone, and a new event is told."""
    monkeypatch.setitem(cast("dict[str, type[Struct]]", VERBS), "juggle", Juggle)
    do: Any = Juggle(("a b", '"'), {"x": [1]}, "7", (1, 2), {"red": 3}, high=True)
    assert write_action(do, {}) == r'juggle "[\"a b\",\"\\\"\"]" "{\"x\":[1]}" "\"7\"" 1,2 marks=red:3 high'
    strange: Any = Juggle((), {}, 7, (1, 2), {"a b": 3})
    for each in (do, strange):
        verb, *words = split_words(write_action(each, {}))[0]
        assert read_action(verb.text, words, {}) == each
    assert usage(Juggle, {}) == "juggle NAMES ROWS EITHER TURNS [marks=…] [high]"
    happened: Any = Juggled("clubs", 3)
    assert output_of(happened) == ("- juggled what=clubs times=3",)


def test_the_document_names_every_verb() -> None:
    """The list of verbs in docs/shifts.md shows each action as it is written."""
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [usage(action, {}) for action in VERBS.values() if usage(action, {}) not in text] == []


def test_a_sign_has_groups_and_maxima_for_each_player() -> None:
    """`total:4/17` is a group of boxes, `each` a maximum for each player; what is written is read again."""
    sign = c.TableLimits(
        100,
        c.BoxLimit(500, 50_000, Per.PLAYER),
        {
            "total:4/17": c.BoxLimit(100, 2000),
            "double": c.BoxLimit(100, 900, Per.PLAYER),
            "three:114": c.BoxLimit(1, 2),
        },
    )
    text = "500..50000 each by 100, total:4/17 100..2000, double 100..900 each, three:114 1..2"
    assert sign_text(sign) == text
    verb, *words = split_words(f'set-limits "{text}"')[0]
    assert read_action(verb.text, words, {}) == c.SetLimits(sign)
