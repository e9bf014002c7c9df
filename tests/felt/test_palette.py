"""Colours: every word on the felt reads at 4.5 to 1 or better (WCAG 2, level AA)."""

from __future__ import annotations

import pytest

from taisai.core.cloth import Tone
from taisai.felt import PALETTES, Palette, draw
from taisai.felt.palette import CHIP_INLAY, PAPER, contrast, luminance
from tests.felt.reading import foreign, root_of, row_of, with_class

READABLE = 4.5


@pytest.mark.parametrize("palette", [*PALETTES.values(), PAPER], ids=[*PALETTES.keys(), "paper"])
def test_words_read_on_their_ground(palette: Palette) -> None:
    """Ink and gold on every print and on the cloth, the title on the rail, the lit areas, the tags, the legend."""
    grounds = [palette.cloth, palette.rail, *palette.grounds.values()]
    pairs = [
        (ink, colour) for ink in (palette.ink, palette.gold) for each in grounds for colour in (each.top, each.bottom)
    ]
    pairs += [(palette.lit_ink, palette.lit.top), (palette.lit_ink, palette.lit.bottom)]
    pairs += [(palette.tag_ink, palette.tag), (palette.ink, palette.background), (palette.gold, palette.background)]
    pairs += [("#14110c", CHIP_INLAY)]
    assert [(ink, ground) for ink, ground in pairs if contrast(ink, ground) < READABLE] == []


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())
def test_lit_areas_stand_out(palette: Palette) -> None:
    """Light is far brighter than any print, and every tone has its ground."""
    assert set(palette.grounds) == set(Tone)
    brightest = max(luminance(shade.top) for shade in palette.grounds.values())
    assert luminance(palette.lit.bottom) > 5 * brightest


def test_contrast_is_that_of_the_standard() -> None:
    """Black on white is 21 to 1, a colour on itself 1 to 1."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#0f5d3d", "#0f5d3d") == 1


def test_a_palette_is_chosen_by_name() -> None:
    """The room's name is a class of the document, and its colours are in it."""
    layout = foreign(row_of("Three", "three: 112 123", 30))
    for name, palette in PALETTES.items():
        svg = draw(layout, palette=palette)
        assert name in root_of(svg).attrib["class"].split()
        assert palette.cloth.top in svg
        assert len(with_class(root_of(svg), "box")) == 2
