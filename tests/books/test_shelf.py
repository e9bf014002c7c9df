"""The installed books: which there are, and how one is asked for by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from taisai.books import BookRefused, open_shelf
from taisai.books.shelf import OWN_BOOKS
from taisai.core.faults import InputFault
from tests.books.editions import FIRST, SECOND, two_editions
from tests.books.helpers import HOUSE, OWN_IDS, copy_own, write_book

HARBOUR = HOUSE / "harbour-sic-bo"


def test_the_own_books_are_always_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without folders the four own books are installed; by default the process's environment is asked."""
    assert open_shelf(environment={}).ids == OWN_IDS
    monkeypatch.setenv("TAISAI_BOOKS", str(HOUSE))
    assert open_shelf().ids == (*OWN_IDS, "harbour-sic-bo")


def test_a_book_is_read_once_and_when_asked_for(tmp_path: Path) -> None:
    """A broken book does no harm until it is asked for, and a good one is read once."""
    write_book(tmp_path / "broken", {"book.toml": "x"})
    shelf = open_shelf([tmp_path], environment={})
    assert shelf.book("nz-division-9") is shelf.book("nz-division-9")
    with pytest.raises(BookRefused, match=r"^rule book broken refused: book\.toml: is not TOML: ") as refused:
        shelf.book("broken")
    assert refused.value.book_id == "broken"
    assert list(shelf.broken) == ["broken"]


def test_the_id_of_an_own_book_is_taken(tmp_path: Path) -> None:
    """A folder with the name of an own book is refused, be its content the same."""
    folder = copy_own("nz-division-9", tmp_path)
    with pytest.raises(BookRefused) as refused:
        open_shelf([tmp_path], environment={})
    (fault,) = refused.value.faults
    assert str(fault) == f"{folder}: a book of this id already stands among taisai's own books"


def test_two_houses_cannot_share_an_id(tmp_path: Path) -> None:
    """Two folders of one name are refused: nobody should play by a book other than the one meant."""
    shutil.copytree(HARBOUR, tmp_path / HARBOUR.name)
    with pytest.raises(BookRefused) as refused:
        open_shelf([HOUSE], environment={"TAISAI_BOOKS": str(tmp_path)})
    (fault,) = refused.value.faults
    assert str(fault) == f"{HARBOUR}: a book of this id already stands in {tmp_path / HARBOUR.name}"


def test_one_folder_may_be_given_twice(tmp_path: Path) -> None:
    """The same folder given again, by another path or by the environment, is no contradiction."""
    (tmp_path / "link").symlink_to(HOUSE)
    again: list[str | Path] = [HOUSE, str(HOUSE / ".." / "sample"), HARBOUR, tmp_path / "link", OWN_BOOKS]
    assert open_shelf(again, environment={"TAISAI_BOOKS": str(HOUSE)}).ids == (*OWN_IDS, "harbour-sic-bo")


@pytest.mark.parametrize("name", ["nowhere", "file.txt", "file.txt/inside"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    """A folder of books must be there and be a folder."""
    (tmp_path / "file.txt").write_text("text", encoding="utf-8")
    with pytest.raises(InputFault, match=r"^book-dir: .* is not a folder$"):
        open_shelf([tmp_path / name], environment={})


def test_a_folder_without_a_book_is_refused(tmp_path: Path) -> None:
    """An empty folder of books is surely a mistake, and the message says what a book is."""
    (tmp_path / "notes").mkdir()
    with pytest.raises(InputFault, match=r"^book-dir: no rule book in .*: a book is a folder with a book\.toml$"):
        open_shelf([tmp_path], environment={})


def test_a_folder_that_cannot_be_read_is_refused() -> None:
    """What the operating system refuses becomes a fault of the input, not a traceback."""
    with pytest.raises(InputFault, match=r"^book-dir: .* cannot be read: "):
        open_shelf(["x" * 5000], environment={})


def test_an_unknown_book_is_named_with_its_neighbours() -> None:
    """A book that is not there gives what comes near, or all there are."""
    shelf = open_shelf(environment={})
    with pytest.raises(InputFault, match=r"^book: unknown rule book 'nz-division-8'; did you mean nz-division-9\?$"):
        shelf.book("nz-division-8")
    with pytest.raises(InputFault, match=r"^rules: unknown rule book 'x'; there are nz-division-9, rws-mini-dice-v3, "):
        shelf.book("x", "rules")


def test_an_unknown_layout_is_named_with_its_neighbours() -> None:
    """A layout that is not there gives what comes near: of its book if that is there, otherwise of all."""
    shelf = open_shelf(environment={})
    assert shelf.layout("rws-tai-sai-v6/C").name == "rws-tai-sai-v6/C"
    with pytest.raises(InputFault, match=r"^layout: unknown layout 'rws-tai-sai-v6/B'; did you mean rws-tai-sai-v6/"):
        shelf.layout("rws-tai-sai-v6/B")
    with pytest.raises(InputFault, match=r"^layout: unknown layout 'rws-tai-sai-v5/C'; did you mean rws-tai-sai-v6/C"):
        shelf.layout("rws-tai-sai-v5/C")
    with pytest.raises(InputFault, match=r"^table: unknown layout 'x'; there are nz-division-9/1, nz-division-9/2, "):
        shelf.layout("x", "table")


def test_a_broken_draft_hides_no_other_book(tmp_path: Path) -> None:
    """A book that cannot be read is told apart, and every other one is there."""
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "book.toml").write_text("title = ", encoding="utf-8")
    shelf = open_shelf([tmp_path], environment={})
    assert list(shelf.broken) == ["draft"]
    assert shelf.broken["draft"].faults
    assert {book.id for book in shelf.books()} == set(open_shelf(environment={}).ids)


def test_an_edition_follows_the_one_that_it_replaces(tmp_path: Path) -> None:
    """The edition before must be installed, and be in force before it."""
    shelf = open_shelf([two_editions(tmp_path / "good")], environment={})
    assert shelf.book(SECOND).replaces == FIRST
    assert shelf.edition_faults(shelf.book(FIRST)) == shelf.edition_faults(shelf.book(SECOND)) == []
    early = open_shelf([two_editions(tmp_path / "early", effective="2023-01-01")], environment={})
    (fault,) = early.edition_faults(early.book(SECOND))
    assert fault.startswith("it is in force from 2023-01-01, which is not after 2024-03-01")
    alone = open_shelf([tmp_path / "good" / SECOND], environment={})
    assert alone.edition_faults(alone.book(SECOND)) == [f"it replaces '{FIRST}', which is not installed"]


def test_an_edition_that_cannot_follow_is_refused(tmp_path: Path) -> None:
    """It names a folder that can be one, not its own, and says from when it is in force."""
    folder = two_editions(tmp_path)
    book = folder / SECOND / "book.toml"
    text = book.read_text(encoding="utf-8")
    for wrong in (
        text.replace(f'replaces = "{FIRST}"', f'replaces = "{SECOND}"'),
        text.replace("effective = 2025-06-01\n", ""),
    ):
        book.write_text(wrong, encoding="utf-8")
        with pytest.raises(BookRefused, match="replaces"):
            open_shelf([folder], environment={}).book(SECOND)


def test_the_shelf_tells_where_its_books_stand(tmp_path: Path) -> None:
    """Each book has the folder that it is read from, a house's own too: another process reads the same ones."""
    own = write_book(tmp_path / "harbour")
    folders = open_shelf([tmp_path], environment={}).folders
    assert set(folders) == {*OWN_IDS, "harbour"}
    assert folders["harbour"] == own
