"""Headings: where the real felts have them, and off the areas."""

from __future__ import annotations

from taisai.books import Shelf
from taisai.core.rulebook import Layout
from taisai.felt import draw
from tests.felt.reading import SVG, covered_by, pairs_of, rect_of, root_of, text_of, with_class


def test_headings_keep_off_the_areas(layout: Layout) -> None:
    """A heading lies on free cloth, and no two lie on each other."""
    root = root_of(draw(layout))
    grounds = [rect_of(element) for element in with_class(root, "ground")]
    headings = [covered_by(text) for text in with_class(root, "heading")]
    (hem,) = (rect_of(element) for element in with_class(root, "hem"))
    assert headings
    assert not [heading for heading in headings for ground in grounds if heading.overlaps(ground)]
    assert not [one for one, two in pairs_of(headings) if one.overlaps(two)]
    assert all(hem.holds(heading) for heading in headings)


def test_headings_stand_where_the_real_felts_have_them(shelf: Shelf) -> None:
    """`EACH DOUBLE 1 WINS 11` above the doubles, `1 WINS 50` turned beside the ten rows."""
    a = headings_on(shelf, "rws-tai-sai-v6/A")
    assert a.count("EACH DOUBLE 1 WINS 11") == 2
    assert a.count("1 WINS 180") == 2
    assert a.count("1 WINS 31") == 1
    assert "ON EACH 2 DICE COMBINATION 1 WINS 6" in a
    assert "1 TO 1 ON ONE DICE ... 2 TO 1 ON TWO DICE ... 12 TO 1 ON THREE DICE" in a
    one = headings_on(shelf, "nz-division-9/1")
    assert "ON EACH 2 DICE COMBINATIONS 1 WINS 6" in one
    assert "1 TO 1 ON ONE DICE\u20032 TO 1 ON TWO DICE\u200312 TO 1 ON THREE DICE" in one
    e = headings_on(shelf, "rws-tai-sai-v6/E")
    assert e.count("DOMINO COMBINATION 1 WINS 6") == 2
    assert e.count("1 TO 1 ON ONE DICE • 2 TO 1 ON TWO DICE • 12 TO 1 ON THREE DICE") == 2
    turned = {
        text_of(text)
        for text in with_class(root_of(draw(shelf.layout("rws-tai-sai-v6/C"))), "heading")
        if "rotate" in text.get("transform", "")
    }
    assert turned == {"1 WINS 50", "1 WINS 30"}


def headings_on(shelf: Shelf, name: str) -> list[str]:
    """Each heading of a felt, its lines together."""
    root = root_of(draw(shelf.layout(name)))
    groups = [group for group in with_class(root, "headings") if group.findall(f"{SVG}text")]
    return [" ".join(text_of(text) for text in group) for group in groups]
