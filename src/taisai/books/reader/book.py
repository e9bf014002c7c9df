"""Reads a rule book's folder and proves it.

Enters: a folder of TOML (docs/rule-books.md). Leaves: a `RuleBook`, or `BookRefused` with every fault, each with file,
line, row and reason. What is proved: every key and name is known; every citation exists; every clause is cited or
people's work; over all 216 rolls each box pays exactly one way where it wins; the procedure is a whole round; the felt
holds every box.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from taisai.books.duties import Duties
from taisai.books.reader import forms
from taisai.books.reader.clauses import (
    check_every_clause_is_cited,
    effective_from,
    read_clauses,
    read_interpretations,
)
from taisai.books.reader.definitions import BOXES, read_definitions
from taisai.books.reader.faults import BookFault, BookRefused
from taisai.books.reader.files import ID, ID_WORDS, Reading
from taisai.books.reader.forms import quoted
from taisai.books.reader.layouts import read_layouts
from taisai.books.reader.names import NAMES, all_names, own_names, read_translations, words_of_book
from taisai.books.reader.pictures import PICTURES, read_faces
from taisai.books.reader.procedure import read_procedure, read_rules, read_terms
from taisai.books.reader.recount_file import check_recounts
from taisai.books.reader.software import SOFTWARE, former_digests, read_software
from taisai.core.rulebook import RuleBook

_NAMES: Final = ("book.toml", "clauses.toml", "interpretations.toml", BOXES, PICTURES, SOFTWARE)
_NOT_RULES: Final = ("duty", "room")
"""Keys of a clause that say nothing about the game."""


class BookRead(NamedTuple):
    """A rule book, and what the software owes its clauses."""

    book: RuleBook
    duties: Duties


def read_book(folder: Path) -> RuleBook:
    """Read and prove the book in a folder."""
    return read_folder(folder).book


def read_folder(folder: Path) -> BookRead:
    """Read and prove the book in a folder, and read the duties of its clauses."""
    reading = Reading(folder)
    if not ID.fullmatch(reading.book_id):
        reason = f"the name of a book's folder {ID_WORDS}"
        raise BookRefused(reading.book_id, [BookFault(reading.book_id, None, "", reason)])
    book_file = reading.open("book.toml")
    clauses_file = reading.open("clauses.toml")
    form = book_file.form(forms.BookForm)
    effective = effective_from(book_file, form.effective, "effective") if form else None
    clauses, duties_here = read_clauses(reading, clauses_file, effective)
    interpretations = read_interpretations(reading, clauses)
    duties, formerly = read_software(reading, duties_here)
    reading.citable |= clauses.keys() | interpretations.keys()
    translations = read_translations(reading)
    faces = read_faces(reading, book_file, form.faces if form else [])
    definitions = read_definitions(reading)
    names = own_names(translations, faces, definitions)
    found = read_layouts(reading, _layout_files(reading), definitions, names, faces)
    layouts = {layout.id: layout for layout in found}
    check_recounts(reading, layouts)
    if form is None:
        raise BookRefused(reading.book_id, reading.faults)
    if form.replaces is not None:
        if not ID.fullmatch(form.replaces) or form.replaces == reading.book_id:
            book_file.fault(
                f"`replaces` names the edition before this one by its folder, got {quoted(form.replaces)}", "replaces"
            )
        if effective is None:
            book_file.fault("an edition that replaces another says from when: `effective` is missing", "replaces")
    terms = read_terms(reading, book_file, form.terms)
    rules = read_rules(reading, book_file, form.rules)
    procedure = read_procedure(reading, book_file, form.procedure, faces)
    if not reading.faults:
        words = words_of_book(form, layouts.values(), procedure, clauses.values(), faces)
        for translation in translations.values():
            translation.check(words)
    if reading.citations_known:
        check_every_clause_is_cited(reading, clauses_file, duties)
    if reading.faults:
        raise BookRefused(reading.book_id, reading.faults)
    rules_in = [file for file in reading.files if file.name != SOFTWARE and not NAMES.fullmatch(file.name)]
    tables = {file.name: file.table for file in rules_in}
    digest = digest_of(reading.book_id, _rules_alone(tables))
    book = RuleBook(
        id=reading.book_id,
        title=form.title,
        version=form.version,
        operator=form.operator,
        jurisdiction=form.jurisdiction,
        document=form.document,
        effective=effective,
        replaces=form.replaces or "",
        terms=MappingProxyType(terms),
        rules=MappingProxyType(rules),
        procedure=procedure,
        clauses=MappingProxyType(clauses),
        interpretations=MappingProxyType(interpretations),
        layouts=MappingProxyType(layouts),
        names=names,
        faces=faces,
        translations=MappingProxyType(all_names(translations, faces, definitions)),
        digest=digest,
        formerly=former_digests(digest, digest_of(reading.book_id, tables), formerly),
    )
    return BookRead(book, MappingProxyType(dict(duties)))


def _layout_files(reading: Reading) -> list[str]:
    """The names of the layout files. Any other TOML file is a fault: a misspelt name would be ignored silently."""
    found = {path.name for path in reading.folder.glob("*") if path.suffix.lower() == ".toml"}
    names = {name for name in found if name.startswith("layout-") and name.endswith(".toml")}
    for name in sorted(found - names - set(_NAMES)):
        if not name.startswith(".") and not NAMES.fullmatch(name):
            reason = f"no file of a rule book; these are {', '.join(_NAMES)}, layout-ID.toml and names.LANG.toml"
            reading.faults.append(BookFault(name, None, "", reason))
    if not names:
        reading.citations_known = False
        reading.faults.append(BookFault("layout-*.toml", None, "", "a book has at least one layout"))
    return sorted(names)


def digest_of(book_id: str, tables: dict[str, Any]) -> str:
    """SHA-256 of a book's canonical content: what its files say, not how they are spaced or commented."""
    content = {"id": book_id, "files": tables}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_moment)
    return hashlib.sha256(text.encode()).hexdigest()


def _rules_alone(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables without what a clause says about the software rather than the game."""
    clauses = [
        {key: value for key, value in row.items() if key not in _NOT_RULES} for row in tables["clauses.toml"]["clauses"]
    ]
    return {**tables, "clauses.toml": {"clauses": clauses}}


def _moment(value: date) -> str:
    """A date, and the time of day where there is one (`date.isoformat` itself would drop it)."""
    return value.isoformat()
