"""The TypeScript of the screens: what the server may leave out may be absent, and nothing that is sent is missing."""

from __future__ import annotations

import re
from enum import StrEnum

import pytest
from msgspec import UNSET, Struct, UnsetType

from taisai.view.public import PublicView
from tools.screen_types import Declarations, module


class Mood(StrEnum):
    """How somebody feels."""

    GOOD = "good"
    BAD = "bad"


class Row(Struct, array_like=True):
    """A row."""

    box: str
    stake: int


class Form(Struct):
    """A form."""

    always: int
    """Always there."""
    moods: tuple[Mood, ...] = ()
    rows: dict[str, Row] = {}
    sometimes: float | UnsetType = UNSET
    patched: str | None = None


def declared(kind: type) -> str:
    """What is written of a type."""
    declarations = Declarations()
    declarations.add(kind)
    return declarations.text()


def test_a_struct_is_an_interface() -> None:
    """Fields have their types and words; only what is UNSET or null by default may be absent."""
    text = declared(Form)
    assert "/** A form. */\nexport interface Form {\n" in text
    assert "  always: number;\n  moods: Mood[];\n  rows: Record<string, Row>;\n" in text
    assert "  sometimes?: number;\n  patched?: string | null;\n}\n" in text
    assert 'export type Mood = "good" | "bad";' in text
    assert "export type Row = [box: string, stake: number];" in text


def test_words_come_from_the_source() -> None:
    """What stands beside a field in Python stands above it in TypeScript."""
    assert "  /** Chips on the felt by box. */\n  totals: Record<string, number>;\n" in declared(PublicView)


def test_two_types_of_one_name_are_refused() -> None:
    """A name means one type: the second is not passed over in silence."""
    declarations = Declarations()
    declarations.add(Mood)
    with pytest.raises(ValueError, match="two types are called Mood"):
        declarations.add(StrEnum("Mood", ["WORSE"]))


def test_every_field_of_the_round_is_there() -> None:
    """The file once lacked a field that was sent: it has every field of the public view."""
    found = re.search(r"export interface RoundView \{(.*?)\n\}", module(), re.DOTALL)
    assert found is not None
    assert re.findall(r"^  (\w+)\??:", found[1], re.MULTILINE) == [
        "number", "phase", "opened_at", "tumbles", "closes_at", "commitment", "opening", "contributions", "dice",
        "call", "pressed", "entered", "raised", "lit", "lights_fault", "interrupted", "bets", "flags",
    ]  # fmt: skip


def test_what_is_withheld_is_no_part_of_an_announcement() -> None:
    """Announcements have the fields that everybody is told, and only the events that everybody is told of."""
    union = module().partition("export type Announcement =")[2]
    assert '{ event: "player-left"; player: string }' in union
    assert '{ event: "bets-closed"; call: string; bell: boolean }' in union
    assert "bought-in" not in union
