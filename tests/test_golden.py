"""Golden files are fresh, and a stale one names the command that regenerates it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import ROOT
from tests.books import make_broken
from tests.golden import require_fresh, require_same
from tools import bless_shifts, conformance, pictures, postgres_schema, screen_types, screens_data
from tools.golden import MOST_LINES, Golden

TOOLS = (conformance.GOLDEN, make_broken.GOLDEN, pictures.GOLDEN, screen_types.GOLDEN, screens_data.GOLDEN)
ALONE = (bless_shifts.GOLDEN, postgres_schema.GOLDEN)
"""Held fresh elsewhere: shifts one by one in tests/table/notation, the schema below, on a server."""


@pytest.mark.parametrize("golden", TOOLS, ids=lambda golden: golden.command)
def test_golden_files_are_fresh(golden: Golden) -> None:
    """What is in the repository is what the command would write."""
    require_fresh(golden)


@pytest.mark.postgres
def test_the_schema_of_postgresql_is_fresh() -> None:
    """The migrations lead to the schema of schema.txt, against which the audit compares a journal."""
    require_fresh(postgres_schema.GOLDEN)


@pytest.mark.parametrize("golden", [*TOOLS, *ALONE], ids=lambda golden: golden.command)
def test_the_command_exists(golden: Golden) -> None:
    """The command that a failing test names is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{golden.command.removeprefix('make ')}:", makefile, re.MULTILINE)


def planted(folder: Path) -> Golden:
    """Golden files of which one is altered, one is missing and one is too many."""
    (folder / "altered.txt").write_text("one\ntwo\n", encoding="utf-8")
    (folder / "old.txt").write_text("old\n", encoding="utf-8")
    made = {"altered.txt": "one\n2\n", "missing.txt": "new\n"}
    return Golden(
        "make planted",
        lambda: [(folder / name, text) for name, text in made.items()],
        kept=lambda: folder.glob("*.txt"),
    )


def test_a_stale_file_names_its_command(tmp_path: Path) -> None:
    """The test fails with each file, its difference and the command; nothing is changed."""
    golden = planted(tmp_path)
    with pytest.raises(pytest.fail.Exception) as failed:
        require_fresh(golden)
    words = str(failed.value)
    assert re.findall(
        r"^(\S+) is not what the program makes.*`make planted` regenerates it:$", words, re.MULTILINE
    ) == [
        "altered.txt",
        "missing.txt",
        "old.txt",
    ]
    assert "-two\n+2" in words
    assert golden.main(["--check"]) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"altered.txt", "old.txt"}


def test_the_command_regenerates(tmp_path: Path) -> None:
    """After the command the files are fresh: changed, written and removed."""
    golden = planted(tmp_path)
    assert golden.main([]) == 0
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        path.name: text for path, text in golden.made()
    }
    require_fresh(golden)
    assert golden.main(["--check"]) == 0


def test_a_long_difference_is_cut() -> None:
    """A file that differs everywhere does not fill the screen."""
    with pytest.raises(pytest.fail.Exception) as failed:
        require_same("index", "make clauses", "a\n" * 500, "b\n" * 500)
    lines = str(failed.value).splitlines()
    assert "`make clauses`" in lines[0]
    assert len(lines) == MOST_LINES + 2
    assert re.fullmatch(r"\.\.\. \d+ lines more", lines[-1])
