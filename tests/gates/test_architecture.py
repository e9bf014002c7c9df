"""ARCHITECTURE.md walks through functions that exist, and its table of rooms is the one that the gate holds."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests import ROOT
from tests.gates import rooms

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(taisai(?:\.\w+)+:[\w.]+)`", PAGE)))


def missing(name: str) -> bool:
    """Whether a name of the form `taisai.module:Class.function` leads nowhere."""
    module, _, path = name.partition(":")
    try:
        found: object = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return True
    return False


def test_the_walks_are_there() -> None:
    """One bet and one rule are followed through enough real names to be followed."""
    assert len(NAMES) > 25


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_walks_exists(name: str) -> None:
    """A reader can open what is named."""
    assert not missing(name)


def test_a_name_that_is_gone_is_found() -> None:
    """The gate can fail: for a module, a class and a function that are not there."""
    assert missing("taisai.nowhere:settle")
    assert missing("taisai.core.settlement:NoSuchClass")
    assert missing("taisai.floor.live:LiveTable.never")


def test_the_table_of_rooms_is_the_gates() -> None:
    """Every room has its row, with what it builds on."""
    rows = dict(re.findall(r"^\| `(\w+)(?:/|\.py)` \|.*\| ([^|]*) \|$", PAGE, re.MULTILINE))
    assert rows.keys() == rooms.BUILDS_ON.keys() - {"__init__", "__main__", "version"}
    for room, words in rows.items():
        named = set(re.findall(r"\w+", words)) & rooms.BUILDS_ON.keys()
        assert named == set(rooms.BUILDS_ON[room]) - {"version"}, room
