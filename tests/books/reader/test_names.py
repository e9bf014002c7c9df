"""Files of names: what a book is called in other languages, with a digest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.books import Shelf, open_shelf, read_book
from taisai.books.reader.definitions import standard_definitions
from taisai.books.reader.names import package_names
from taisai.core.boxes import BoxName
from taisai.core.names import Part
from tests import ROOT
from tests.books.broken_cases import BOOK, LAYOUT
from tests.books.helpers import lines_of, write_book

HANT = "names.zh-Hant.toml"
GOOD_NAMES = """
[book]
title = "小骰"
[bets]
"Small" = "小"
[boxes]
"double:{a}" = "雙 {n}"
[needs]
"double:{a}" = "兩粒 {a}"
[kinds]
double = "雙骰"
[calls]
open = "請下注"
triple = "圍骰 {face}，{total} 點"
[facts]
exposed = "骰子外露"
[opening]
dice = "三粒骰子齊備。"
[clauses]
"1" = "一局為一次遊戲。"
"""


def test_a_translation_stands_beside_the_book(tmp_path: Path) -> None:
    """Names are read by language; the book's digest stays, the file has its own, and what it lacks is the package's."""
    plain = read_book(write_book(tmp_path / "mini"))
    book = read_book(write_book(tmp_path / "mini", {HANT: GOOD_NAMES}))
    names = book.names_in("zh-Hant")
    small, double = (book.layouts["A"].boxes[BoxName(name)] for name in ("small", "double:1"))
    assert (names.bet(small, "Small"), names.box(double), names.needs(double)) == ("小", "雙 1", "兩粒 1")
    assert (names.kind(double), names.kind(small)) == ("雙骰", "小")
    assert names.of(Part.BOOK, "title", book.title) == "小骰"
    assert names.of(Part.CALLS, "triple") == "圍骰 {face}，{total} 點"
    assert book.digest == plain.digest
    assert len(names.digest) == 64 != len(plain.names_in("zh-Hant").digest)
    assert book.names_in("fr") is book.names


def test_the_digest_follows_the_words(tmp_path: Path) -> None:
    """A changed word changes the digest of the translation; spaces and comments do not."""
    first, spaced, changed = (
        read_book(write_book(tmp_path / "mini", {HANT: text})).names_in("zh-Hant").digest
        for text in (GOOD_NAMES, GOOD_NAMES + "\n# checked\n", GOOD_NAMES.replace("請下注", "落注"))
    )
    assert first == spaced != changed


def test_a_file_of_english_names_puts_other_words_in_the_place_of_the_books(tmp_path: Path) -> None:
    """Where the pay table has a plural, or the package's word is not the house's, the book says how it is called."""
    english = '[boxes]\nsmall = "Low"\n[bets]\nSmall = "Low hand"\n'
    layout = read_book(write_book(tmp_path / "mini", {"names.en.toml": english})).layouts["A"]
    small = layout.boxes[BoxName("small")]
    assert (layout.names.box(small), layout.bet_name(small.name)) == ("Low", "Low hand")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            '[bets]\n"Smal" = "小"',
            "names.zh-Hant.toml:1: bets.Smal: the book has no 'Smal' among its bets; did you mean",
        ),
        ('[boxes]\n"double:{a}" = "雙"', "would stand for every box of double:{a}: say where the faces go, with {n}"),
        ('[boxes]\n"double:{a}" = "雙 {z}"', "unknown placeholder {z} in '雙 {z}'; there are a, n"),
        ('[needs]\nsmall = "{n}"', "unknown placeholder {n} in '{n}'; it has none"),
        ('[calls]\ntriple = "圍骰 {face}"', "calls.triple: must say {face} {total}, got '圍骰 {face}'"),
        ('[calls]\nopen = "請 {n}"', "calls.open: must say no placeholder, got"),
        ('[clauses]\n"9" = "x{"', "the book has no '9' among its clauses; there are 1, 2"),
        ('[clauses]\n"1" = "x{"', "the braces of 'x{' do not match"),
        ('[faces]\n"1" = "魚"', "the book has no '1' among its faces; it has none"),
        ('[colours]\nred = "紅"', "unknown key 'colours'; known are book, bets, boxes"),
        ("[bets]\nSmall = 3", "`bets` must be a table of the book's words and these, both text, got a table"),
    ],
)
def test_names_that_the_book_does_not_have(tmp_path: Path, text: str, line: str) -> None:
    """A translation of what is not there, or with a place that cannot be filled, has its file, key and remedy."""
    assert any(line in each for each in lines_of(write_book(tmp_path / "mini", {HANT: text})))


def test_a_misspelt_file_of_names_is_no_file_of_a_book(tmp_path: Path) -> None:
    """A language that is none would be ignored silently."""
    (line,) = lines_of(write_book(tmp_path / "mini", {"names.Chinese.toml": GOOD_NAMES}))
    assert "names.Chinese.toml: no file of a rule book" in line


def test_the_package_names_every_box_in_both_scripts() -> None:
    """Each family of the package has a name, a need and a kind in Simplified and Traditional Chinese."""
    families = standard_definitions().families
    for lang in ("zh-Hans", "zh-Hant"):
        words = package_names()[lang]
        assert set(words[Part.BOXES]) == set(words[Part.NEEDS]) == {family.pattern for family in families}
        assert set(words[Part.KINDS]) == {family.kind for family in families}
        assert all(
            ("{" in text) == bool(family.letters) for family in families for text in [words[Part.BOXES][family.pattern]]
        )


def test_a_kind_that_the_book_defines_anew_is_not_called_as_the_package_does(tmp_path: Path) -> None:
    """What the package says of `double` in Chinese is not said of a book's own `double`."""
    boxes = 'boxes = [{ box = "double:{a}", when = "n(a) >= 2", title = "Two {n}", needs = "two of {n}" }]'
    book = read_book(write_book(tmp_path / "mini", {"boxes.toml": boxes}))
    double, small = (book.layouts["A"].boxes[BoxName(name)] for name in ("double:1", "small"))
    names = book.names_in("zh-Hant")
    assert (names.box(double), names.needs(double), names.box(small)) == ("Two 1", "two of 1", "小")


