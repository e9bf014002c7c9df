"""What the subcommands share: dates, tables, JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from fractions import Fraction

import pytest

from taisai.cli.show import bound, dated, grid, print_json


def test_dates_are_read_by_people() -> None:
    """A day, a minute, or that there is none."""
    assert dated(date(2026, 3, 1)) == "2026-03-01"
    assert dated(datetime(2026, 3, 1, 8, 5, tzinfo=UTC)) == "2026-03-01 08:05"
    assert dated(None) == "not dated"


def test_fractions_are_exact_in_json(capfd: pytest.CaptureFixture[str]) -> None:
    """A fraction is written with its exact form beside the number."""
    print_json({"edge": Fraction(1, 36)})
    assert json.loads(capfd.readouterr().out)["edge"]["exact"] == "1/36"


def test_columns_may_be_justified() -> None:
    """A column is a heading, or a heading and a side."""
    table = grid("box", ("pays", "right"), title="odds")
    assert [(column.header, column.justify) for column in table.columns] == [("box", "left"), ("pays", "right")]


@pytest.mark.parametrize(
    ("value", "shown"), [(1.04e-13, "2e-13"), (1e-13, "1e-13"), (9.6e-15, "1e-14"), (0.00021, "3e-4")]
)
def test_a_bound_is_rounded_up(value: float, shown: str) -> None:
    """What is printed of a bound is never under it."""
    assert bound(value).replace("e-0", "e-") == shown
    assert float(bound(value)) >= value
