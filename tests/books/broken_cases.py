"""One small book that holds, and an edit of it for each way to be refused.

`make_broken` writes them out as folders; `broken.txt` has the fault lines that each must give.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

BOOK: Final = """\
title = "Mini"
version = "Edition 1"
operator = "Test House"
jurisdiction = "Nowhere"
document = "Mini, Game Rules"
effective = 2024-01-01

terms = [
  { term = "round", clause = "1" },
]

rules = [
  { rule = "minimum", clause = "2" },
  { rule = "maximum", clause = ["2", "I1"] },
]

[procedure]
device = "tumbler"
tumble = "after-close"
tumbles_min = 3
steps = [
  { step = "open-bets", clause = "3" },
  { step = "close-bets", clause = "3" },
  { step = "tumble", clause = "3" },
  { step = "uncover", clause = "3" },
  { step = "announce", clause = "3" },
  { step = "collect", clause = "3" },
  { step = "pay", clause = "3" },
]
opening = [
  { item = "dice", clause = "3", summary = "Three dice are there." },
]
facts = [
  { fact = "not-flat", then = "void-round", clause = "4", summary = "a die does not lie flat" },
  { fact = "exposed", then = "void-round", clause = "4", summary = "the dice were seen" },
  { fact = "interrupted", then = "void-round", clause = "4", summary = "somebody stopped the round" },
]

[procedure.calls]
clause = "3"
open = "Bets"
close = "No bets"
void = "Void"
plain = "{low} {middle} {high} {total}"
double_first = "{double} {single} {total}"
double_last = "{single} {double} {total}"
triple = "{face} {total}"
bell = false
"""

CLAUSES: Final = """\
clauses = [
  { id = "1", summary = "A round is one game." },
  { id = "2", summary = "Limits stand on the sign." },
  { id = "3", summary = "How a round runs." },
  { id = "4", summary = "When a round is void." },
  { id = "5", summary = "What the bets pay." },
  { id = "6", summary = "The dealer stands." },
]
"""

SOFTWARE: Final = """\
duties = [
  { clause = "1", duty = ["data"], room = "books" },
  { clause = "2", duty = ["rule"], room = "core" },
  { clause = "3", duty = ["rule", "record"], room = "table" },
  { clause = "4", duty = ["rule"], room = "table" },
  { clause = "5", duty = ["data", "rule"], room = "core" },
  { clause = "6", duty = ["people"], room = "people" },
]
formerly = [
  { digest = "OLD", now = "NOW", version = "0.0.1", reason = "Spelling." },
]
""".replace("OLD", "0" * 64).replace("NOW", "1" * 64)

INTERPRETATIONS: Final = """\
interpretations = [
  { id = "I1", clause = "2", question = "Is there a maximum?", reading = "Yes.", house_choice = true },
]
"""

LAYOUT: Final = """\
title = "Layout A"
clause = "5"
triple_clause = "5"

pay = [
  { bet = "Small", boxes = "small", pays = 1, clause = "5" },
  { bet = "Double", boxes = "double: 1 2", dice = 2, pays = 8, clause = "5" },
  { bet = "Double", boxes = "double: 1 2", dice = 3, pays = 9, clause = "5", triple_clause = "5" },
  { bet = "Four", boxes = "four: 1234", totals = [6, 9], pays = 8, clause = "5" },
  { bet = "Four", boxes = "four: 1234", totals = [7, 8], pays = 6, clause = "5" },
]

