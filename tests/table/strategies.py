"""Strategies for commands and events, made from their msgspec types.

Whatever a type allows is made, within its bounds; fields whose name says what they hold (a player, a box, an amount)
are mostly filled from pools, so that commands are plausible often enough to be accepted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import inspect

from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.forms import bare_type
from taisai.table.people import Person
from tests.core.samples import ALL_BOXES
from tests.table.driver import NZ, STAFF, player, set_up_of

TORTURE: Final = 20 if os.environ.get("TAISAI_TORTURE") else 1
"""`TAISAI_TORTURE=1` multiplies the examples of every property."""


def examples(count: int, **more: Any) -> settings:
    """Settings for so many examples, or many times as many under torture."""
    return settings(deadline=None, max_examples=count * TORTURE, **more)


NAMES: Final = ("ann", "bob", "cas")
PEOPLE: Final[tuple[Person, ...]] = (*STAFF, *map(player, NAMES))
AMOUNTS: Final = (1, 5, 10, 25, 50, 100, 500, 1000, 5000, 10**15)

POOLS: Final[Mapping[str, st.SearchStrategy[Any]]] = {
    "player": st.sampled_from(NAMES),
    "box": st.sampled_from([*ALL_BOXES, "small", "big", "odd", "even", "single:3", "single:4", "corner", ""]),
    "lies_on": st.sampled_from(["small", "big", "single:3", "total:9", "corner"]),
    "belongs_on": st.sampled_from(["small", "big", "single:3", "total:9", "corner"]),
    "colour": st.sampled_from([None, "red", "blue", "gold"]),
    "dice_set": st.sampled_from(["d1", "d2", "d3"]),
    "seal": st.sampled_from(["s1", "s2"]),
    "item": st.sampled_from(["power", "test-run", "tumbler", "seal", "bell"]),
    "amount": st.sampled_from(AMOUNTS),
    "value": st.sampled_from([1, 5, 10, 25, 100]),
    "round": st.integers(1, 5),
    "rounds": st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple),
    "dispute": st.sampled_from(["q1", "q2"]),
    "times": st.sampled_from([0, 1, 2, 3, 4, 1000]),
    "count": st.dictionaries(st.sampled_from([5, 100, 500, 7, 10**15]), st.sampled_from([0, 1, 3, 10**9]), max_size=3),
    "by": st.sampled_from(PEOPLE),
    "authorised_by": st.sampled_from([None, *PEOPLE]),
    "reason": st.sampled_from(["", " ", "seen by both"]),
}
"""By field name: what it plausibly holds."""


def of_type(info: inspect.Type) -> st.SearchStrategy[Any]:
    """Any value that a type takes."""
    info = bare_type(info)
    match info:
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            low = 0 if info.ge is None else info.ge
            return st.integers(low, 10**17 if info.le is None else info.le)
        case inspect.StrType():
            if info.pattern is not None:
                return st.from_regex(info.pattern.rstrip("$") + r"\Z", fullmatch=False).filter(_fits(info))
            return st.text(min_size=info.min_length or 0, max_size=min(info.max_length or 8, 8))
        case inspect.EnumType():
            return st.sampled_from(list(info.cls))
        case inspect.UnionType():
            return st.one_of([of_type(each) for each in info.types])
        case inspect.TupleType():
            return st.tuples(*map(of_type, info.item_types))
        case inspect.VarTupleType():
            longest = min(info.max_length or 3, 3)
            return st.lists(of_type(info.item_type), min_size=info.min_length or 0, max_size=longest).map(tuple)
        case inspect.DictType():
            return st.dictionaries(of_type(info.key_type), of_type(info.value_type), max_size=3)
        case inspect.StructType():
            return _struct(info.cls)
        case _:
            raise TypeError(f"no strategy for {info}")


def _fits(info: inspect.StrType) -> Any:
    least, most = info.min_length or 0, info.max_length or 64
    return lambda text: least <= len(text) <= most


@cache
def _struct(cls: type) -> st.SearchStrategy[Any]:
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    fields = {field.encode_name: _field(field.name, field.type) for field in info.fields}
    return st.builds(cls, **fields)


def _field(name: str, info: inspect.Type) -> st.SearchStrategy[Any]:
    info, pool = bare_type(info), POOLS.get(name)
    if pool is None or (name == "by" and isinstance(info, inspect.EnumType)):
        return of_type(info)
    if isinstance(info, inspect.StrType):
        pool = pool.filter(lambda value: value is not None)
    return st.one_of(pool, pool, pool, of_type(info))


ACTION_TYPES: Final[tuple[type[c.Action], ...]] = c.Action.__args__
EVENT_TYPES: Final[tuple[type[e.EventBody], ...]] = e.EventBody.__args__


def actions(kind: type[c.Action]) -> st.SearchStrategy[c.Action]:
    """Any action of a kind."""
    made = _struct(kind)
    return st.one_of(made, st.just(set_up_of(NZ))) if kind is c.SetUp else made


def commands() -> st.SearchStrategy[c.Command]:
    """Any command at all."""
    anything = st.sampled_from(ACTION_TYPES).flatmap(actions)
    return st.builds(
        c.Command,
        id=st.just("any"),
        at=st.integers(0, 10**17),
        by=_field("by", inspect.type_info(Person)),
        do=anything,
        authorised_by=_field("authorised_by", inspect.type_info(Person)),
        reason=POOLS["reason"],
    )


def event_bodies(kind: type[e.EventBody]) -> st.SearchStrategy[e.EventBody]:
    """Any event of a kind, within what its fields can mean."""
    return _struct(kind).filter(_chips_are_of_a_colour)


def _chips_are_of_a_colour(what: Any) -> bool:
    """Nobody can hand back chips of no colour as colour chips, nor more of them than there are chips."""
    parts = getattr(what, "handed", None)
    parts = parts if isinstance(parts, tuple) else (parts, what)
    for part in parts:
        in_colour = getattr(part, "in_colour", 0)
        if in_colour and part.colour is None:
            return False
    return True