FACES = """
faces = [
  { face = 1, name = "Fish", colour = "red", picture = "fish" },
  { face = 2, name = "Two" },
  { face = 3, name = "Three" },
  { face = 4, name = "Four" },
  { face = 5, name = "Five" },
  { face = 6, name = "Six" },
]

[procedure]
"""
PICTURED = BOOK.replace("\n[procedure]\n", FACES)


def test_translated_faces_stand_in_the_names_of_boxes(tmp_path: Path) -> None:
    """A face has its name in each language, and boxes are called by it."""
    book = read_book(write_book(tmp_path / "mini", {"book.toml": PICTURED, HANT: '[faces]\n"1" = "魚"\n'}))
    double = book.layouts["A"].boxes[BoxName("double:1")]
    assert (book.names.box(double), book.names_in("zh-Hant").box(double)) == ("Double Fish", "對子 魚")
    assert book.names_in("zh-Hant").faces == ("魚", "Two", "Three", "Four", "Five", "Six")


def test_names_of_new_zealand_are_in_the_singular(shelf: Shelf) -> None:
    """The table of clause 4 names all bets of a kind; a sentence speaks of one."""
    layout = shelf.layout("nz-division-9/1")
    names = [layout.bet_name(BoxName(box)) for box in ("single:4", "total:9", "any-triple")]
    assert names == ["Individual Die Face Value 4", "3 Dice Total 9", "Any Triple"]


def test_screens_call_a_box_by_its_bet_unless_the_book_gives_it_a_title(tmp_path: Path) -> None:
    """`Small Hand`, where the pay table says so; a title of the book's own names or boxes comes first."""
    small = BoxName("small")
    text = LAYOUT.replace('bet = "Small"', 'bet = "Small Hand"')
    plain = read_book(write_book(tmp_path / "one" / "mini", {"layout-A.toml": text}))
    titled = read_book(
        write_book(tmp_path / "two" / "mini", {"layout-A.toml": text, "names.en.toml": '[boxes]\nsmall = "Low"\n'})
    )
    layout = plain.layouts["A"]
    assert (layout.box_name(small), layout.kind_name("small")) == ("Small Hand", "Small Hand")
    assert titled.layouts["A"].box_name(small) == "Low"
    assert layout.in_words(plain.names_in("zh-Hant")).box_name(small) == "小"
    assert layout.in_words(plain.names_in("fr")) is layout


def test_the_sign_calls_a_kind_of_one_box_by_the_name_of_the_box() -> None:
    """The sign of a book's own box is translated with the box."""
    book = open_shelf([ROOT / "examples" / "books"], environment={}).book("macau-fish-prawn-crab")
    layout = book.layouts["1"]
    told = layout.in_words(book.names_in("zh-Hant"))
    assert (layout.kind_name("red-once"), told.kind_name("red-once")) == ("Red once", "紅色一次")
    assert (layout.kind_name("pair"), told.kind_name("pair")) == ("Two Pictures", "兩骰組合")
