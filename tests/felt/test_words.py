"""What the felt says: odds, titles, percentages."""

from __future__ import annotations

import re

import pytest

from taisai.books import Shelf
from taisai.core.dice import ALL_ROLLS
from taisai.core.rulebook import Layout
from taisai.felt import areas_of, draw, plan_for, words
from tests.felt.reading import boxes_of, foreign, root_of, row_of, with_class


def test_odds_that_differ_within_a_box_are_all_printed() -> None:
    """A field that pays more on some totals says so in the area, by the cases of the book."""
    layout = foreign(
        row_of("Field", "field", 1, totals=[5, 6, 7, 8, 13, 14]),
        row_of("Field", "field", 3, totals=[15, 16]),
    )
    (field,) = boxes_of(draw(layout))
    assert [line for line in field.lines if " TO 1 ON " in line] == [
        "1 TO 1 ON 5, 6, 7, 8, 13, 14",
        "3 TO 1 ON 15, 16",
    ]
    assert field.title == "Field, pays 1 to 1 on 5, 6, 7, 8, 13, 14, 3 to 1 on 15, 16"


def test_singles_that_pay_differently_say_so_themselves() -> None:
    """Where no one heading holds for all, every single prints its own odds."""
    layout = foreign(
        row_of("Ones", "single: 1", 1, dice=1),
        row_of("Ones", "single: 1", 2, dice=2),
        row_of("Ones", "single: 1", 30, dice=3),
        row_of("Twos", "single: 2", 2),
    )
    svg = draw(layout)
    one, two = boxes_of(svg)
    assert not with_class(root_of(svg), "heading")
    said = " ".join(one.lines)
    assert all(odds in said for odds in ("1 TO 1 ON ONE DIE", "2 TO 1 ON TWO DICE", "30 TO 1 ON THREE DICE"))
    assert "1 WINS 2" in two.lines


PROMISE = re.compile(r"(?:1 WINS |ONE WINS |1\\)(\d+)|(\d+)(?= TO 1 ON)")


@pytest.mark.clause(
    "nz-division-9 §3.2",
    "nz-division-9 §App. 1",
    "nz-division-9 §App. 2",
    "rws-open-cover-v3 §App. A",
    "rws-open-cover-v3 §App. B",
    "rws-open-cover-v3 §I2",
    "rws-tai-sai-v6 §App. A",
    "rws-tai-sai-v6 §App. C",
    "rws-tai-sai-v6 §App. E",
    "rws-mini-dice-v3 §App. A",
)
def test_every_area_prints_its_odds(layout: Layout) -> None:
    """What an area or the heading of its block says it wins is what the layout pays, and nothing else."""
    plan = plan_for(layout)
    rows = words.rows_of(layout)
    for area in areas_of(plan):
        name = area.box.name
        block = plan.blocks[area.block]
        lines = [line.text for line in words.lines_of(layout, block, name, rows[name])]
        said = " ".join([*lines, words.heading_of(block, rows)])
        paid = sorted({pays for roll in ALL_ROLLS if (pays := layout.pays(name, roll)) is not None})
        promised = [int(wins or to) for wins, to in PROMISE.findall(said)]
        assert promised == paid or ("ONE WINS ONE" in said and paid == [1]), name


def test_titles_say_what_an_area_pays(shelf: Shelf) -> None:
    """Each area has a title in words."""
    titles = {box.name: box.title for box in boxes_of(draw(shelf.layout("rws-tai-sai-v6/C")))}
    assert titles["total:9"] == "Total Sum Combination 9, pays 7 to 1"
    assert titles["single:4"] == "Single Dice Bet 4, pays 1 to 1 on one die, 2 to 1 on two dice, 12 to 1 on three dice"
    assert titles["three:221"].endswith("2-2-1, pays 50 to 1")
    assert root_of(draw(shelf.layout("rws-tai-sai-v6/C")))[0].text == "Felt of rws-tai-sai-v6/C, Layout C"
