"""Rail, cloth, and the band above it."""

from __future__ import annotations

from taisai.books import Shelf
from taisai.core.dice import roll_of
from taisai.felt import draw
from tests.felt.reading import SVG, root_of, text_of, with_class


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
