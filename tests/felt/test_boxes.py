"""The areas: what is printed in each, as the appendices have it, and in which order."""

from __future__ import annotations

import pytest

from taisai.books import Shelf
from taisai.core.cloth import Tone
from taisai.core.rulebook import Layout
from taisai.felt import areas_of, draw, plan_for
from taisai.felt.boxes import tone_of
from tests.felt.reading import boxes_of, foreign, is_chinese, root_of, row_of, with_class

LOSE = "LOSE IF ANY TRIPLE APPEARS"
CHARACTERS = {"big": "大", "small": "小", "odd": "单", "even": "双"}
A = {
    "big": f"BIG ARE NUMBERS 11 TO 17 1 WINS 1 {LOSE} 11點至17點 一贏一 圍骰通吃 大",
    "small": f"SMALL ARE NUMBERS 4 TO 10 1 WINS 1 {LOSE} 4點至10點 一贏一 圍骰通吃 小",
    "double:6": "DOUBLE SIX",
    "double:1": "DOUBLE ONE",
    "triple:4": "TRIPLE FOUR",
    "triple:3": "TRIPLE THREE",
    "any-triple": "ANY TRIPLE",
    "total:17": "17 1\\62",
    "total:9": "9 1\\7",
    "pair:56": "5 AND 6",
    "pair:12": "1 AND 2",
    "single:6": "SIX",
}
C = {
    "even": f"EVEN 1 WINS 1 {LOSE}",
    "odd": f"ODD 1 WINS 1 {LOSE}",
    "big": f"BIG NUMBERS 11 TO 17 1 WINS 1 {LOSE}",
    "small": f"SMALL NUMBERS 4 TO 10 1 WINS 1 {LOSE}",
    "any-triple": "ANY TRIPLE 1 WINS 31",
    "triple:6": "1 WINS 180",
    "double:6": "1 WINS 11",
    "total:17": "17 1 WINS 62",
    "pair:56": "1 WINS 6",
    "four:3456": "6 5 4 3 1 WINS 7",
    "three:113": "113",
    "three:126": "126",
}
LABELS = {
    "nz-division-9/1": {
        "small": f"SMALL ARE NUMBERS 4 TO 10 1 WINS 1 {LOSE}",
        "big": f"BIG ARE NUMBERS 11 TO 17 1 WINS 1 {LOSE}",
        "double:1": "DOUBLE ONE",
        "double:6": "DOUBLE SIX",
        "triple:1": "TRIPLE ONE",
        "triple:6": "TRIPLE SIX",
        "any-triple": "ANY TRIPLE",
        "total:4": "4 1 WINS 62",
        "pair:12": "1 AND 2",
        "pair:56": "5 AND 6",
        "single:1": "ONE",
        "single:6": "SIX",
    },
    "nz-division-9/2": {
        "odd": f"ODD ONE WINS ONE {LOSE}",
        "small": f"SMALL 4 - 10 ONE WINS ONE {LOSE}",
        "total:4": "4 ONE WINS 62",
        "three:112": "112",
    },
    "rws-open-cover-v3/A": A,
    "rws-tai-sai-v6/A": A,
    "rws-open-cover-v3/B": C,
    "rws-tai-sai-v6/C": C,
    "rws-tai-sai-v6/E": {
        "big": C["big"],
        "small": C["small"],
        "any-triple": "any TRIPLE 1 WINS 31",
        "triple:6": "1 WINS 180",
        "total:4": "4 1 WINS 62",
        "four:3456": "6543 1 WINS 7",
        "four:1234": "4321 1 WINS 7",
        "three:126": "126",
        "pair:56": "",
    },
    "rws-mini-dice-v3/A": {"single:3": "THREE", "field": "FIELD 5 6 7 8 13 14 15 16 1 WINS 1"},
}


@pytest.mark.clause(
    "nz-division-9 §3.2",
    "nz-division-9 §App. 1",
    "nz-division-9 §App. 2",
    "rws-open-cover-v3 §2.1.1",
    "rws-open-cover-v3 §App. A",
    "rws-open-cover-v3 §App. B",
    "rws-tai-sai-v6 §2.1.1",
    "rws-tai-sai-v6 §App. A",
    "rws-tai-sai-v6 §App. C",
    "rws-tai-sai-v6 §App. E",
    "rws-mini-dice-v3 §2.1.1",
)
def test_labels_are_those_of_the_appendix(layout: Layout) -> None:
    """Each area prints what its appendix prints, word by word; a character stands by itself where it has one."""
    for one in boxes_of(draw(layout)):
        wanted = LABELS[layout.name].get(one.name)
        if wanted is not None:
            alone = CHARACTERS.get(one.name) if wanted and not is_chinese(wanted) else None
            printed = [line for line in one.lines if line != alone]
            assert " ".join(printed) == wanted, one.name


