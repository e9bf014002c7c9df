"""Forms: how people are asked for the fields of a command.

Enters: the type of an action. Leaves: its fields in order, each with the widget that asks for it, whether it must be
filled in, and the bounds of its type. Everything is read off the struct, so a new action needs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

import msgspec
from msgspec import NODEFAULT, Meta, Struct, inspect


class Widget(StrEnum):
    """What a screen shows to ask for a field."""

    PLAYER = "player"
    """One of the players at the table."""
    BOX = "box"
    COLOUR = "colour"
    DICE_SET = "dice-set"
    """A set that the table has received and not retired."""
    ANY_DICE_SET = "any-dice-set"
    """A set that the table has received, retired or not."""
    DISPUTE = "dispute"
    """A dispute that is open."""
    CHECK_ITEM = "check-item"
    """An item of the book's opening check."""
    FACT = "fact"
    """A fact of which the table's book says what follows."""
    HELD_FACT = "held-fact"
    """A fact that holds the round until somebody else attests it."""
    CHOICE = "choice"
    """One of the field's `choices`."""
    YES_NO = "yes-no"
    MONEY = "money"
    NUMBER = "number"
    TIMES = "times"
    """How often the dice are tumbled; the book says how often at least."""
    ROUND = "round"
    CLAUSES = "clauses"
    """Clauses of the table's book."""
    AMOUNTS = "amounts"
    """An amount for each of some players; below zero, what they pay."""
    DICE = "dice"
    """Three faces."""
    FACES = "faces"
    """Up to three faces, or none."""
    COUNT = "count"
    """How many chips of each denomination."""
    NAME = "name"
    """A new name: letters, digits and a few signs."""
    TEXT = "text"
    LONG_TEXT = "long-text"
    SET_UP = "set-up"
    """Limits, denominations and colours: asked for by the screens that set up a table."""
    NOBODY = "nobody"
    """Digests and secrets: filled in by programs, left out of forms."""


_TYPED: Final = frozenset({Widget.NAME, Widget.TEXT, Widget.LONG_TEXT, Widget.FACES, Widget.CLAUSES})
"""Widgets that people type into; what is picked from a list needs no bounds."""


class FormField(NamedTuple):
    """One field of a form."""

    name: str
    widget: Widget
    required: bool
    min: int | None = None
    """Of a number."""
    max: int | None = None
    shortest: int | None = None
    """Of a text or list."""
    longest: int | None = None
    pattern: str = ""
    """A regular expression that the whole text fits, as an input element takes it."""
    choices: tuple[str, ...] = ()
    default: object = None
    """What is meant when the field is left out."""


def asked_by(widget: Widget, choices: Iterable[str] = ()) -> Meta:
    """The annotation of a field type that says which widget asks for it, and which values people are offered."""
    return Meta(extra={"widget": widget, "choices": tuple(choices)})


def bare_type(info: inspect.Type) -> inspect.Type:
    """A type without the annotations of this module."""
    return info.type if isinstance(info, inspect.Metadata) else info


@cache
def form_of(action: type[Struct]) -> tuple[FormField, ...]:
    """The form of an action: its fields in order."""
    info = inspect.type_info(action)
    return tuple(_field(each) for each in getattr(info, "fields", ()))


def _field(field: inspect.Field) -> FormField:
    info = field.type
    if isinstance(info, inspect.UnionType):
        info = next(each for each in info.types if not isinstance(each, inspect.NoneType))
    extra = (info.extra or {}) if isinstance(info, inspect.Metadata) else {}
    info = bare_type(info)
    choices: tuple[str, ...] = extra.get("choices", ())
    if isinstance(info, inspect.EnumType) and not choices and "widget" not in extra:
        choices = tuple(each.value for each in info.cls)
    widget: Widget = extra.get("widget") or _widget_of(info)
    typed = widget in _TYPED
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    default = None if default is NODEFAULT else msgspec.to_builtins(default)
    return FormField(
        name=field.name,
        widget=widget,
        # A default that people are not offered is no default to them.
        required=field.required or bool(choices and default not in choices),
        min=getattr(info, "ge", None),
        max=getattr(info, "le", None),
        shortest=getattr(info, "min_length", None) if typed else None,
        longest=getattr(info, "max_length", None) if typed else None,
        pattern=_for_browsers(getattr(info, "pattern", None) or "") if typed else "",
        choices=tuple(map(str, choices)),
        default=default,
    )


def _for_browsers(pattern: str) -> str:
    """A pattern as an input element takes it: of the whole text, every `-` that is a sign escaped."""
    whole = pattern.removeprefix("^").removesuffix(r"(?!\n)").removesuffix("$")
    return whole.replace("-]", r"\-]")


def _widget_of(info: inspect.Type) -> Widget:
    """The widget of a type that names none."""
    match info:
        case inspect.BoolType():
            return Widget.YES_NO
        case inspect.EnumType():
            return Widget.CHOICE
        case inspect.IntType():
            return Widget.NUMBER
        case inspect.StrType():
            return Widget.TEXT if info.pattern is None else Widget.NAME
        case _:
            return Widget.SET_UP
