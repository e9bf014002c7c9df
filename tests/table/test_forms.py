"""Forms: every field of every action gets a widget, bounds and a default from its type alone."""

from __future__ import annotations

import re
from typing import Annotated, get_args

import pytest
from msgspec import Meta, Struct, inspect

from taisai.table import commands as c
from taisai.table.actions import name_of
from taisai.table.forms import FormField, Widget, asked_by, bare_type, form_of


class Juggle(Struct, tag="juggle"):
    """An action of no table."""

    player: c.PlayerName
    clubs: Annotated[int, Meta(ge=3, le=9)]
    how: Annotated[c.How, asked_by(Widget.CHOICE, ("call", "felt"))] = c.How.PLACED
    by: c.Mending = c.Mending.MENDED
    drops: c.Amount | None = None
    bows: bool = True


def test_a_form_is_read_off_the_type() -> None:
    """Widgets, bounds, choices and defaults follow from the fields; a default nobody is offered must be chosen."""
    assert form_of(Juggle) == (
        FormField("player", Widget.PLAYER, required=True),
        FormField("clubs", Widget.NUMBER, required=True, min=3, max=9),
        FormField("how", Widget.CHOICE, required=True, choices=("call", "felt"), default="placed"),
        FormField("by", Widget.CHOICE, required=False, choices=("mended", "procedure"), default="mended"),
        FormField("drops", Widget.MONEY, required=False, min=1, max=10**15),
        FormField("bows", Widget.YES_NO, required=False, default=True),
    )


@pytest.mark.parametrize("action", get_args(c.Action), ids=name_of)
def test_every_action_has_a_form(action: type[c.Action]) -> None:
    """The form has the fields of the action in order, and a required field is required of people too."""
    form = form_of(action)
    assert tuple(field.name for field in form) == action.__struct_fields__
    info = inspect.type_info(action)
    assert isinstance(info, inspect.StructType)
    for field, declared in zip(form, info.fields, strict=True):
        assert field.required or not declared.required
        assert bool(field.choices) == (field.widget is Widget.CHOICE)
        assert not isinstance(bare_type(declared.type), inspect.Metadata)


@pytest.mark.parametrize("name", ["ann", "D-1", "a.b_c@d"])
def test_a_name_fits_the_pattern_of_its_form(name: str) -> None:
    """What the form lets through is what the command takes."""
    (field,) = form_of(c.SitDown)
    assert re.fullmatch(field.pattern, name)
    assert not re.fullmatch(field.pattern, f"-{name}")
    assert (field.widget, field.longest) == (Widget.NAME, 64)
