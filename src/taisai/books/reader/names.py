"""Reads what a book calls things: its faces, and its names in each language.

Enters: `faces` of `book.toml`, and `names.LANG.toml` of the package and of the book. Leaves: `Face`s with pictures, and
`Names` in which every key is a word of the book and every placeholder can be filled. A translation has a digest of its
own: a better word for a bet does not change the rules.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import string
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from taisai.books.reader import forms
from taisai.books.reader.definitions import standard_definitions
from taisai.books.reader.files import BookFile, Reading
from taisai.core.boxes import Box, Definitions
from taisai.core.cloth import PrintRole
from taisai.core.dice import FACES
from taisai.core.faults import shown
from taisai.core.names import CALL_WORDS, DIGITS, OWN_LANGUAGE, Face, Names, Part
from taisai.core.rulebook import Clause, Layout, Procedure

NAMES: Final = re.compile(r"names\.([a-z]{2,3}(?:-[A-Za-z]{2,4})?)\.toml")
_PACKAGE: Final = Path(__file__).parent.parent
_NOT_WORDS: Final = frozenset({PrintRole.DICE, PrintRole.NUMBERS})

Words = dict[Part, dict[str, str]]


class Translation:
    """One file of names as it is read; `check` finds what of it the book does not have."""

    def __init__(self, file: BookFile, words: Words) -> None:
        self.file = file
        self.words = words
        text = json.dumps(words, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    def check(self, known: Mapping[Part, Mapping[str, str]]) -> None:
        """Note every key that the book does not have, and every placeholder that cannot be filled."""
        for part, words in self.words.items():
            for key, text in words.items():
                if key not in known[part]:
                    near = difflib.get_close_matches(key, known[part], n=1)
                    remedy = f"did you mean {shown(near[0])}?" if near else _there_are(known[part])
                    self.file.fault(f"the book has no {shown(key)} among its {part}; {remedy}", f"{part}.{key}")
                elif reason := _placeholders_wrong(part, key, text, known[part][key]):
                    self.file.fault(reason, f"{part}.{key}")


def _there_are(keys: Iterable[str]) -> str:
    first = list(keys)[:12]
    return f"there are {', '.join(first)}" if first else "it has none"


def _fields(text: str) -> set[str] | None:
    """The placeholders of a text; None when its braces do not match."""
    try:
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    except ValueError:
        return None


def _placeholders_wrong(part: Part, key: str, text: str, own: str) -> str | None:
    """Why the placeholders of a translation cannot be filled."""
    said, allowed = _fields(text), _fields(own) or set()
    if said is None:
        return f"the braces of {shown(text)} do not match"
    if part in {Part.BOXES, Part.NEEDS, Part.BETS}:
        letters = _fields(key) or set()
        allowed = allowed | letters | {"n"} if part is Part.BETS or letters else allowed
        if part is Part.BOXES and "{" in key and not said:
            return f"{shown(text)} would stand for every box of {key}: say where the faces go, with {{n}}"
    elif part is Part.CALLS and said != allowed:
        return f"must say {' '.join(sorted(f'{{{name}}}' for name in allowed)) or 'no placeholder'}, got {shown(text)}"
    strange = sorted(said - allowed)
    if strange:
        return f"unknown placeholder {{{strange[0]}}} in {shown(text)}; {_there_are(sorted(allowed))}"
    return None


def read_translations(reading: Reading) -> dict[str, Translation]:
    """The files of names in the folder, by language."""
    found = {}
    for path in sorted(reading.folder.glob("names.*.toml")):
        name = NAMES.fullmatch(path.name)
        if name is None:
            continue  # No file of a rule book, which the reader of the folder says.
        file = reading.open(path.name)
        form = file.form(forms.NamesForm)
        if form is not None:
            words = {part: dict(getattr(form, part)) for part in Part if getattr(form, part)}
            found[name[1]] = Translation(file, words)
    return found


@cache
def package_names() -> Mapping[str, Words]:
    """What the boxes of the package are called in each language."""
    reading = Reading(_PACKAGE)
    found = {lang: each.words for lang, each in read_translations(reading).items()}
    assert not reading.faults, reading.faults
    return found


def own_names(translations: Mapping[str, Translation], faces: tuple[Face, ...], definitions: Definitions) -> Names:
    """The book's own words, with its own names of boxes and bets where it has a file of them."""
    return _names(OWN_LANGUAGE, translations.get(OWN_LANGUAGE), faces, definitions)


