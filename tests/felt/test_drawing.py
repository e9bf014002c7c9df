"""The felt as one document: ids, bytes, lights, title."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from taisai.books import Shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.dice import ALL_COMBINATIONS, ALL_ROLLS, roll_of
from taisai.core.faults import InputFault
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.felt import RED, draw, draw_untitled
from tests.felt.reading import SVG, boxes_of, foreign, names_in, root_of, row_of, with_class


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


@pytest.mark.clause("nz-division-9 §3.3(b)")
def test_lit_areas_are_the_winning_boxes(layout: Layout) -> None:
    """On every combination the lit areas are exactly the boxes that win, and all others are dim."""
    lit_of = {}
    for roll in ALL_COMBINATIONS:
        svg = draw(layout, roll=roll)
        lit_of[roll.faces] = set(layout.lit(roll))
        assert names_in(svg, "lit") == lit_of[roll.faces], roll
        assert names_in(svg, "dim") == set(layout.boxes) - lit_of[roll.faces], roll
    assert all(set(layout.lit(roll)) == lit_of[roll.low_to_high] for roll in ALL_ROLLS)


@pytest.mark.clause("rws-tai-sai-v6 §I8")
def test_a_box_lights_in_all_its_areas(shelf: Shelf) -> None:
    """On layout E both areas of a box light."""
    drawn = boxes_of(draw(shelf.layout("rws-tai-sai-v6/E"), roll=roll_of([1, 3, 6])))
    lit = [box.name for box in drawn if "lit" in box.classes]
    assert sorted(lit) == sorted(
        [
            *["small", "pair:13", "pair:16", "pair:36", "single:1", "single:3", "single:6", "total:10"] * 2,
            *["three:136", "four:1236", "four:1346", "four:1356"],
        ]
    )


def test_without_a_roll_nothing_is_lit(layout: Layout) -> None:
    """A felt at rest has neither lit nor dim areas."""
    svg = draw(layout)
    assert {tuple(box.classes) for box in boxes_of(svg)} == {("box",)}
    assert not with_class(root_of(svg), "glow")


def test_a_roll_may_light_nothing() -> None:
    """A roll without a winner dims every area."""
    layout = foreign(row_of("Small", "small", 1))
    svg = draw(layout, roll=roll_of([6, 6, 6]))
    assert names_in(svg, "lit") == set()
    assert names_in(svg, "dim") == {"small"}
    assert not with_class(root_of(svg), "glow")


def bets_on(layout: Layout) -> list[Bet]:
    """A few bets, from small to absurd."""
    names = enumerate([*layout.boxes][:7])
    return [Bet(PlayerId(f"player {place % 9}"), name, Chips(25 * 10**place)) for place, name in names]


def with_everything(layout: Layout) -> str:
    """All that can be shown, shown at once."""
    return draw(
        layout,
        roll=roll_of([1, 3, 6]),
        bets=bets_on(layout),
        labels=True,
        heat=True,
        title="all",
        prefix="second",
    )


def test_a_title_that_comes_later_gives_the_same_felt(layout: Layout) -> None:
    """One drawing takes any title, and the bytes are those of a felt that is drawn with it."""
    for roll in (None, roll_of([2, 2, 5])):
        felt = draw_untitled(layout, roll=roll, labels=True, band=True)
        for title in ("Table 7", "<title-here/>", "long " * 80):
            assert felt.titled(title) == draw(layout, roll=roll, labels=True, title=title)
    assert draw_untitled(layout).titled("") == draw(layout)


def test_documents_stand_alone(layout: Layout) -> None:
    """Well-formed, small, with a view box; no script, no event, no style, no reference to anything outside."""
    for svg in (
        draw(layout),
        draw(layout, roll=roll_of([1, 3, 6]), title="Table 7"),
        draw(layout, heat=True, palette=RED),
        with_everything(layout),
    ):
        root = root_of(svg)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        assert len(root.attrib["viewBox"].split()) == 4
        assert len(svg.encode()) < 150_000
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(ids) == len(set(ids))
        used = set()
        for element in root.iter():
            assert element.tag not in {f"{SVG}script", f"{SVG}style", f"{SVG}image", f"{SVG}foreignObject"}
            for name, value in element.attrib.items():
                assert not name.startswith("on")
                assert name != "style"
                if "url(" in value or name == "href":
                    used.add(value.removeprefix("url(").removesuffix(")"))
        assert used <= {f"#{name}" for name in ids}


def test_equal_felts_are_equal_bytes(layout: Layout) -> None:
    """The same arguments give the same document."""
    assert with_everything(layout) == with_everything(layout)


def test_ids_follow_the_prefix(shelf: Shelf) -> None:
    """Two felts fit on one page; a second area of a box has an id of its own and the same data-box."""
    boxes = boxes_of(draw(shelf.layout("rws-tai-sai-v6/E"), prefix="left"))
    assert [(box.name, box.id) for box in boxes if box.name == "total:9"] == [
        ("total:9", "left-total-9"),
        ("total:9", "left-total-9-2"),
    ]


@pytest.mark.parametrize("prefix", ["", "7up", "a b", "x)", '"', "é"])
def test_a_prefix_must_be_an_id(shelf: Shelf, prefix: str) -> None:
    """What cannot begin an id is refused by name."""
    with pytest.raises(InputFault, match="prefix"):
        draw(shelf.layout("rws-mini-dice-v3/A"), prefix=prefix)
