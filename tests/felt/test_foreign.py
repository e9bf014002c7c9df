"""Foreign books: a layout without a plan, odds of all sorts, and text that means harm."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from taisai.books import Shelf
from taisai.core.boxes import Kind
from taisai.felt import draw, plan_for
from tests.felt.reading import boxes_of, foreign, order_of, root_of, row_of, text_of, with_class

HOSTILE = [
    "</text><script>alert(1)</script>",
    '"><svg onload="alert(1)">',
    "& &amp; ]]> <!-- --> <![CDATA[",
    "null\x00 bell\x07 escape\x1b tab\t line\n",
    "turned \u202e around \ufeff \ud800 \uffff",
    "' style='fill:red",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_a_book_is_only_text(text: str) -> None:
    """Names and titles of a foreign book can neither open an element nor break the document."""
    layout = foreign(row_of(text, "small", 1), row_of("Big", "big", 1), title=text)
    layout = replace(layout, book_id=text)
    svg = draw(layout, labels=True, title=text, amount=lambda _: text)
    root = root_of(svg)
    svg.encode()
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        *("svg", "title", "defs", "linearGradient", "radialGradient", "stop", "symbol", "rect", "circle", "g"),
        *("use", "text", "polyline"),
    }
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or name == "style"]
    assert len(with_class(root, "callout")) == 2
    assert "\u202e" not in svg


def test_text_is_kept_where_it_is_harmless() -> None:
    """Accents, other scripts and signs come through as they are."""
    layout = foreign(row_of("Größe & Glück — «大小»", "small", 1))
    (tag,) = with_class(root_of(draw(layout, labels=True)), "callout")
    assert tag.attrib["data-bet"] == "Größe & Glück — «大小»"


def test_a_layout_without_a_plan_is_arranged_kind_by_kind(shelf: Shelf) -> None:
    """Even chances on top, then kind by kind in ascending order, singles with their odds at the bottom."""
    layout = replace(shelf.layout("nz-division-9/2"), felt=None)
    plan = plan_for(layout)
    tops = {
        kind: min(block.y for block in plan.blocks if block.boxes[0] and block.boxes[0].kind is kind)
        for kind in layout.kinds
    }
    assert tops[Kind.SMALL] == tops[Kind.BIG] == tops[Kind.ODD] == tops[Kind.ANY_TRIPLE] == 0
    rows = [Kind.TRIPLE, Kind.DOUBLE, Kind.TOTAL, Kind.PAIR, Kind.THREE, Kind.FOUR, Kind.SINGLE]
    assert [tops[kind] for kind in rows] == sorted(tops[kind] for kind in rows)
    assert order_of(plan, Kind.TOTAL) == [[str(total) for total in range(4, 18)]]
    doubles, singles = order_of(plan, Kind.THREE)
    assert (len(doubles), len(singles)) == (30, 20)
    headings = {text_of(text) for text in with_class(root_of(draw(layout)), "heading")}
    assert headings == {
        "ON EACH 2 DICE COMBINATION 1 WINS 6",
        "1 WINS 60",
        "1 WINS 30",
        "1 WINS 7",
        "1 TO 1 ON ONE DIE · 2 TO 1 ON TWO DICE · 12 TO 1 ON THREE DICE",
    }


def test_a_plan_of_the_book_is_kept(shelf: Shelf) -> None:
    """Where the book has a plan, that is the plan."""
    layout = shelf.layout("rws-tai-sai-v6/E")
    assert plan_for(layout) is layout.felt


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
    assert {"1 TO 1 ON ONE DIE", "2 TO 1 ON TWO DICE", "30 TO 1 ON THREE DICE"} <= set(one.lines)
    assert "1 WINS 2" in two.lines


def test_felts_do_not_depend_on_the_run(shelf: Shelf) -> None:
    """Another process, with another order of sets, draws the same bytes."""
    code = """
from hashlib import sha256
from taisai.books import open_shelf
from taisai.felt import draw
print(sha256(draw(open_shelf(environment={}).layout("rws-tai-sai-v6/E"), labels=True).encode()).hexdigest())
"""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    here = hashlib.sha256(draw(shelf.layout("rws-tai-sai-v6/E"), labels=True).encode()).hexdigest()
    assert run.stdout.strip() == here
