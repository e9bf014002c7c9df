"""Where the boxes lie on the cloth."""

from __future__ import annotations

from taisai.books.reader.definitions import standard_definitions
from taisai.books.reader.felt_plan import Payouts, read_felt
from taisai.books.reader.forms import FeltForm
from taisai.core.boxes import BoxName
from taisai.core.cloth import FeltPlan, PrintLine, PrintRole, Side, Tone

SMALL = {"at": [0, 0, 4, 2], "boxes": "small"}
DOUBLES = {"at": [4, 0, 4, 2], "boxes": "double: 1 - 2"}
PAYOUTS = {BoxName("small"): ("1",), BoxName("double:1"): ("8",), BoxName("double:2"): ("8",)}


def read(
    *blocks: object, payouts: Payouts | None = PAYOUTS, prints: dict[str, list[str]] | None = None
) -> tuple[FeltPlan | None, list[str]]:
    """The plan of a cloth of 8 by 2 cells, and its faults as `block: reason`."""
    faults: list[str] = []
    form = FeltForm((8, 2), list(blocks), prints or {})
    plan = read_felt(form, standard_definitions(), payouts, lambda reason, row: faults.append(f"{row}: {reason}"))
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
    assert read(SMALL, payouts=None)[1] == []


def test_labels_are_of_a_family_or_of_a_block() -> None:
    """`print` has the labels of every block of a family; a block may have its own, a heading, a side and a tone."""
    plan, faults = read(
        {**SMALL, "print": ["name: KLEIN"], "tone": "red", "section": "Chances"},
        {**DOUBLES, "heading": "EACH PAYS {pays}", "side": "above"},
        prints={"small": ["name: SMALL"], "double": ["dice: {a}{a}", "name: DOUBLE {A}"]},
    )
    assert faults == []
    assert plan is not None
    small, doubles = plan.blocks
    assert (small.lines, small.tone, small.section) == ((PrintLine(PrintRole.NAME, "KLEIN"),), Tone.RED, "Chances")
    assert doubles.lines == (PrintLine(PrintRole.DICE, "{a}{a}"), PrintLine(PrintRole.NAME, "DOUBLE {A}"))
    assert (doubles.heading, doubles.side) == ("EACH PAYS {pays}", Side.ABOVE)


def test_a_label_that_cannot_be_printed_is_named() -> None:
    """Unknown roles and placeholders, faces that a box does not have, headings that differ: each with its reason."""
    wrong = {
        "big: SMALL": "a label is one of name, character, range, odds, note, dice, numbers, a colon and its words, "
        "got 'big: SMALL'",
        "name: {x}": "unknown placeholder {x} in '{x}'; there are n, a to d, A to D, pays, pays2, pays3",
        "name: {a": "the braces of '{a' do not match",
        "name: {a}": "small has nothing to print for {a} in '{a}'",
        "odds: {pays2} TO 1": "small has nothing to print for {pays2} in '{pays2} TO 1'",
        "dice: 17": "`dice: 17` may print 123456 and spaces only",
    }
    for text, reason in wrong.items():
        assert read({**SMALL, "print": [text]}, DOUBLES)[1] == [f"0: {reason}"]
    payouts = {**PAYOUTS, BoxName("double:2"): ("9",)}
    assert read(SMALL, {**DOUBLES, "heading": "PAYS {pays}"}, payouts=payouts)[1] == [
        "1: the heading says 'PAYS 8' for double:1 and 'PAYS 9' for double:2"
    ]
    assert read({**SMALL, "side": "above"}, DOUBLES)[1] == [
        "0: `side` says where a heading stands, and there is no `heading`"
    ]
    assert read(SMALL, DOUBLES, prints={"total": ["name: {n}"]})[1] == [
        "None: `print` has labels for 'total', of which no block has a box"
    ]
