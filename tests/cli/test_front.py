"""The first page of the command: everything is on it, at every width, without the parser."""

from __future__ import annotations

import os
import sys
from subprocess import run
from typing import Final

import pytest

from taisai.cli.front import COMMANDS, GROUPS, WIDTH_MAX, WIDTH_MIN, front_page

PARSERS: Final = ("cyclopts", "rich", "msgspec")


@pytest.mark.parametrize("width", [10, WIDTH_MIN, 80, WIDTH_MAX, 400])
def test_every_command_is_on_the_first_page(width: int) -> None:
    """By what it is for, with its line whole, no line of the list wider than the terminal."""
    lines = front_page(width).splitlines()
    words = " ".join(" ".join(lines).split())
    assert [line[:-1] for line in lines if line[:-1] in GROUPS] == list(GROUPS)
    for name, (_, said) in COMMANDS.items():
        assert f"{name} {said}" in words
    listed = lines[3 : lines.index("Examples:")]
    assert max(map(len, listed)) <= min(max(width, WIDTH_MIN), WIDTH_MAX)


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_the_first_page_needs_no_parser(words: list[str]) -> None:
    """It is shown before the parser of command lines would have been imported."""
    code = f"import sys; from taisai.cli import main; main({words}); print(*sys.modules, file=sys.stderr)"
    done = run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"}
    )
    assert done.stdout == front_page(80)
    assert set(done.stderr.split()).isdisjoint(PARSERS)
