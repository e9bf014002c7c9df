"""Settings: shown without passwords, digests, the demo floor, and the documentation of every key."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from taisai.books import open_shelf
from taisai.journal import MemoryJournal
from taisai.settings.forms import JournalPlace, Node, Settings, TableSettings, Timing, demo_settings, redacted
from taisai.settings.reading import check_settings
from taisai.table.commands import Command, CountFloat, SetUp
from taisai.table.people import Person, Role
from tests import ROOT
from tests.streams.keeper import TableKeeper

DOC = ROOT / "docs" / "settings.md"
SHELF = open_shelf(environment={})
LEE = Person("lee", Role.SUPERVISOR)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://joe:s3cret@db/floor", "postgresql://joe:…@db/floor"),
        ("postgresql://joe@db/floor?password=s3cret&ssl=1", "postgresql://joe@db/floor?password=…&ssl=1"),
        ("sqlite:///floor.db", "sqlite:///floor.db"),
    ],
)
def test_no_text_of_the_settings_has_a_password(url: str, shown: str) -> None:
    """The journal's password and the nodes' secret are in no text of the settings; the values keep them."""
    settings = Settings(journal=JournalPlace(url=url), node=Node(address="http://a", secret="s3cret-of-all-nodes"))
    assert redacted(url) == shown
    texts = (settings.journal.__rich_repr__(), settings.node.__rich_repr__(), settings.shown(), settings)
    assert not any("s3cret" in repr(text) for text in texts)
    assert settings.shown()["journal"]["url"] == shown
    assert (settings.journal.url, settings.node.secret) == (url, "s3cret-of-all-nodes")


def test_the_digest_does_not_depend_on_a_password() -> None:
    """Two addresses that differ only in their password have one digest: a log must not help to guess it."""
    first, second, other = (
        Settings(journal=JournalPlace(url=url)).digest()
        for url in ("postgresql://joe:a@db/floor", "postgresql://joe:b@db/floor", "postgresql://joe:a@db/other")
    )
    assert first == second != other


def test_the_digest_follows_the_settings() -> None:
    """Equal settings have equal digests, whatever the order of their keys; any change gives another digest."""
    digests = {
        settings.digest()
        for settings in (
            Settings(),
            demo_settings(),
            msgspec.structs.replace(Settings(), house=msgspec.structs.replace(Settings().house, name="Other")),
        )
    }
    assert len(digests) == 3
    assert demo_settings().digest() == demo_settings().digest()


def test_the_demo_floor_has_every_layout() -> None:
    """The demo has a table for each installed layout, five of them automatic, and is valid."""
    demo = demo_settings()
    check_settings(demo, SHELF)
    assert sorted(f"{table.book}/{table.layout}" for table in demo.tables) == sorted(
        layout.name for book in SHELF.books() for layout in book.layouts.values()
    )
    assert [table.mode for table in demo.tables].count("automatic") == 5
    assert demo.demo.enabled
    assert all(table.timing.betting_ms == 15_000 for table in demo.tables)


@pytest.mark.parametrize("table", demo_settings().tables, ids=lambda table: table.name)
def test_demo_tables_can_be_set_up(table: TableSettings) -> None:
    """A table accepts the set-up and the float of its settings."""
    keeper = TableKeeper(MemoryJournal(), SHELF.book, table.name)
    set_up = table.set_up(SHELF.book(table.book))
    moves: tuple[SetUp | CountFloat, ...] = (set_up, CountFloat(table.float_count))
    for number, do in enumerate(moves):
        answer = keeper.do(Command(id=str(number), at=1, by=LEE, do=do))
        assert answer.refusal is None


def documented() -> dict[str, dict[str, str]]:
    """The tables of docs/settings.md: for each section, keys and defaults."""
    sections: dict[str, dict[str, str]] = {}
    section = ""
    for line in DOC.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"##+ `\[*([a-z_]+)\]*`", line):
            section = heading[1]
            sections[section] = {}
        elif row := re.match(r"\| `([a-z_]+)` \| (.+?) \|", line):
            sections[section][row[1]] = row[2].strip("`")
    return sections


def written(field: Any) -> str:
    """A default as the documentation writes it."""
    if field.required:
        return "needed"
    default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if isinstance(default, Timing):
        return "below"
    return msgspec.json.encode(default).decode()


def test_the_documentation_has_every_key() -> None:
    """docs/settings.md lists every section and key, with its default."""
    found = documented()
    sections: dict[str, type] = {
        each.name: each.type for each in msgspec.structs.fields(Settings) if isinstance(each.type, type)
    }
    sections |= {"tables": TableSettings, "timing": Timing}
    assert found.pop("books") == {}
    assert set(found) == set(sections)
    for name, kind in sections.items():
        assert found[name] == {field.name: written(field) for field in msgspec.structs.fields(kind)}, name