def test_felts_without_chinese_print_none(shelf: Shelf) -> None:
    """New Zealand's felts and Mini Dice have no character; the others have those of their appendix and no more."""
    chinese = {
        name: {line for box in boxes_of(draw(shelf.layout(name))) for line in box.lines if is_chinese(line)}
        for name in LABELS
    }
    assert chinese == {
        "nz-division-9/1": set(),
        "nz-division-9/2": set(),
        "rws-open-cover-v3/A": {"大", "小", "11點至17點", "4點至10點", "一贏一", "圍骰通吃"},
        "rws-tai-sai-v6/A": {"大", "小", "11點至17點", "4點至10點", "一贏一", "圍骰通吃"},
        "rws-open-cover-v3/B": {"大", "小", "单", "双"},
        "rws-tai-sai-v6/C": {"大", "小", "单", "双"},
        "rws-tai-sai-v6/E": {"大", "小"},
        "rws-mini-dice-v3/A": set(),
    }
    a = [text for text in root_of(draw(shelf.layout("rws-tai-sai-v6/A"))).iter() if is_chinese(text.text or "")]
    assert {text.get("lang") for text in a if "foot" not in text.get("class", "")} == {"zh-Hant"}


@pytest.mark.clause("nz-division-9 §App. 2", "rws-mini-dice-v3 §App. A")
def test_what_the_document_does_not_show_is_marked(shelf: Shelf) -> None:
    """A felt whose print is reconstructed says so in its rail; a felt that is all legible does not."""
    feet = {
        name: [text.text or "" for text in with_class(root_of(draw(shelf.layout(name))), "foot")] for name in LABELS
    }
    assert feet["nz-division-9/1"] == []
    assert all("reconstructed" in foot for name in LABELS if name != "nz-division-9/1" for foot in feet[name])
    assert [len(foot) for foot in feet.values()] == [0, 1, 1, 1, 1, 1, 1, 1]


def test_dice_stand_beside_names(shelf: Shelf) -> None:
    """Doubles, triples and combinations show their dice."""
    dice = {box.name: box.dice for box in boxes_of(draw(shelf.layout("rws-tai-sai-v6/A")))}
    assert dice["double:4"] == (4, 4)
    assert dice["triple:5"] == (5, 5, 5)
    assert dice["pair:56"] == (5, 6)
    assert len(dice["any-triple"]) == 18


def test_plain_areas_show_the_dice_they_need() -> None:
    """Where a book draws nothing, a box named after faces shows those that all its winning rolls have."""
    layout = foreign(
        row_of("Doubles", "double: 1 4", 8),
        row_of("Combinations", "pair: 25", 5),
        row_of("Totals", "total: 4 16 17", 60),
        row_of("Threes", "three: 113 126", 30),
        row_of("Any", "any-triple", 24),
    )
    drawn = {box.name: (box.dice, box.lines[:1]) for box in boxes_of(draw(layout))}
    assert drawn["double:4"] == ((4, 4), ())
    assert drawn["pair:25"][0] == (2, 5)
    assert drawn["three:113"][0] == (1, 1, 3)
    assert drawn["total:16"] == ((), ("16",))
    assert drawn["any-triple"] == ((), ("ANY",))


def test_a_block_has_the_ground_it_asks_for(shelf: Shelf) -> None:
    """The tone is the block's own; without one, an area that fills its block is dark."""
    plan = plan_for(shelf.layout("rws-tai-sai-v6/A"))
    tones = {str(area.box.name): tone_of(plan, area) for area in areas_of(plan)}
    assert tones["big"] is Tone.DARK
    assert tones["triple:1"] is Tone.ACCENT
    assert tones["pair:12"] is Tone.DEEP


def test_areas_come_in_the_felts_order(layout: Layout) -> None:
    """Who has the felt read aloud hears it in the order in which it is laid out."""
    assert [box.name for box in boxes_of(draw(layout))] == [area.box.name for area in areas_of(plan_for(layout))]


def test_sections_are_the_books_own(shelf: Shelf) -> None:
    """Every area says to which part of the felt it belongs, by the name that the book gives or that of its bet."""
    root = root_of(draw(shelf.layout("rws-tai-sai-v6/C")))
    sections = list(dict.fromkeys(box.attrib["data-section"] for box in with_class(root, "box")))
    assert sections == [
        "Three and Four Numbers",
        "Big, Small, Odd, Even",
        "Doubles and Triples",
        "Totals",
        "Domino Combinations",
        "Single Dice",
    ]
    plain = root_of(draw(foreign(row_of("Lucky Pairs", "pair: 12 13", 5))))
    assert {box.attrib["data-section"] for box in with_class(plain, "box")} == {"Lucky Pairs"}
