"""What stands on the felt: every area with its odds, names and dice; a document that any page can take in."""

from __future__ import annotations

from typing import assert_never

import pytest

from taisai.books import Shelf
from taisai.core.bets import Bet, PlayerId
from taisai.core.boxes import Box, BoxName, Kind
from taisai.core.dice import ALL_ROLLS, roll_of
from taisai.core.faults import InputFault
from taisai.core.money import Chips
from taisai.core.rulebook import Layout
from taisai.felt import RED, areas_of, draw, plan_for
from tests.felt.reading import SVG, DrawnBox, boxes_of, root_of, text_of, with_class

CHANCES = {
    Kind.BIG: ("大", "BIG", "11 TO 17"),
    Kind.SMALL: ("小", "SMALL", "4 TO 10"),
    Kind.ODD: ("单", "ODD"),
    Kind.EVEN: ("双", "EVEN"),
}
FACES = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX")


def pays_of(layout: Layout, box: Box) -> dict[int, int]:
    """What a box pays by how many dice show its face, found by rolling; kinds without one face have the one key 0."""
    found: dict[int, int] = {}
    for roll in ALL_ROLLS:
        pays = layout.pays(box.name, roll)
        if pays is not None:
            found[roll.count(box.faces[0]) if box.kind is Kind.SINGLE else 0] = pays
    return found


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
    """What an area says it wins is what the layout pays, on the roll as in the pay table."""
    svg = draw(layout)
    headings = [text_of(text) for text in with_class(root_of(svg), "heading")]
    drawn = boxes_of(svg)
    assert {box.name for box in drawn} == set(layout.boxes)
    for one in drawn:
        box = layout.boxes[BoxName(one.name)]
        pays = pays_of(layout, box)
        if box.kind is Kind.SINGLE:
            assert f"{pays[1]} TO 1 ON ONE DIE · {pays[2]} TO 1 ON TWO DICE · {pays[3]} TO 1 ON THREE DICE" in headings
        else:
            assert [line for line in one.lines if "WINS" in line] == [f"1 WINS {pays[0]}"]


@pytest.mark.clause("nz-division-9 §3.2")
def test_every_area_shows_what_it_is_for(layout: Layout) -> None:
    """Dice for faces, digits where the felts print digits, English and Chinese names, and that a triple loses."""
    for one in boxes_of(draw(layout)):
        box = layout.boxes[BoxName(one.name)]
        assert missing(box, one) == set(), one.name


def missing(box: Box, drawn: DrawnBox) -> set[str]:
    """What an area should show and does not."""
    dice = "".join(map(str, drawn.dice))
    shown = {*drawn.lines, dice}
    faces = "".join(map(str, box.faces))
    match box.kind:
        case Kind.BIG | Kind.SMALL | Kind.ODD | Kind.EVEN:
            loses = "LOSE IF ANY TRIPLE APPEARS"
            return {*CHANCES[box.kind], loses} - shown - ({loses} if loses in " ".join(drawn.lines) else set())
        case Kind.SINGLE:
            return {faces, FACES[box.faces[0] - 1]} - shown
        case Kind.DOUBLE | Kind.TRIPLE:
            return {faces * (2 if box.kind is Kind.DOUBLE else 3)} - shown
        case Kind.ANY_TRIPLE:
            return {"111222333444555666", "围骰"} - shown
        case Kind.PAIR | Kind.THREE:
            return {faces} - shown
        case Kind.TOTAL:
            return {str(box.total)} - shown
        case Kind.FOUR:
            return {faces[::-1]} - shown
        case Kind.FIELD:
            return {"FIELD", "5", "6", "7", "8", "13", "14", "15", "16"} - shown
        case _:
            assert_never(box.kind)


def test_headings_stand_where_the_real_felts_have_them(shelf: Shelf) -> None:
    """`EACH DOUBLE 1 WINS 11` above the doubles, `1 WINS 50` turned beside the ten rows."""
    a = [text_of(text) for text in with_class(root_of(draw(shelf.layout("rws-tai-sai-v6/A"))), "heading")]
    assert a.count("EACH DOUBLE 1 WINS 11") == 2
    assert a.count("1 WINS 180") == 2
    assert " ".join(a[4:8]) == "ON EACH 2 DICE COMBINATION 1 WINS 6"
    turned = {
        text_of(text)
        for text in with_class(root_of(draw(shelf.layout("rws-tai-sai-v6/C"))), "heading")
        if "rotate" in text.get("transform", "")
    }
    assert turned == {"1 WINS 50", "1 WINS 30"}


def test_areas_come_in_the_felts_order(layout: Layout) -> None:
    """Who has the felt read aloud hears it in the order in which it is laid out."""
    assert [box.name for box in boxes_of(draw(layout))] == [area.box.name for area in areas_of(plan_for(layout))]


def test_titles_say_what_an_area_pays(shelf: Shelf) -> None:
    """Each area has a title in words."""
    titles = {box.name: box.title for box in boxes_of(draw(shelf.layout("rws-tai-sai-v6/C")))}
    assert titles["total:9"] == "Total 9, pays 7 to 1"
    assert titles["single:4"] == "Single 4, pays 1 to 1 on one die, 2 to 1 on two dice, 12 to 1 on three dice"
    assert titles["three:221"].endswith("2-2-1, pays 50 to 1")
    assert root_of(draw(shelf.layout("rws-tai-sai-v6/C")))[0].text == "Felt of rws-tai-sai-v6/C, Layout C"


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


def test_title_and_dice_stand_above_the_cloth(shelf: Shelf) -> None:
    """A title that is too long ends in an ellipsis; a roll shows its dice and its total."""
    layout = shelf.layout("rws-mini-dice-v3/A")
    (title,) = with_class(root_of(draw(layout, title="Table <7>")), "title")
    assert text_of(title) == "Table <7>"
    (long,) = with_class(root_of(draw(layout, title="long " * 80, roll=roll_of([4, 4, 5]))), "title")
    assert text_of(long).endswith("…")
    (result,) = with_class(root_of(draw(layout, roll=roll_of([4, 4, 5]))), "result")
    assert text_of(result) == "TOTAL 13"
    assert [die.attrib["href"][-1] for die in result.iter(f"{SVG}use")] == ["4", "4", "5"]
