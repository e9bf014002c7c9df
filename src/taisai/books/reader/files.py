"""The state of reading a rule book's folder: its files, its faults, the clauses it has and cites.

Enters: a folder. Leaves: rows as forms, and faults with file, line and row. A row that cannot be read still gives its
id and citations where possible, so that one fault does not look like many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from taisai.books.reader import forms
from taisai.books.reader.faults import BookFault
from taisai.books.reader.toml_text import places_of, text_of
from taisai.core.faults import shown
from taisai.outside import Unreadable, toml_of

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a book or a layout may be called."""
ID_WORDS: Final = "begins with a letter or digit and goes on with letters, digits, dots, hyphens and underscores"

Form = TypeVar("Form", bound=Struct)


class BookFile:
    """One TOML file of the book: its table, and the faults found in it."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name = path.name
        self.table: dict[str, object] = {}
        self._reading = reading
        self._text = ""
        self._readable = False
        try:
            self._text = text_of(path)
            self.table = toml_of(self._text, self.name)
            self._readable = True
        except Unreadable as error:
            reading.faults.append(BookFault(self.name, error.line, "", error.reason))

    def fault(self, reason: str, key: str = "", index: int | None = None) -> None:
        """Note a fault of the file, of a key, or of a key's row (counted from 0)."""
        row = key if index is None else f"{key} row {index + 1}"
        line = self._line(key if index is None else f"{key}[{index}]")
        self._reading.faults.append(BookFault(self.name, line, row, reason))

    @cached_property
    def _places(self) -> dict[str, int]:
        return places_of(self._text)

    def _line(self, path: str) -> int | None:
        """The line of a key or row, or of the nearest enclosing one that has a line."""
        while path and path not in self._places:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._places.get(path)

    def form(self, form: type[Form]) -> Form | None:
        """The file's whole table as a form."""
        found = forms.read_form(self.table, form) if self._readable else []
        if not isinstance(found, list):
            return found
        self._reading.citations_known = False
        for flaw in found:
            path = ".".join(part for part in (flaw.table, flaw.key) if part)
            line = self._places.get(path) or self._line(flaw.table)
            self._reading.faults.append(BookFault(self.name, line, flaw.table, flaw.reason))
        return None

    def rows(self, key: str, raw: Iterable[object], form: type[Form]) -> Iterator[tuple[int, Form]]:
        """The well-formed rows under a key, with their indexes; the others become faults."""
        for index, each in enumerate(raw):
            found = forms.read_form(each, form)
            if isinstance(found, list):
                for flaw in found:
                    self.fault(flaw.reason, key, index)
                self._reading.note_unreadable(each, form)
            else:
                yield index, found


class Reading:
    """The state of reading one folder."""

    def __init__(self, folder: Path) -> None:
        self.book_id = folder.name
        self.faults: list[BookFault] = []
        self.files: list[BookFile] = []
        self.folder = folder
        self.citable: set[str] = set()
        """Ids of clauses and interpretations."""
        self.cited: set[str] = set()
        self.clause_rows: dict[str, int] = {}
        """The row of each clause in `clauses.toml`, counted from 0."""
        self.ids_known = True
        """Whether every id could be read; if not, a citation of an unknown clause is not reported."""
        self.citations_known = True
        """Whether every citation could be read; if not, a clause that nothing cites is not reported."""

    def open(self, name: str) -> BookFile:
        """A file of the folder, read."""
        file = BookFile(self.folder / name, self)
        self.files.append(file)
        return file

    def note_unreadable(self, raw: object, form: type[Struct]) -> None:
        """Take the id and the citations out of a row that is refused, so that one fault does not look like many."""
        row = raw if isinstance(raw, dict) else {}
        if "id" in form.__struct_fields__:
            if isinstance(row.get("id"), str):
                self.citable.add(row["id"])
            else:
                self.ids_known = False
            return
        citations = [row.get("clause"), row.get("triple_clause", [])]
        if not all(isinstance(each, str | list) for each in citations):
            self.citations_known = False
        for each in citations:
            self.cited.update(map(str, each if isinstance(each, list) else [each]))

    def cite(
        self, file: BookFile, citation: str | list[str] | None, key: str, index: int | None = None
    ) -> tuple[str, ...]:
        """The clauses of a row, each of which must exist."""
        clauses = (citation,) if isinstance(citation, str) else tuple(citation or ())
        for clause in clauses:
            if clause not in self.citable and self.ids_known:
                bare = clause.replace("§", "").replace("clause", "").strip()
                remedy = f"; write {bare}" if bare != clause and bare in self.citable else ""
                reason = f"unknown clause {shown(clause)}: neither clauses.toml nor interpretations.toml has it"
                file.fault(reason + remedy, key, index)
        self.cited.update(clauses)
        return clauses
