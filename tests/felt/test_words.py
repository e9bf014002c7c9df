"""What the felt says: odds, titles, percentages."""

from __future__ import annotations

import re

import pytest

from taisai.books import Shelf, open_shelf
from taisai.core.dice import ALL_ROLLS
from taisai.core.rulebook import Layout, RuleBook
from taisai.felt import areas_of, draw, plan_for, words
from tests import ROOT
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
        said = " ".join([*lines, words.heading_of(layout, block, rows)])
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


def house_of(book_id: str) -> RuleBook:
    """An example book."""
    return open_shelf([ROOT / "examples" / "books"], environment={}).book(book_id)


def test_a_book_prints_its_labels_and_sections_in_the_language_that_is_asked_for() -> None:
    """Labels, headings and sections are those of the translation; boxes and odds stay the same."""
    book = house_of("macau-fish-prawn-crab")
    own = book.layouts["1"]
    translated = draw(own.in_words(book.names_in("zh-Hant")))
    assert [box.name for box in boxes_of(translated)] == [box.name for box in boxes_of(draw(own))]
    (red,) = (box for box in boxes_of(translated) if box.name == "red-once")
    assert red.lines == ("紅色一次", "1 賠 1")
    assert red.title.startswith("紅色一次")
    headings = [each.text for each in with_class(root_of(translated), "heading") if each.text]
    assert "一粒 1 賠 1 • 兩粒 1 賠 2 • 三粒 1 賠 3" in " ".join(headings)
    assert 'data-section="顏色"' in translated
    assert not re.search("ONCE|TWICE|TO 1", translated)


def test_plain_print_of_a_book_speaks_the_language_too() -> None:
    """Where a book prints nothing of its own, odds and cases are those of the package's names in that language."""
    layout = foreign(row_of("Ones", "single: 1", 1, dice=1), row_of("Ones", "single: 1", 30, dice=3))
    names = house_of("crown-and-anchor").names_in("zh-Hans")
    (one,) = boxes_of(draw(layout.in_words(names)))
    assert {"一粒 1 赔 1", "三粒 1 赔 30"} <= set(one.lines)


def test_odds_for_one_are_printed_as_the_book_writes_them() -> None:
    """A house that pays 60 for 1 does not promise 59 to 1."""
    svg = draw(house_of("grand-hazard").layouts["1"])
    assert "60 FOR 1" in svg
    assert "1 WINS 59" not in svg


def test_a_row_says_by_its_own_words_when_it_pays() -> None:
    """The words of a row stand on the cloth and in the title, not its predicate."""
    svg = draw(house_of("thai-hilo").layouts["1"])
    assert "1 TO 1 ON ANY TWO OF THEM" in svg.replace("\n", " ")
    assert "n(1)" not in svg


def test_a_part_that_a_translation_does_not_name_is_called_by_its_kinds(shelf: Shelf) -> None:
    """Sections of the package's books are told in Chinese by the kinds of bets that lie there."""
    book = shelf.book("rws-tai-sai-v6")
    layout = book.layouts["C"]
    plan = plan_for(layout)
    own, told = (
        words.sections_of(each, plan, words.rows_of(layout))
        for each in (layout, layout.in_words(book.names_in("zh-Hant")))
    )
    assert len(set(told)) == len(set(own))
    assert {"總和", "兩骰組合"} <= set(told)
    assert not any(re.search("[A-Za-z]", each) for each in told)
