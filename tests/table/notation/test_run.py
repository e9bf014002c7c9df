"""Running a shift: what comes of each command, and how it compares with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taisai.core.faults import InputFault
from taisai.table.ledger import OUTSIDE
from taisai.table.notation.run import blessed, differences, run_shift
from taisai.table.notation.script import (
    Script,
    parse_shift,
)
from tests.golden import require_none
from tests.table.notation.dealt_shifts import FILES, HEAD, SHIFTS, book_of, dealt, run, shelf
from tools import bless_shifts


def _golden() -> list[Any]:
    """Each shift, marked with the clauses that it is there for."""
    made = []
    for path in FILES:
        holds = parse_shift(path.read_text(encoding="utf-8"), path.name).holds
        name = path.relative_to(SHIFTS).with_suffix("").as_posix()
        made.append(pytest.param(path, marks=pytest.mark.clause(*holds), id=name))
    return made


@pytest.mark.parametrize("path", _golden())
def test_a_shift_gives_the_output_in_its_file(path: Path) -> None:
    """Every command of a golden shift gives exactly the calls, events and refusals that its file expects."""
    require_none(path.name, bless_shifts.GOLDEN.command, differences(*dealt(path)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_money_is_conserved_over_a_shift(path: Path) -> None:
    """After a whole shift the accounts add up to nothing, and only those outside the table or of debts are negative."""
    _, transcript = dealt(path)
    ledger = transcript.state.ledger
    assert sum(ledger.values()) == 0
    negative = [account for account, balance in ledger.items() if balance < 0 and not account.startswith("debt:")]
    assert set(negative) <= set(OUTSIDE)


def test_a_refused_command_does_not_stop_the_shift() -> None:
    """A refusal is output like any other, and the next command is dealt."""
    assert run('dan: open-bets\nlee: set-up "5..9 by 1" SGD 1,5\n') == [
        "! not-set-up: The table is not set up. Allowed: set-up",
        "- table set up under rws-tai-sai-v6/A: SGD, chips of 1, 5, limits 5..9 by 1",
    ]


def test_differences_read_like_the_file() -> None:
    """A wrong, a missing and a superfluous expectation each show as a line of a diff; a blessed script has none."""
    script = parse_shift(HEAD + "dan: open-bets\n  ! refused\nlee: open-table\n")
    transcript = run_shift(shelf().book, script)
    found = differences(script, transcript)
    assert "-  ! refused" in found
    assert found.count("+  ! not-set-up: The table is not set up. Allowed: set-up") == 2
    assert differences(blessed(script, transcript), transcript) == ()


def test_a_script_without_a_table_cannot_be_run() -> None:
    """A script made by a program needs a table as well."""
    with pytest.raises(InputFault, match="no table is named"):
        run_shift(shelf().book, Script())


def test_dealing_is_deterministic() -> None:
    """The same script gives the same transcript, event for event."""
    script, transcript = dealt(FILES[0])
    assert run_shift(book_of, script) == transcript
