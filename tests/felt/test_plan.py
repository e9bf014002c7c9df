"""Plans: those of the books, and any other."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taisai.books import Shelf
from taisai.core.boxes import Box, BoxName
from taisai.core.cloth import FeltBlock, FeltPlan
from taisai.core.rulebook import Layout, PayRow
from taisai.felt import areas_of, draw, plan_for
from taisai.felt.plan import Area
from tests.core.samples import ALL_BOXES, parse_boxes
from tests.felt.reading import foreign, misfits, order_of, pairs_of, root_of, text_of, with_class

every_box = st.sampled_from(sorted(ALL_BOXES.values(), key=lambda box: box.name))


def paid(boxes: list[Box], most: int) -> tuple[PayRow, ...]:
    """Each box with a row and odds of its own."""
    return tuple(PayRow(f"Bet {place}", (box,), 1 + most // (place + 1), ("1",)) for place, box in enumerate(boxes))


@settings(max_examples=40, deadline=None)
@given(st.lists(every_box, min_size=1, max_size=60, unique=True), st.integers(0, 10**6), st.booleans())
def test_any_layout_fits_without_a_plan(boxes: list[Box], most: int, heat: bool) -> None:
    """Whatever bets a foreign book has and whatever they pay, its plain arrangement holds all of them."""
    layout = foreign(*paid(boxes, most))
    areas = areas_of(plan_for(layout))
    assert {area.box.name for area in areas} == set(layout.boxes)
    assert not [one for one, two in pairs_of([area.rect for area in areas]) if one.overlaps(two)]
    assert misfits(draw(layout, heat=heat)) == []


@pytest.mark.parametrize(("wide", "high"), [(4, 200), (200, 4), (1, 1), (30, 30)])
def test_any_plan_fits(shelf: Shelf, wide: int, high: int) -> None:
    """A plan with areas of any shape, however narrow, is drawn within them, chips and names included."""
    layout = shelf.layout("rws-tai-sai-v6/C")
    boxes = tuple(layout.boxes.values())
    plan = FeltPlan(wide, high, (FeltBlock(0, 0, wide, high, max(1, round((len(boxes) * wide / high) ** 0.5)), boxes),))
    odd_one = replace(layout, felt=plan)
    assert misfits(draw(odd_one)) == []
    assert misfits(draw(odd_one, heat=True)) == []
    assert root_of(draw(odd_one, labels=True)).tag.endswith("svg")


def test_a_layout_without_a_plan_is_arranged_family_by_family(shelf: Shelf) -> None:
    """Bets of one box on top, then each family in the order of the pay table with its name and odds above."""
    layout = replace(shelf.layout("nz-division-9/2"), felt=None)
    plan = plan_for(layout)
    tops: dict[str, int] = {}
    for area in areas_of(plan):
        tops.setdefault(area.box.name.partition(":")[0], plan.blocks[area.block].y)
    assert tops["small"] == tops["big"] == tops["odd"] == tops["any-triple"] == 0
    families = ["triple", "double", "total", "pair", "single", "three", "four"]
    assert [tops[family] for family in families] == sorted(tops[family] for family in families)
    assert order_of(plan, "total") == [[str(total) for total in (4, 17, 5, 16, 6, 15, 7, 14, 8, 13, 9, 12, 10, 11)]]
    headings = {text_of(text).replace("\u00a0", " ") for text in with_class(root_of(draw(layout)), "heading")}
    assert headings == {
        "DICE COMBINATIONS · 1 WINS 6",
        "TRIPLES · 1 WINS 180",
        "DOUBLES · 1 WINS 11",
        "FOUR NUMBER COMBINATIONS · 1 WINS 7",
        "INDIVIDUAL DIE FACE VALUES · 1 TO 1 ON ONE DIE · 2 TO 1 ON TWO DICE · 12 TO 1 ON THREE DICE",
    }


def test_a_plan_of_the_book_is_kept(shelf: Shelf) -> None:
    """Where the book has a plan, that is the plan."""
    layout = shelf.layout("rws-tai-sai-v6/E")
    assert plan_for(layout) is layout.felt


UP = [str(total) for total in range(4, 18)]
PAIRS_UP = ["12", "13", "14", "15", "16", "23", "24", "25", "26", "34", "35", "36", "45", "46", "56"]
PAIRS_DOWN = ["56", "46", "45", "36", "35", "34", "26", "25", "24", "23", "16", "15", "14", "13", "12"]
DOUBLES_WITH_SINGLE = [
    *["113", "114", "115", "116", "-", "221", "223", "224", "225", "226", "331", "332", "334", "335", "336"],
    *["441", "442", "443", "445", "446", "551", "552", "553", "554", "556", "661", "662", "663", "664", "-"],
]


THREE_SINGLES = [
    *["126", "135", "234", "256", "346", "123", "136", "145", "235", "356"],
    *["124", "146", "236", "245", "456", "125", "134", "156", "246", "345"],
]


FIFTEEN_FOURS = [
    *["3456", "2456", "2356", "2346", "2345", "1456", "1356", "1346"],
    *["1345", "1256", "1246", "1245", "1236", "1235", "1234"],
]
"""As box names; the felt prints each from its highest face: 6543 6542 6532 6432 5432 6541 ... 4321."""


def plan_of(shelf: Shelf, name: str) -> FeltPlan:
    """The plan that the book itself gives."""
    layout = shelf.layout(name)
    assert layout.felt is not None
    return layout.felt


def at(plan: FeltPlan, name: str) -> list[Area]:
    """The areas of a box, from the left."""
    return sorted((area for area in areas_of(plan) if area.box.name == name), key=lambda area: area.rect.x)


def left_to_right(plan: FeltPlan, *names: str) -> bool:
    """Whether these boxes lie beside each other in this order."""
    places = [at(plan, name)[0].rect for name in names]
    return all(one.right <= two.x + 1e-6 for one, two in pairwise(places))


def top_to_bottom(plan: FeltPlan, *names: str) -> bool:
    """Whether these boxes lie below each other in this order."""
    places = [at(plan, name)[0].rect for name in names]
    return all(one.bottom <= two.y + 1e-6 for one, two in pairwise(places))


@pytest.mark.clause("nz-division-9 §3.2")
def test_every_box_has_an_area(layout: Layout) -> None:
    """Each wager of the pay table has at least one area, and no area is for anything else."""
    assert {area.box.name for area in areas_of(plan_for(layout))} == set(layout.boxes)


def test_no_two_areas_overlap(layout: Layout) -> None:
    """A chip can only lie in one area, and every area is on the cloth."""
    plan = plan_for(layout)
    areas = areas_of(plan)
    assert not [(one, two) for one, two in pairs_of([area.rect for area in areas]) if one.overlaps(two)]
    height = 1600 * plan.height / plan.width
    assert all(rect.x >= 0 and rect.right <= 1600.001 for _, rect, _, _ in areas)
    assert all(rect.y >= 0 and rect.bottom <= height + 0.001 for _, rect, _, _ in areas)


def test_cloths_have_the_shape_of_a_table(layout: Layout) -> None:
    """About twice as wide as high."""
    plan = plan_for(layout)
    assert 1.8 <= plan.width / plan.height <= 2.2


@pytest.mark.clause("nz-division-9 §App. 1")
def test_new_zealand_1(shelf: Shelf) -> None:
    """Small at the left, everything ascending, Big at the right, singles below."""
    plan = plan_of(shelf, "nz-division-9/1")
    assert order_of(plan, "double") == [["1", "2", "3"], ["4", "5", "6"]]
    assert order_of(plan, "triple") == [["1", "2", "3"], ["4", "5", "6"]]
    assert order_of(plan, "total") == [UP]
    assert order_of(plan, "pair") == [PAIRS_UP]
    assert order_of(plan, "single") == [["1", "2", "3", "4", "5", "6"]]
    assert left_to_right(
        plan, "small", "double:1", "double:2", "double:3", "triple:2", "any-triple", "triple:5", "double:4", "big"
    )
    assert top_to_bottom(plan, "triple:1", "triple:2", "triple:3", "total:9", "pair:26", "single:4")


@pytest.mark.clause("rws-open-cover-v3 §App. A", "rws-tai-sai-v6 §App. A")
@pytest.mark.parametrize("name", ["rws-open-cover-v3/A", "rws-tai-sai-v6/A"])
def test_resorts_world_a(shelf: Shelf, name: str) -> None:
    """The mirror image: Big at the left, totals from 17 down to 4, Small at the right."""
    plan = plan_of(shelf, name)
    assert order_of(plan, "double") == [["6", "5", "4"], ["3", "2", "1"]]
    assert order_of(plan, "triple") == [["4", "5", "6"], ["1", "2", "3"]]
    assert order_of(plan, "total") == [UP[::-1]]
    assert order_of(plan, "pair") == [PAIRS_DOWN]
    assert order_of(plan, "single") == [["6", "5", "4", "3", "2", "1"]]
    assert left_to_right(plan, "big", "double:6", "double:4", "triple:4", "any-triple", "triple:1", "double:3", "small")
    assert top_to_bottom(plan, "triple:4", "triple:5", "triple:6", "total:11", "pair:26", "single:4")


@pytest.mark.clause(
    "rws-open-cover-v3 §App. B", "rws-tai-sai-v6 §App. C", "rws-open-cover-v3 §I3", "rws-tai-sai-v6 §I3"
)
@pytest.mark.parametrize("name", ["rws-open-cover-v3/B", "rws-tai-sai-v6/C"])
def test_resorts_world_b_and_c(shelf: Shelf, name: str) -> None:
    """Ten rows of three dice at the left, Even and Odd on top, Big and Small around the doubles and triples."""
    plan = plan_of(shelf, name)
    assert order_of(plan, "three") == [DOUBLES_WITH_SINGLE, THREE_SINGLES]
    assert order_of(plan, "total") == [UP[::-1]]
    assert order_of(plan, "pair") == [PAIRS_DOWN]
    assert order_of(plan, "four") == [["3456", "2356", "2345", "1234"]]
    for kind in ("double", "triple", "single"):
        assert order_of(plan, kind) == [["6", "5", "4", "3", "2", "1"]]
    assert left_to_right(plan, "three:226", "even", "odd")
    assert left_to_right(plan, "three:226", "big", "triple:6", "triple:1", "small")
    assert top_to_bottom(plan, "even", "big", "total:17", "pair:56", "four:3456", "single:6")
    assert top_to_bottom(
        plan, "three:113", "three:221", "three:331", "three:441", "three:551", "three:661", "three:126"
    )
    assert top_to_bottom(plan, "three:126", "three:123", "three:124", "three:125")


@pytest.mark.clause("nz-division-9 §App. 2", "nz-division-9 §I10")
def test_new_zealand_2(shelf: Shelf) -> None:
    """The same areas unmirrored: Odd and Small at the left, Big and Even at the right, all thirty doubles."""
    plan = plan_of(shelf, "nz-division-9/2")
    doubles, singles = order_of(plan, "three")
    assert doubles == [
        f"{double}{double}{single}" for double in range(1, 7) for single in range(1, 7) if single != double
    ]
    assert singles == THREE_SINGLES
    assert order_of(plan, "total") == [UP]
    assert order_of(plan, "pair") == [PAIRS_UP]
    assert order_of(plan, "four") == [["1234", "2345", "2356", "3456"]]
    for kind in ("double", "triple", "single"):
        assert order_of(plan, kind) == [["1", "2", "3", "4", "5", "6"]]
    assert left_to_right(plan, "odd", "small", "any-triple", "big", "even", "three:112")


@pytest.mark.clause("rws-tai-sai-v6 §App. E", "rws-tai-sai-v6 §I8")
def test_resorts_world_e(shelf: Shelf) -> None:
    """Both wings have the same boxes, mirrored; three dice in the middle, the fifteen fours along the bottom."""
    plan = plan_of(shelf, "rws-tai-sai-v6/E")
    assert order_of(plan, "total") == [
        ["10", "9", "8", "7", "6", "5", "4", "11", "12", "13", "14", "15", "16", "17"],
        ["4", "5", "6", "7", "8", "9", "10", "17", "16", "15", "14", "13", "12", "11"],
    ]
    assert order_of(plan, "three") == [THREE_SINGLES, DOUBLES_WITH_SINGLE]
    assert order_of(plan, "four") == [FIFTEEN_FOURS]
    assert order_of(plan, "single") == [["6", "5", "4", "3", "2", "1"], ["1", "2", "3", "4", "5", "6"]]
    assert order_of(plan, "triple") == [["6", "5", "4", "3", "2", "1"], ["1", "2", "3", "4", "5", "6"]]
    assert left_to_right(plan, "big", "small", "any-triple", "three:126")
    assert top_to_bottom(plan, "big", "triple:6", "pair:56", "total:10", "total:11", "single:6", "four:3456")
    for name in plan_names(plan, "three", "four"):
        assert len(at(plan, name)) == 1
    for name in plan_names(plan) - plan_names(plan, "three", "four"):
        left, right = at(plan, name)
        assert left.rect.x == pytest.approx(1600 - right.rect.right)
        assert left.rect.y == pytest.approx(right.rect.y)


def plan_names(plan: FeltPlan, *kinds: str) -> set[BoxName]:
    """The boxes of a plan; of these kinds, if any are named."""
    return {area.box.name for area in areas_of(plan) if not kinds or area.box.kind in kinds}


@pytest.mark.clause("rws-mini-dice-v3 §App. A", "rws-mini-dice-v3 §I20")
def test_mini_dice(shelf: Shelf) -> None:
    """Six singles and the field."""
    plan = plan_of(shelf, "rws-mini-dice-v3/A")
    assert order_of(plan, "single") == [["1", "2", "3", "4", "5", "6"]]
    assert top_to_bottom(plan, "single:1", "field")


def test_areas_are_cut_as_the_plan_says() -> None:
    """Left to right, top to bottom, an empty place stays empty, a second area of a box is its second copy."""
    boxes = parse_boxes("total: 4 5 6")
    plan = FeltPlan(
        10, 5, (FeltBlock(0, 0, 4, 4, 2, (*boxes[:2], None, boxes[2])), FeltBlock(6, 0, 4, 4, 1, boxes[:1]))
    )
    areas = areas_of(plan)
    assert [(area.box.name, area.copy, area.block) for area in areas] == [
        ("total:4", 1, 0),
        ("total:5", 1, 0),
        ("total:6", 1, 0),
        ("total:4", 2, 1),
    ]
    assert [tuple(area.rect) for area in areas[:3]] == [(0, 0, 320, 320), (320, 0, 320, 320), (320, 320, 320, 320)]
