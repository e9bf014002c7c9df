"""Terms, rules and the procedure of a round as they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.core.rulebook import Device, Fact, Rule, Step, Then, Tumble
from tests.books.helpers import change, lines_of, write_book

TUMBLE = '  { step = "tumble", clause = "3" },\n'


def test_the_procedure_is_what_the_file_says(tmp_path: Path) -> None:
    """Device, tumble, steps, opening check, voids and calls of the small book come out as written."""
    procedure = read_book(write_book(tmp_path / "mini")).procedure
    assert (procedure.device, procedure.tumble, procedure.tumbles_min) == (Device.TUMBLER, Tumble.AFTER_CLOSE, 3)
    assert [each.step for each in procedure.steps][:3] == [Step.OPEN_BETS, Step.CLOSE_BETS, Step.TUMBLE]
    assert [(item.item, item.clauses) for item in procedure.opening] == [("dice", ("3",))]
    assert procedure.then(Fact.EXPOSED) == (Then.VOID_ROUND,)
    assert procedure.then(Fact.DAMAGED_DICE) == (Then.RECORD,)
    assert (procedure.calls.open, procedure.calls.bell) == ("Bets", False)


def test_rows_on_one_rule_or_term_add_up(tmp_path: Path) -> None:
    """A rule or a term may have several rows; their clauses stand behind it together."""
    folder = write_book(tmp_path / "mini")
    change(folder, "book.toml", '{ rule = "minimum", clause = "2" }', '{ rule = "maximum", clause = "5" }')
    change(folder, "book.toml", "terms = [\n", 'terms = [\n  { term = "round", clause = "3" },\n')
    book = read_book(folder)
    assert book.clauses_for(Rule.MAXIMUM) == ("5", "2", "I1")
    assert book.terms == {"round": ("3", "1")}


@pytest.mark.parametrize(
    ("tumble", "before", "fits"),
    [
        ("after-close", '  { step = "uncover"', True),
        ("after-close", '  { step = "open-bets"', False),
        ("before-bets", '  { step = "open-bets"', True),
        ("before-bets", '  { step = "close-bets"', False),
        ("either", '  { step = "open-bets"', True),
        ("either", '  { step = "uncover"', True),
        ("either", '  { step = "announce"', False),
    ],
)
def test_the_tumble_stands_where_its_time_is(tmp_path: Path, tumble: str, before: str, *, fits: bool) -> None:
    """The step tumble comes before the bets or between close and uncovering, as the key `tumble` says."""
    folder = change(write_book(tmp_path / "mini"), "book.toml", TUMBLE, "")
    change(folder, "book.toml", before, TUMBLE + before)
    change(folder, "book.toml", '"after-close"', f'"{tumble}"')
    if fits:
        assert read_book(folder).procedure.tumble == tumble
    else:
        assert "step tumble is in the wrong place" in "".join(lines_of(folder))


def test_what_is_over_a_limit_is_shared_out_or_stands(tmp_path: Path) -> None:
    """A book cannot have an accepted bet cut and stand whole."""
    folder = write_book(tmp_path / "mini")
    row = '{ rule = "minimum", clause = "2" }'
    change(folder, "book.toml", row, f'{row},\n  {{ rule = "excess-stands", clause = "2" }}')
    assert read_book(folder).has(Rule.EXCESS_STANDS)
    change(folder, "book.toml", row, f'{row},\n  {{ rule = "pro-rata", clause = "2" }}')
    assert any("`pro-rata` or `excess-stands`, not both" in line for line in lines_of(folder))