def all_names(
    translations: Mapping[str, Translation], faces: tuple[Face, ...], definitions: Definitions
) -> dict[str, Names]:
    """The names in every language but the book's own: those of the package, and those of the book before them."""
    languages = sorted({*package_names(), *translations} - {OWN_LANGUAGE})
    return {lang: _names(lang, translations.get(lang), faces, definitions) for lang in languages}


def _names(lang: str, translation: Translation | None, faces: tuple[Face, ...], definitions: Definitions) -> Names:
    own = translation.words if translation is not None else {}
    # A book that defines `double` anew does not mean what the package calls by that name.
    standard = [family for family in standard_definitions().families if family in definitions.families]
    titled = {family.pattern for family in definitions.families} - {family.pattern for family in standard}
    meant = {each for family in standard for each in (family.pattern, family.kind)}
    package = {
        part: {key: text for key, text in words.items() if key in meant or part is Part.LABELS}
        for part, words in package_names().get(lang, {}).items()
    }
    words = {part: {**package.get(part, {}), **own.get(part, {})} for part in (*package, *own)}
    by_face = own.get(Part.FACES, {})
    called = [face.name for face in faces] or DIGITS
    names = tuple(by_face.get(str(face), name) for face, name in zip(FACES, called, strict=True))
    return Names(
        lang,
        names,
        words,
        translation.digest if translation is not None else "",
        titled | own.get(Part.BOXES, {}).keys(),
    )


def _by_itself(texts: Iterable[str]) -> dict[str, str]:
    return {text: text for text in texts if text}


def words_of_book(
    form: forms.BookForm,
    layouts: Iterable[Layout],
    procedure: Procedure,
    clauses: Iterable[Clause],
    faces: tuple[Face, ...],
) -> dict[Part, dict[str, str]]:
    """Everything of a book that has a name: the key in a translation, and the book's own words."""
    layouts = tuple(layouts)
    boxes: list[Box] = [box for layout in layouts for box in layout.boxes.values()]
    bets = {row.bet: row.bet for layout in layouts for row in layout.rows}
    blocks = [block for layout in layouts if layout.felt is not None for block in layout.felt.blocks]
    lines = [line.text for block in blocks for line in block.lines if line.role not in _NOT_WORDS]
    calls = {key: str(getattr(procedure.calls, key)) for key in ("open", "close", "void", *CALL_WORDS)}
    return {
        Part.BOOK: {"title": form.title},
        Part.BETS: bets,
        Part.BOXES: {box.definition.pattern: box.definition.title for box in boxes},
        Part.NEEDS: {box.definition.pattern: box.definition.needs for box in boxes},
        Part.KINDS: {box.kind: box.definition.plural for box in boxes},
        Part.LAYOUTS: {layout.id: layout.title for layout in layouts},
        Part.SECTIONS: bets | _by_itself(block.section for block in blocks),
        Part.LABELS: _by_itself([*lines, *(block.heading for block in blocks)]),
        Part.FACES: {str(face): str(face) for face in FACES} if faces else {},
        Part.CALLS: calls,
        Part.FACTS: {rule.reason: rule.summary for rule in procedure.facts.values()},
        Part.OPENING: {item.item: item.summary for item in procedure.opening},
        Part.CLAUSES: {clause.id: clause.summary for clause in clauses},
    }
