"""Where the boxes lie on the cloth."""

from __future__ import annotations

from taisai.books.reader.felt_plan import read_felt
from taisai.books.reader.forms import FeltForm
from taisai.core.boxes import BoxName
from taisai.core.rulebook import FeltPlan

SMALL = {"at": [0, 0, 4, 2], "boxes": "small"}
DOUBLES = {"at": [4, 0, 4, 2], "boxes": "double: 1 - 2"}
NAMES = frozenset(map(BoxName, ("small", "double:1", "double:2")))


def read(*blocks: object, names: frozenset[BoxName] | None = NAMES) -> tuple[FeltPlan | None, list[str]]:
    """The plan of a cloth of 8 by 2 cells, and its faults as `block: reason`."""
    faults: list[str] = []
    plan = read_felt(FeltForm((8, 2), list(blocks)), names, lambda reason, row: faults.append(f"{row}: {reason}"))
    return plan, faults


def test_blocks_hold_boxes_in_order() -> None:
    """A block has its boxes from left to right, an empty place among them, and as many columns unless it says so."""
    plan, faults = read(SMALL, DOUBLES)
    assert faults == []
    assert plan is not None
    assert [(block.x, block.columns) for block in plan.blocks] == [(0, 1), (4, 3)]
    assert [box and box.name for box in plan.blocks[1].boxes] == ["double:1", None, "double:2"]


def test_a_box_may_lie_twice() -> None:
    """Two areas of one box are no fault."""
    plan, faults = read({"at": [0, 0, 2, 2], "boxes": "small"}, {"at": [2, 0, 2, 2], "boxes": "small"}, DOUBLES)
    assert faults == []
    assert plan is not None
    assert len(plan.blocks) == 3


def test_every_fault_of_the_blocks_is_named() -> None:
    """Blocks that overlap, reach off the cloth, hold a box of another layout or none at all are named by their row."""
    plan, faults = read(
        SMALL, {"at": [3, 0, 6, 2], "boxes": "big"}, {"at": [0, 0, 1, 1], "boxes": "total: -"}, {"boxes": "small"}
    )
    assert plan is None
    assert faults == [
        "1: big is not in the pay table",
        "1: reaches beyond the cloth, which is 8 wide and 2 high",
        "1: overlaps row 1",
        "2: 'total: -' names no box",
        "3: missing key `at`",
    ]


def test_every_box_of_the_layout_has_an_area() -> None:
    """A box without an area is a fault, unless the boxes of the layout are not known."""
    assert read(SMALL) == (None, ["None: no area for double:1, double:2"])
    assert read(SMALL, names=None)[1] == []
