"""Imports run in one direction, and the pure rooms stay pure."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import ROOT
from tests.gates import rooms
from tests.gates.imports import find_offences

SOURCE = ROOT / "src" / "taisai"


def plant(root: Path, module: str, code: str) -> list[str]:
    """Write one module into a package at `root` and give the reasons of the offences found there."""
    path = root / module
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    return [offence.reason for offence in find_offences(root)]


def test_the_source_keeps_to_the_rooms() -> None:
    """No module of taisai breaks the table of rooms."""
    assert list(SOURCE.rglob("*.py")), "no source found"
    assert [str(offence) for offence in find_offences(SOURCE)] == []


def test_every_room_in_the_table_is_known() -> None:
    """The table names no room that has no line of its own."""
    named = frozenset[str]().union(*rooms.MAY_IMPORT.values(), rooms.PURE, rooms.STANDARD_LIBRARY_ONLY)
    assert named <= rooms.MAY_IMPORT.keys()


def test_the_table_has_no_circle() -> None:
    """The rooms can be put in an order in which each imports only earlier ones."""
    assert len(list(TopologicalSorter(rooms.BUILDS_ON).static_order())) == len(rooms.MAY_IMPORT)


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("core/dice.py", "from taisai.core.boxes import Box\n"),
        ("core/dice.py", "from . import boxes\nfrom .boxes import Box\n"),
        ("core/dice.py", "from datetime import date\nDAY = date(2024, 1, 1)\n"),
        ("core/dice.py", "import fractions, itertools\n"),
        ("books/shelf.py", "import msgspec, pathlib\nfrom ..core import dice\nTEXT = open('x').read()\n"),
        ("books/shelf.py", "from importlib.resources import files\nHERE = files('taisai.books')\n"),
        ("table/seat.py", "class Seat:\n    def open(self) -> None: ...\nSeat().open()\n"),
        ("core/calls.py", "class Calls:\n    open: str\n"),
        ("table/seat.py", "def at(clock): return clock.now()\n"),
        ("audit/recount.py", "import json, pathlib\n"),
        ("audit/report.py", "from .recount import pays\n"),
        ("cli.py", "from taisai.version import __version__, web\nimport importlib\nimportlib.import_module(name)\n"),
        ("cli/main.py", "from taisai.web import app\n"),
        ("__main__.py", "from taisai.cli import main\n"),
    ],
)
def test_allowed_imports_pass(tmp_path: Path, module: str, code: str) -> None:
    """What the table allows is no offence."""
    assert plant(tmp_path, module, code) == []


@pytest.mark.parametrize(
    ("module", "code", "room"),
    [
        pytest.param("core/dice.py", "import taisai.books.shelf\n", "books", id="import"),
        pytest.param("core/dice.py", "import fractions, taisai.books as b\n", "books", id="second-of-a-line"),
        pytest.param("core/dice.py", "from taisai.books.shelf import Shelf\n", "books", id="from-import"),
        pytest.param("core/dice.py", "from taisai import books\n", "books", id="from-the-package"),
        pytest.param("core/dice.py", "from taisai import *\n", "__init__", id="star"),
        pytest.param("core/dice.py", "import taisai\n", "__init__", id="whole-package"),
        pytest.param("core/dice.py", "from ..books import shelf\n", "books", id="relative"),
        pytest.param("core/dice.py", "from .. import books\n", "books", id="relative-to-the-package"),
        pytest.param("core/deep/dice.py", "from ...books import shelf\n", "books", id="relative-from-deeper"),
        pytest.param("core/__init__.py", "from ..books import shelf\n", "books", id="relative-in-a-package-file"),
        pytest.param("core/dice.py", "from ....books import shelf\n", "books", id="relative-too-far"),
        pytest.param("core/dice.py", "def f():\n    from taisai.books import shelf\n", "books", id="in-a-function"),
        pytest.param(
            "core/dice.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from taisai.books import shelf\n",
            "books",
            id="for-the-type-checker",
        ),
        pytest.param(
            "books/shelf.py", "import importlib\nimportlib.import_module('taisai.web')\n", "web", id="by-name"
        ),
        pytest.param(
            "books/shelf.py",
            "from importlib import import_module\nimport_module('..web', 'taisai.books')\n",
            "web",
            id="by-relative-name",
        ),
        pytest.param("books/shelf.py", "__import__('taisai.web')\n", "web", id="by-builtin"),
        pytest.param(
            "analysis/odds.py",
            "from importlib import resources\nresources.files('taisai.web')\n",
            "web",
            id="by-resources",
        ),
        pytest.param("table/seat.py", "from taisai.journal import line\n", "journal", id="upwards"),
        pytest.param("__init__.py", "from taisai.web import pages\n", "web", id="package-file"),
        pytest.param("__init__.py", "from .web import pages\n", "web", id="package-file-relative"),
        pytest.param("client/table.py", "from taisai.floor import live\n", "floor", id="sideways"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, module: str, code: str, room: str) -> None:
    """An import against the table is found, however it is written."""
    (reason,) = plant(tmp_path, module, code)
    assert f"may not import {room!r}" in reason


@pytest.mark.parametrize("code", ["from taisai.core import dice\n", "from . import report\n", "import taisai\n"])
def test_the_recount_stands_alone(tmp_path: Path, code: str) -> None:
    """The recount may import nothing of taisai, not even its own room."""
    (reason,) = plant(tmp_path, "audit/recount.py", code)
    assert "may import nothing of taisai" in reason


@pytest.mark.parametrize("code", ["import csv as form\n", "from csv import writer\n", "__import__('csv')\n"])
def test_csv_goes_through_one_module(tmp_path: Path, code: str) -> None:
    """Nobody but the module that guards it reads or writes CSV by the library."""
    (reason,) = plant(tmp_path, "cli/odds.py", code)
    assert reason == "imports csv, which outside.py alone may import"
    (tmp_path / "cli" / "odds.py").unlink()
    assert plant(tmp_path, "outside.py", code) == []


def test_a_computed_import_is_found(tmp_path: Path) -> None:
    """A module name that cannot be read from the source is an offence outside the command line."""
    assert plant(tmp_path, "web/app.py", "import importlib\nimportlib.import_module('taisai.' + 'cli')\n") == [
        "imports a module whose name is computed"
    ]


@pytest.mark.parametrize("module", ["kitchen/pots.py", "kitchen/__init__.py", "kitchen.py"])
def test_an_unknown_room_is_found(tmp_path: Path, module: str) -> None:
    """A folder or module that is not in the table is an offence."""
    (reason,) = plant(tmp_path, module, "")
    assert reason.startswith("unknown room 'kitchen'")


@pytest.mark.parametrize("package", ["msgspec", "rich.table", "numpy"])
def test_a_third_party_import_in_core_is_found(tmp_path: Path, package: str) -> None:
    """The core uses the standard library only."""
    (reason,) = plant(tmp_path, "core/dice.py", f"import {package}\n")
    assert "standard library only" in reason


@pytest.mark.parametrize("room", sorted(rooms.PURE))
@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import time\nNOW = time.time()\n", "time"),
        ("from time import monotonic\n", "time"),
        ("def f():\n    import random\n", "random"),
        ("import secrets\n", "secrets"),
        ("import os.path\n", "os"),
        ("import io\n", "io"),
        ("from pathlib import Path\n", "pathlib"),
        ("import socket\n", "socket"),
        ("import subprocess\n", "subprocess"),
        ("import urllib.request\n", "urllib"),
        ("TEXT = open('x').read()\n", "open"),
        ("read = open\n", "open"),
        ("print('hello')\n", "print"),
        ("import datetime\nNOW = datetime.datetime.now(datetime.UTC)\n", "datetime.datetime.now"),
        ("import datetime as d\nTODAY = d.date.today()\n", "d.date.today"),
        ("from datetime import datetime as moment\nNOW = moment.utcnow()\n", "moment.utcnow"),
        ("from datetime import datetime\nclock = datetime.now\n", "datetime.now"),
    ],
)
def test_an_impure_module_is_found(tmp_path: Path, room: str, code: str, word: str) -> None:
    """A pure room reads no clock, chance, file or network."""
    (reason,) = plant(tmp_path, f"{room}/part.py", code)
    assert f" {word}, which is forbidden in pure room {room!r}" in reason


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from taisai.table import events\n", True),
        ("from taisai.core.limits import Limits\n", True),
        ("from taisai.core.rulebook import Rule\n", True),
        ("from taisai.audit.run import Audit\n", True),
        ("from taisai.audit.findings import AuditFinding\n", False),
        ("from .course import Course\nfrom taisai.audit.second import opinion\n", False),
    ],
)
def test_the_procedure_is_looked_at_by_code_of_its_own(tmp_path: Path, code: str, *, found: bool) -> None:
    """The checks of the procedure share nothing with the tables, nor with the limits of the core."""
    assert bool(plant(tmp_path, "audit/procedure/steps.py", code)) is found
