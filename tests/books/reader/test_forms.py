"""Rows as typed forms, and the words for what keeps a row from being one."""

from __future__ import annotations

from datetime import date, time

import pytest

from taisai.books.reader.forms import CallsForm, DutyForm, Flaw, PayForm, RuleForm, quoted, read_form


def test_a_row_becomes_its_form() -> None:
    """A table with the right keys is the form, with what is left out at its default."""
    row = read_form({"bet": "Small", "boxes": "small", "pays": 1, "clause": ["4", "5"]}, PayForm)
    assert row == PayForm("Small", "small", 1, ["4", "5"], None, None, None)


def test_every_flaw_is_named() -> None:
    """Unknown keys, missing keys and wrong values of one row come together."""
    found = read_form({"clauze": "4", "duty": [], "room": "a\nb"}, DutyForm)
    assert isinstance(found, list)
    assert found == [
        Flaw("", "clauze", "unknown key 'clauze'; known are clause, duty, room"),
        Flaw("", "", "missing key `clause`"),
        Flaw("", "duty", "`duty` must be a list of one or more of data, rule, record, show, people, got []"),
        Flaw("", "room", "`room` must be a line of text, got 'a\\nb'"),
    ]


def test_a_long_list_of_names_is_not_recited() -> None:
    """Of a closed list of many names the message gives the one that comes near."""
    found = read_form({"rule": "minimun", "clause": "2"}, RuleForm)
    assert found == [Flaw("", "rule", "unknown rule 'minimun'; did you mean minimum?")]


def test_what_is_no_table_is_said_so() -> None:
    """A row that is a text or a number is no table."""
    assert read_form("small", CallsForm) == [Flaw("", "", "must be a table of keys and values, got 'small'")]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (1.5, "1.5"),
        ("a", "'a'"),
        (date(2024, 1, 2), "2024-01-02"),
        (time(8, 0), "08:00:00"),
        ({"a": 1}, "a table"),
        ("x" * 50, "'" + "x" * 38 + "…"),
    ],
)
def test_values_are_quoted_as_the_file_writes_them(value: object, written: str) -> None:
    """A message shows a value near to how TOML has it, and short."""
    assert quoted(value) == written
