"""Text of a book stays text in the markup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from taisai.felt import draw
from tests.felt.reading import foreign, root_of, row_of, with_class

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