[felt]
size = [10, 4]
blocks = [
  { at = [0, 0, 4, 2], boxes = "small" },
  { at = [4, 0, 4, 2], boxes = "double: 1 - 2", columns = 3 },
  { at = [0, 2, 4, 2], boxes = "four: 1234" },
]
"""

GOOD: Final = {
    "book.toml": BOOK,
    "clauses.toml": CLAUSES,
    "interpretations.toml": INTERPRETATIONS,
    "software.toml": SOFTWARE,
    "layout-A.toml": LAYOUT,
}


class Edit(NamedTuple):
    """In one file, one piece of text for another; the text must stand there once."""

    file: str
    old: str
    new: str


class Case(NamedTuple):
    """A way to break the good book."""

    name: str
    edits: tuple[Edit, ...] = ()
    files: Mapping[str, str | None] = MappingProxyType({})
    """Whole files instead of those of the good book; None leaves one out."""
    points: bool = True
    """Whether a fault must name the first line on which the broken file differs from the good one."""

    def book(self) -> dict[str, str]:
        """The files of the broken book."""
        made = {name: text for name, text in {**GOOD, **self.files}.items() if text is not None}
        for file, old, new in self.edits:
            if made[file].count(old) != 1:
                raise ValueError(f"{self.name}: {old!r} stands {made[file].count(old)} times in {file}")
            made[file] = made[file].replace(old, new)
        return made


def _files(name: str, **files: str | None) -> Case:
    """Whole files; in their names, an underscore stands for the hyphen and the ending .toml is left out."""
    return Case(name, files={f"{file.replace('_', '-')}.toml": text for file, text in files.items()}, points=False)


def _in_book(name: str, old: str, new: str, *, points: bool = True) -> Case:
    return Case(name, (Edit("book.toml", old, new),), points=points)


def _in_clauses(name: str, old: str, new: str, *, points: bool = True) -> Case:
    return Case(name, (Edit("clauses.toml", old, new),), points=points)


def _in_software(name: str, old: str, new: str, *, points: bool = True) -> Case:
    return Case(name, (Edit("software.toml", old, new),), points=points)


def _in_readings(name: str, old: str, new: str) -> Case:
    return Case(name, (Edit("interpretations.toml", old, new),))


def _in_layout(name: str, old: str, new: str, *, points: bool = True) -> Case:
    return Case(name, (Edit("layout-A.toml", old, new),), points=points)


_RAISES: Final = '{ draw = "more", weight = 1, clause = "5", raised = [{ boxes = "small", pays = 3 }] }'


def _draws(name: str, rows: str, *, points: bool = True) -> Case:
    """The layout with a draw table."""
    return _in_layout(name, 'triple_clause = "5"\n\n', f'triple_clause = "5"\ndraws = [{rows}]\n\n', points=points)


def _from(text: str, start: str, end: str = "") -> str:
    """The part of a text from one mark up to another, or to its end."""
    first = text.index(start)
    return text[first : text.index(end, first) if end else None]


_SMALL = '  { bet = "Small", boxes = "small", pays = 1, clause = "5" },\n'
_TUMBLE = '  { step = "tumble", clause = "3" },\n'
_OPEN = '  { step = "open-bets", clause = "3" },\n'
_PAY = '  { step = "pay", clause = "3" },\n'
_COLLECT = '  { step = "collect", clause = "3" },\n'
_AT_SMALL = '  { at = [0, 0, 4, 2], boxes = "small" },\n'

_FILES = (
    _files("missing-book-file", book=None),
    _files("missing-clauses-file", clauses=None),
    _files("missing-layout", layout_A=None),
    _files("empty-book-file", book=""),
    _files("empty-layout-file", layout_B=""),
    _files("empty-interpretations-file", interpretations=""),
    Case("misspelt-files", files={"layout_B.toml": LAYOUT, "interpretation.toml": INTERPRETATIONS}, points=False),
    Case("_folder-name", points=False),
    Case("layout-id", files={"layout-_A.toml": LAYOUT, "layout-A.toml": None}, points=False),
    _files("not-toml-layout", layout_A="pay = [\n"),
    _in_book("not-toml-book", 'device = "tumbler"', "device = tumbler"),
    _in_book("not-toml-key-twice", 'version = "Edition 1"', 'title = "Mini"'),
    _in_clauses("not-toml-clauses", "clauses = [", "clauses ="),
)

_KEYS = (
    _in_book("unknown-key-book", "effective = ", 'color = "red"\neffective = '),
    _in_book("unknown-key-procedure", "tumbles_min = 3", "tumbles_min = 3\ntumbles_max = 9"),
    _in_book("unknown-key-calls", "bell = false", 'bell = false\ngong = "Bong"'),
    _in_book("unknown-key-step", '"tumble", clause', '"tumble", device = "cage", clause'),
    _in_clauses("unknown-key-clause", 'summary = "A round', 'text = "A round'),
    _in_software("unknown-key-software", "formerly = [", "former = ["),
    _in_software("unknown-key-duty", '["data"], room', '["data"], folder'),
    _in_clauses("unknown-key-clauses", "clauses = [", "clausses = [", points=False),
    _in_readings("unknown-key-interpretation", "house_choice = true", "house_choice = true, page = 3"),
    _in_layout("unknown-key-layout", 'triple_clause = "5"\n\n', 'triple_clause = "5"\nedition = 2\n\n'),
    _draws("unknown-key-draws", '{ draw = "more", weight = 1, clause = "5", when = "triple" }'),
    _draws("unknown-key-raised", _RAISES.replace("pays = 3", "odds = 3")),
    _draws("draw-weight-0", _RAISES.replace("weight = 1", "weight = 0")),
    _draws("draw-name", _RAISES.replace('"more"', '"More, more"')),
    _draws("draw-clause", _RAISES.replace('clause = "5"', 'clause = "55"')),
    _draws("draw-twice", f"{_RAISES}, {_RAISES}"),
    _draws("draw-without-effect", '{ draw = "plain", weight = 1, clause = "5" }'),
    _draws("draw-box-unknown", _RAISES.replace("small", "smal")),
    _draws("draw-box-not-on-the-layout", _RAISES.replace("small", "big")),
    _draws("draw-box-pays-several-ways", _RAISES.replace('"small"', '"double: 1"')),
    _draws("draw-no-higher", _RAISES.replace("pays = 3", "pays = 1")),
    _draws("draw-odds", _RAISES.replace("pays = 3", "pays = 3.5")),
    _draws("draw-raised-twice", _RAISES.replace("pays = 3 }", 'pays = 3 }, { boxes = "small", pays = 4 }')),
    _draws("draw-too-many", ",\n".join(_RAISES.replace("more", f"more-{number}") for number in range(101))),
    _draws("draw-gives-the-house-away", _RAISES, points=False),
    _in_layout("unknown-key-pay", 'boxes = "small", pays = 1', 'boxes = "small", odds = 1'),
    _in_layout("unknown-key-felt", "size = [10, 4]", 'size = [10, 4]\ncolour = "green"'),
    _in_layout("unknown-key-block", 'boxes = "small" }', 'boxes = "small", colour = "red" }'),
    _in_book("missing-key-book", 'operator = "Test House"\n', "", points=False),
    _in_book("missing-key-procedure", 'device = "tumbler"\n', "", points=False),
    _in_book("missing-key-calls", "bell = false\n", "", points=False),
    _in_book(
        "missing-key-fact", 'then = "void-round", clause = "4", summary = "a die', 'clause = "4", summary = "a die'
    ),
    _in_layout("missing-key-layout", 'title = "Layout A"\n', "", points=False),
    _in_layout("missing-key-felt", "size = [10, 4]\n", "", points=False),
    _in_layout("missing-key-pay", 'boxes = "small", pays = 1, ', 'boxes = "small", '),
    _in_layout("missing-clause-pay", 'pays = 1, clause = "5"', "pays = 1"),
    _in_book("missing-clause-step", '{ step = "tumble", clause = "3" }', '{ step = "tumble" }'),
    _in_book("missing-clause-rule", '{ rule = "minimum", clause = "2" }', '{ rule = "minimum" }'),
    _in_clauses("missing-id", '{ id = "4", ', "{ "),
)

_VALUES = (
    _in_book("value-title-empty", '"Mini"\n', '""\n'),
    _in_book("value-title-number", '"Mini"\n', "7\n"),
    _in_book("value-title-two-lines", '"Mini"\n', '"Mini\\nDice"\n'),
    _in_book("value-effective-text", "2024-01-01", '"1 January 2024"'),
    _in_book("value-effective-time", "2024-01-01", "08:00:00"),
    _in_clauses("value-effective-clause", 'summary = "A round is one game."', 'summary = "Game.", effective = 2024'),
    _in_book("value-device", '"tumbler"', '"shaker"'),
    _in_book("value-tumble", '"after-close"', '"after-closing"'),
    _in_book("value-tumbles-none", "tumbles_min = 3", "tumbles_min = 0"),
    _in_book("value-tumbles-fraction", "tumbles_min = 3", "tumbles_min = 3.5"),
    _in_book("value-bell", "bell = false", 'bell = "no"'),
    _in_book("value-terms", 'terms = [\n  { term = "round", clause = "1" },\n]', 'terms = "round"'),
    Case(
        "value-procedure",
        (
            Edit("book.toml", _from(BOOK, "[procedure]"), ""),
            Edit("book.toml", "effective", "procedure = []\neffective"),
        ),
    ),
    _in_book("value-clause-number", '"minimum", clause = "2"', '"minimum", clause = 2'),
    _in_book("value-clause-empty-list", '"minimum", clause = "2"', '"minimum", clause = []'),
    _in_book("value-row-not-table", '  { rule = "minimum", clause = "2" },', '  "minimum",'),
    _in_book("value-then", '"exposed", then = "void-round"', '"exposed", then = "void-table"'),
    _in_book(
        "then-not-of-this-fact",
        '"void-round", clause = "4", summary = "the',
        '"dice-decide", clause = "4", summary = "the',
    ),
    _in_book(
        "then-two-ends",
        '"void-round", clause = "4", summary = "the',
        '["void-round", "re-roll"], clause = "4", summary = "the',
    ),
    _in_book(
        "then-record-and-more",
        '"void-round", clause = "4", summary = "the',
        '["record", "suspend"], clause = "4", summary = "the',
    ),
    _in_book("value-reason", '"the dice were seen"', '"the dice were seen", reason = "No Game"'),
    _in_book("value-huge-number", "tumbles_min = 3", "tumbles_min = 99999999999999999999", points=False),
    _in_layout("value-nested", 'title = "Layout A"', "title = " + "[" * 25 + "]" * 25, points=False),
    _in_readings("value-house-choice", "house_choice = true", 'house_choice = "yes"'),
)

_NAMES = (
    _in_book("unknown-step", '"uncover"', '"lift"'),
    _in_book("unknown-fact", '"not-flat"', '"tilted"'),
    _in_book("unknown-rule", '"minimum"', '"minimun"'),
    _in_book("unknown-rule-far", '"minimum"', '"zzz"'),
    _in_software("unknown-duty", '["data"], room', '["text"], room'),
    _in_software("unknown-clause-duty", 'clause = "6"', 'clause = "6.1"'),
    _in_layout("unknown-kind", 'boxes = "small", pays', 'boxes = "tiny", pays'),
    _in_layout("unknown-box", 'boxes = "four: 1234", totals = [6, 9]', 'boxes = "four: 4321", totals = [6, 9]'),
    _in_layout("unknown-box-total", 'boxes = "small", pays', 'boxes = "total: 3 4", pays'),
    _in_layout("unknown-box-none", 'boxes = "small", pays', 'boxes = "total:", pays'),
    _in_layout("unknown-clause-pay", 'pays = 1, clause = "5"', 'pays = 1, clause = "5.1"'),
    _in_layout("unknown-clause-triple", 'clause = "5", triple_clause = "5"', 'clause = "5", triple_clause = "5.1"'),
    _in_book("unknown-clause-step", '"tumble", clause = "3"', '"tumble", clause = ["3", "3.1"]'),
    _in_book(
        "unknown-clause-fact", '"void-round", clause = "4", summary = "a', '"void-round", clause = "4.1", summary = "a'
    ),
    _in_book("unknown-clause-opening", '"dice", clause = "3"', '"dice", clause = "3.1"'),
    _in_book("unknown-clause-rule", '["2", "I1"]', '["2", "I2"]'),
    _in_book("unknown-clause-term", '"round", clause = "1"', '"round", clause = ["1", "1.1"]'),
    _in_book("unknown-clause-calls", 'clause = "3"\nopen', 'clause = "I9"\nopen'),
    _in_readings("unknown-clause-interpretation", 'clause = "2"', 'clause = ["2", "2.1"]'),
    _in_layout("unknown-clause-layout", 'clause = "5"\ntriple_clause = "5"', 'clause = "5.1"\ntriple_clause = "5.2"'),
)

_CLAUSES = (
    _in_clauses("clause-twice", '  { id = "6"', '  { id = "5"'),
    _in_software("clause-not-cited", '["people"], room = "people"', '["record"], room = "table"', points=False),
    _files("clause-not-cited-or-owed", software=None),
    _in_software("duty-people-mixed", '["people"], room', '["people", "record"], room'),
    _in_software("duty-empty", '["people"], room', "[], room"),
    _in_software("duty-twice", 'clause = "2"', 'clause = "1"'),
    _in_clauses("duty-in-two-files", 'id = "2",', 'id = "2", duty = ["rule"], room = "core",', points=False),
    _in_clauses("duty-unknown-in-clauses", 'id = "6",', 'id = "6", duty = ["text"],'),
    _in_software("formerly-digest", 'digest = "0', 'digest = "x'),
    _in_software("formerly-without-reason", ', reason = "Spelling."', ""),
    _in_readings(
        "interpretation-twice",
        "house_choice = true },\n",
        "house_choice = true },\n"
        '  { id = "I1", clause = "2", question = "Again?", reading = "Yes.", house_choice = true },\n',
    ),
    Case(
        "interpretation-is-clause",
        (Edit("interpretations.toml", '{ id = "I1"', '{ id = "6"'), Edit("book.toml", '["2", "I1"]', '["2", "6"]')),
    ),
)

_PROCEDURE = (
    _in_book("fact-twice", '"exposed"', '"not-flat"'),
    _in_book(
        "opening-item-twice",
        '"Three dice are there." },\n',
        '"Three dice are there." },\n  { item = "dice", clause = "3", summary = "Three dice, again." },\n',
        points=False,
    ),
    _in_book("step-twice", _PAY, _PAY + _PAY, points=False),
    _in_book("step-missing", _COLLECT, "", points=False),
    _in_book("steps-out-of-order", _COLLECT + _PAY, _PAY + _COLLECT, points=False),
    Case(
        "tumble-misplaced",
        (Edit("book.toml", _TUMBLE, ""), Edit("book.toml", _OPEN, _TUMBLE + _OPEN)),
        points=False,
    ),
    _in_book("tumble-misplaced-before", '"after-close"', '"before-bets"', points=False),
    Case(
        "tumble-misplaced-either",
        (
            Edit("book.toml", _TUMBLE, ""),
            Edit("book.toml", _OPEN, _OPEN + _TUMBLE),
            Edit("book.toml", '"after-close"', '"either"'),
        ),
        points=False,
    ),
    _in_book("call-wrong-word", '"{face} {total}"', '"{face} {sum}"'),
    _in_book("call-missing-word", '"{low} {middle} {high} {total}"', '"{low} {middle} {high}"'),
    _in_book("call-unbalanced", '"{face} {total}"', '"{face} {total"'),
    _in_book("call-format", '"{face} {total}"', '"{face:>9} {total}"'),
    _in_book("call-conversion", '"{face} {total}"', '"{face!r} {total}"'),
)

_PAY_ROWS = (
    _in_layout("pays-fraction", "pays = 1, ", "pays = 1.5, "),
    _in_layout("pays-zero", "pays = 1, ", "pays = 0, "),
    _in_layout("pays-negative", "pays = 1, ", "pays = -1, "),
    _in_layout("pays-boolean", "pays = 1, ", "pays = true, "),
    _in_layout("pays-text", "pays = 1, ", 'pays = "even money", '),
    _in_layout("pays-colon", "pays = 1, ", 'pays = "8:1", '),
    _in_layout("pays-one-for-one", "pays = 1, ", 'pays = "1 for 1", '),
    _in_layout("pays-huge", "pays = 1, ", "pays = 1000001, "),
    _in_layout("pays-table", "pays = 1, ", "pays = { to = 1 }, "),
    _in_layout("pays-date", "pays = 1, ", "pays = 2024-01-01, "),
    _in_layout("pay-empty", _from(LAYOUT, "pay = [", "[felt]"), "pay = []\n\n"),
    _in_layout("dice-without-face", '"small", pays', '"small", dice = 1, pays'),
    _in_layout("dice-four", "dice = 2", "dice = 4"),
    _in_layout("totals-out-of-range", "totals = [6, 9]", "totals = [2, 9]"),
    _in_layout("totals-empty", "totals = [6, 9]", "totals = []"),
    _in_layout("row-never-pays", _SMALL, _SMALL.replace("pays", "totals = [12], pays")),
    _in_layout("box-pays-two-ways", "totals = [6, 9]", "totals = [6, 7, 9]", points=False),
    _in_layout("box-pays-nothing", "totals = [7, 8]", "totals = [7]"),
    _in_layout("box-twice-in-a-row", '"double: 1 2", dice = 2', '"double: 1 2 1", dice = 2'),
    _in_layout("box-twice-in-two-rows", _SMALL, _SMALL + _SMALL, points=False),
    Case("two-faults-of-one-row", (Edit("layout-A.toml", '"small", pays = 1', '"small", payz = 1, dice = 7'),)),
)

_FELT = (
    _in_layout("felt-overlap", "[4, 0, 4, 2]", "[3, 0, 4, 2]"),
    _in_layout("felt-off-the-cloth", "[4, 0, 4, 2]", "[7, 0, 4, 2]"),
    _in_layout("felt-off-the-cloth-below", "[0, 2, 4, 2]", "[0, 3, 4, 2]"),
    _in_layout(
        "felt-unknown-box", '{ at = [0, 2, 4, 2], boxes = "four: 1234" }', '{ at = [0, 2, 4, 2], boxes = "big" }'
    ),
    _in_layout(
        "felt-no-box", '{ at = [0, 2, 4, 2], boxes = "four: 1234" }', '{ at = [0, 2, 4, 2], boxes = "four: 9" }'
    ),
    _in_layout("felt-missing-area", _AT_SMALL, "", points=False),
    _in_layout(
        "felt-empty-block", '{ at = [0, 2, 4, 2], boxes = "four: 1234" }', '{ at = [0, 2, 4, 2], boxes = "four: -" }'
    ),
    _in_layout("felt-columns", "columns = 3", "columns = 0"),
    _in_layout("felt-at", "[4, 0, 4, 2]", "[4, 0, 4]"),
    _in_layout("felt-size", "[10, 4]", "[10, 400]"),
    Case(
        "felt-not-table",
        (
            Edit("layout-A.toml", _from(LAYOUT, "[felt]"), ""),
            Edit("layout-A.toml", "\npay = [", 'felt = "green"\npay = ['),
        ),
    ),
    Case(
        "felt-two-rows",
        (Edit("layout-A.toml", "[0, 0, 4, 2]", "0"), Edit("layout-A.toml", "[0, 2, 4, 2]", "[5, 1, 4, 2]")),
    ),
)

_WHEN = """  { bet = "Red", boxes = "red", when = "n({1, 4}) == 1", pays = "1 to 1", clause = "5" },\n"""


def _red(name: str, old: str, new: str, *, points: bool = True) -> Case:
    """A row with a predicate of its own, spoiled, after the row of the small box."""
    assert old in _WHEN
    return _in_layout(name, _SMALL, _SMALL + _WHEN.replace(old, new), points=points)


def _own_boxes(name: str, rows: str) -> Case:
    return Case(name, files={"boxes.toml": f"boxes = [{rows}]\n"}, points=False)


_INTERRUPTED = (
    """  { fact = "interrupted", then = "void-round", clause = "4", summary = "somebody stopped the round" },\n"""
)

_LANGUAGE = (
    _red("when-single-equals", "== 1", "= 1"),
    _red("when-unknown-word", "n({1, 4})", "reds"),
    _red("when-unknown-face", "{1, 4}", "{1, 7}"),
    _red("when-variable", "{1, 4}", "{a}"),
    _red("when-range-by-dash", "n({1, 4}) == 1", "total in 4-10"),
    _red("when-unclosed", "== 1", "== 1 and (triple"),
    _red("when-ends-early", "== 1", "=="),
    _red("when-never", "== 1", "== 1 and triple"),
    _red("when-overlaps", "},\n", "},\n" + _WHEN.replace("n({1, 4}) == 1", "triple or n(1) == 1"), points=False),
    _red("when-missing", 'when = "n({1, 4}) == 1", ', ""),
    _red("when-family-unknown", 'boxes = "red"', 'boxes = "double:{c}"'),
    _red("box-name-capital", 'boxes = "red"', 'boxes = "Red"'),
    _in_layout("ways-wrong", '"small", pays', '"small", ways = 107, pays'),
    _in_layout("ways-none", '"small", pays', '"small", ways = 0, pays'),
    _in_layout("edge-wrong", '"small", pays', '"small", edge = "2.87 %", pays'),
    _in_layout("edge-words", '"small", pays', '"small", edge = "low", pays'),
    _in_layout("player-edge", '"small", pays = 1,', '"small", pays = 10,'),
    _in_layout("player-edge-by-a-zero", "totals = [7, 8], pays = 6", "totals = [7, 8], pays = 600"),
    _in_layout("rounding-idle", "pay = [", 'rounding = { way = "down", clause = "5" }\npay = ['),
    _in_layout("rounding-unknown", "pay = [", 'rounding = { way = "fair", clause = "5" }\npay = ['),
    _in_book("no-restart", _INTERRUPTED, "", points=False),
    _in_book("restart-that-records", _INTERRUPTED, _INTERRUPTED.replace("void-round", "record"), points=False),
    _in_book("no-void-reasons", _from(BOOK, "facts = [").partition("\n]")[0], "facts = [", points=False),
    _in_layout("boxes-with-commas", '"double: 1 2", dice = 2', '"double: 1, 2", dice = 2'),
    _in_layout("boxes-with-slash", 'boxes = "small", pays', 'boxes = "total: 4/17", pays'),
    _in_layout("boxes-with-dash", 'boxes = "small", pays', 'boxes = "total: 9-12", pays'),
    _in_layout("boxes-full-width-colon", 'boxes = "small", pays', 'boxes = "total：9", pays'),
    _in_layout("clause-with-sign", 'pays = 1, clause = "5"', 'pays = 1, clause = "§5"'),
    _own_boxes("own-box-name", '{ box = "Red", title = "Red" }'),
    _own_boxes("own-box-when", '{ box = "red", title = "Red", when = "n(b) == 1" }'),
    _own_boxes("own-box-variables", '{ box = "red:{a}{t}", title = "Red" }'),
    _own_boxes("own-box-twice", '{ box = "red", title = "Red" }, { box = "red", title = "Red" }'),
    _own_boxes("own-box-untitled", '{ box = "red" }'),
    _own_boxes("own-box-key", '{ box = "red", title = "Red", pays = 3 }'),
)

_SLIPS = (
    _in_layout("slip-missing-comma", _SMALL, _SMALL.replace("},", "}"), points=False),
    _in_layout("slip-missing-comma-in-row", 'bet = "Small", ', 'bet = "Small" '),
    _in_layout("slip-curly-quotes", 'bet = "Small"', "bet = “Small”"),
    _in_layout("slip-curly-single-quotes", 'bet = "Small"', "bet = ‘Small’"),
    _in_layout("slip-full-width-comma", 'bet = "Small", ', 'bet = "Small"， '),
    _in_layout("slip-no-quotes", 'boxes = "small", pays', "boxes = small, pays"),
    _in_book("slip-date", "effective = 2024-01-01", "effective = 29.02.2024"),
    _in_book("slip-date-slashes", "effective = 2024-01-01", "effective = 2/29/2024"),
    _in_book("slip-true", "bell = false", "bell = False"),
    _in_book("slip-no-such-date", "effective = 2024-01-01", "effective = 2024-13-01"),
    _in_layout("slip-box-with-a-space", 'boxes = "small", pays', 'boxes = "Any Triple", pays'),
    _in_layout("slip-kind-in-the-plural", '"double: 1 2", dice = 2', '"doubles: 1 2", dice = 2'),
    _in_layout("slip-edge-without-percent", '"small", pays = 1', '"small", edge = "2.78", pays = 1'),
    _in_layout("slip-edge-as-a-number", '"small", pays = 1', '"small", edge = 2.78, pays = 1'),
    _red("when-arithmetic", "n({1, 4})", "low + 3"),
    _red("when-chain-of-comparisons", "n({1, 4}) == 1", "4 <= total <= 10"),
    _red("when-name-of-a-face", "n({1, 4})", "n(fish)"),
    _red("when-sum", "n({1, 4})", "sum"),
    _red("when-arrow", "== 1", "=> 1"),
    _red("when-square-brackets", "n({1, 4}) == 1", "total in [4, 5]"),
)

CASES: Final = (*_FILES, *_KEYS, *_VALUES, *_NAMES, *_CLAUSES, *_PROCEDURE, *_PAY_ROWS, *_FELT, *_LANGUAGE, *_SLIPS)
