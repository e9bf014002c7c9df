"""The installed rule books, by name.

Enters: folders of books (the package's own, `TAISAI_BOOKS`, `--book-dir`). Leaves: rule books and layouts by name, each
read and proven once. A book id found in two folders is refused, so that nobody plays by a book other than the one
meant.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from taisai.books.duties import Duties
from taisai.books.reader.book import BookRead, read_folder
from taisai.books.reader.faults import BookFault, BookRefused
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import Layout, RuleBook
from taisai.outside import real_path

OWN_BOOKS = Path(__file__).parent / "data"
ENVIRONMENT_NAME = "TAISAI_BOOKS"


class Shelf:
    """The installed rule books by id. A book is read when it is first asked for."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = dict(folders)
        self._read: dict[str, BookRead] = {}

    @property
    def folders(self) -> Mapping[str, Path]:
        """The folder of each book by its id."""
        return self._folders

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all installed books, readable or not."""
        return tuple(self._folders)

    def book(self, book_id: str, field_name: str = "book") -> RuleBook:
        """A book by id; `InputFault` when there is none, `BookRefused` when it has faults."""
        return self._folder(book_id, field_name).book

    def duties(self, book_id: str) -> Duties:
        """What the software owes the clauses of a book."""
        return self._folder(book_id, "book").duties

    def _folder(self, book_id: str, field_name: str) -> BookRead:
        if book_id not in self._read:
            folder = self._folders.get(book_id)
            if folder is None:
                raise InputFault(field_name, _unknown("rule book", book_id, self.ids))
            self._read[book_id] = read_folder(folder)
        return self._read[book_id]

    def layout(self, name: str, field_name: str = "layout") -> Layout:
        """A layout by its full name, `BOOK/LAYOUT`."""
        book_id, _, layout_id = name.partition("/")
        if book_id not in self._folders:
            raise InputFault(field_name, _unknown("layout", name, self._layout_names()))
        book = self.book(book_id, field_name)
        layout = book.layouts.get(layout_id)
        if layout is None:
            raise InputFault(field_name, _unknown("layout", name, [each.name for each in book.layouts.values()]))
        return layout

    def books(self) -> tuple[RuleBook, ...]:
        """Every installed book that can be read; `broken` has the others."""
        broken = self.broken
        return tuple(self.book(book_id) for book_id in self._folders if book_id not in broken)

    @property
    def broken(self) -> dict[str, BookRefused]:
        """The installed books that cannot be used, each with its faults: a draft stops nobody else's table."""
        found = {}
        for book_id in self._folders:
            try:
                self.book(book_id)
            except BookRefused as error:
                found[book_id] = error
        return found

    def edition_faults(self, book: RuleBook) -> list[str]:
        """Why a book is no edition after the one that it replaces; empty when it is, or replaces none."""
        if not book.replaces:
            return []
        if book.replaces not in self._folders:
            return [f"it replaces {shown(book.replaces)}, which is not installed"]
        before = self.book(book.replaces).effective
        if before is not None and book.effective is not None and str(before)[:10] >= str(book.effective)[:10]:
            return [f"it is in force from {book.effective}, which is not after {before}, when {book.replaces} is"]
        return []

    def _layout_names(self) -> list[str]:
        return [
            f"{book_id}/{path.stem.removeprefix('layout-')}"
            for book_id, folder in self._folders.items()
            for path in sorted(folder.glob("layout-*.toml"))
        ]


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3)
    return f"unknown {what} {shown(name)}; " + (
        f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    )


def open_shelf(book_dirs: Iterable[str | Path] = (), *, environment: Mapping[str, str] = os.environ) -> Shelf:
    """The package's own books, those of `TAISAI_BOOKS` and those of the folders given."""
    own = {folder.name: folder for folder in _book_folders(OWN_BOOKS)}
    shelf = dict(own)
    named = [Path(part) for part in environment.get(ENVIRONMENT_NAME, "").split(os.pathsep) if part]
    for directory in [*named, *map(Path, book_dirs)]:
        found = _book_folders(directory)
        if not found:
            raise InputFault(
                "book-dir", f"no rule book in {shown(str(directory))}: a book is a folder with a book.toml"
            )
        for folder in found:
            standing = shelf.setdefault(folder.name, folder)
            if real_path(standing) != real_path(folder):
                where = "among taisai's own books" if folder.name in own else f"in {standing}"
                raise BookRefused(
                    folder.name, [BookFault(str(folder), None, "", f"a book of this id already stands {where}")]
                )
    return Shelf(shelf)


def _book_folders(directory: Path) -> list[Path]:
    try:
        if (directory / "book.toml").is_file():
            return [real_path(directory)]
        return sorted(folder for folder in directory.iterdir() if (folder / "book.toml").is_file())
    except (FileNotFoundError, NotADirectoryError):
        raise InputFault("book-dir", f"{shown(str(directory))} is not a folder") from None
    except OSError as error:
        raise InputFault("book-dir", f"{shown(str(directory))} cannot be read: {error.strerror}") from None
