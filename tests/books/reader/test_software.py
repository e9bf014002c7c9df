"""What stands beside a book and outside its digest: duties, rooms, and the digests of earlier versions."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from taisai.books import open_shelf, read_book
from taisai.books.duties import ClauseDuty, Duty
from taisai.books.reader.book import digest_of, read_folder
from taisai.books.reader.forms import FormerlyForm
from taisai.books.reader.software import former_digests
from tests.books.broken_cases import CLAUSES, SOFTWARE
from tests.books.helpers import OWN_IDS, change, write_book

FIRST_DIGESTS = {
    "nz-division-9": "ddad06486b5466710e87b1874c59781c2543eb875a8b614476dd6156698a1a9f",
    "rws-mini-dice-v3": "bacdc186a94f3fd5b5ca62e2cde60962701c39f99c42f6d6d2d8372ec0d13347",
    "rws-open-cover-v3": "fe18ab81856a23d3d0c8e14f07a0d2c940ffd38dde718b0b7e22d3acaa4620d5",
    "rws-tai-sai-v6": "80bbee516acafe0674ed58a9d7f1526190e7ee727be316ed28b4a0580d17551d",
}
"""The digests that version 0.1.0 printed."""


def written_for_first(folder: Path) -> Path:
    """The small book as one would have written it for version 0.1.0."""
    duties = {row["clause"]: row for row in tomllib.loads(SOFTWARE)["duties"]}
    clauses = CLAUSES
    for clause, row in duties.items():
        stated = f'{{ id = "{clause}", duty = {json.dumps(row["duty"])}, room = "{row["room"]}",'
        clauses = clauses.replace(f'{{ id = "{clause}",', stated)
    return write_book(folder, {"clauses.toml": clauses, "software.toml": None})


@pytest.mark.parametrize("book_id", OWN_IDS)
def test_an_own_book_knows_its_first_digest(book_id: str) -> None:
    """Each of the package's books goes by its digest of version 0.1.0 as well, and by no other."""
    book = open_shelf(environment={}).book(book_id)
    (former,) = book.formerly
    assert (former.digest, former.version) == (FIRST_DIGESTS[book_id], "0.1.0")
    assert former.reason
    assert book.digest != former.digest
    assert book.matches(book.digest)
    assert book.matches(former.digest)
    assert not book.matches("0" * 64)


def test_a_book_written_for_the_first_version_is_read(tmp_path: Path) -> None:
    """Duty and room in `clauses.toml` are read as duties, and the digest is that of the book without them."""
    old = read_folder(written_for_first(tmp_path / "old" / "mini"))
    new = read_folder(write_book(tmp_path / "new" / "mini"))
    assert old.book.digest == new.book.digest
    assert old.duties == new.duties
    assert old.duties["3"] == ClauseDuty((Duty.RULE, Duty.RECORD), "table")


def test_tables_of_a_book_written_for_the_first_version_go_on(tmp_path: Path) -> None:
    """Such a book goes by the digest that version 0.1.0 worked out, which its files still prove."""
    folder = written_for_first(tmp_path / "mini")
    tables = {path.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.toml")}
    book = read_book(folder)
    assert [(former.digest, former.version) for former in book.formerly] == [(digest_of("mini", tables), "0.1.0")]
    change(folder, "layout-A.toml", "pays = 1,", 'pays = "0.9 to 1",')
    assert not read_book(folder).matches(book.formerly[0].digest)


def test_a_digest_does_not_see_what_stands_beside_the_book(tmp_path: Path) -> None:
    """A clause may move to another folder of the source, and the book is the same."""
    folder = write_book(tmp_path / "mini")
    digest = read_book(folder).digest
    change(folder, "software.toml", 'room = "core"', 'room = "table"')
    change(folder, "software.toml", '["rule", "record"]', '["rule"]')
    assert read_book(folder).digest == digest


def test_a_former_digest_lapses_when_the_rules_change(tmp_path: Path) -> None:
    """A row of former digests holds for the digest that it names as today's, so an edited book is another one."""
    folder = write_book(tmp_path / "mini")
    assert read_book(folder).formerly == ()
    change(folder, "software.toml", "1" * 64, read_book(folder).digest)
    assert read_book(folder).matches("0" * 64)
    change(folder, "layout-A.toml", "pays = 1,", 'pays = "0.9 to 1",')
    assert read_book(folder).formerly == ()
    assert not read_book(folder).matches("0" * 64)


def test_a_stated_former_digest_is_not_told_twice() -> None:
    """A digest that the files prove and a row states stands once, with the row's reason."""
    stated = FormerlyForm("a" * 64, "b" * 64, "0.1.0", "Stated.")
    (former,) = former_digests("b" * 64, "a" * 64, [stated])
    assert former.reason == "Stated."
    assert former_digests("b" * 64, "b" * 64, []) == ()


def test_a_book_need_not_say_what_the_software_owes_it(tmp_path: Path) -> None:
    """A book in which every clause is cited needs no `software.toml`, and then states no duty."""
    folder = write_book(tmp_path / "mini", {"software.toml": None})
    change(folder, "book.toml", 'clause = "3"\nopen', 'clause = ["3", "6"]\nopen')
    read = read_folder(folder)
    assert read.duties == {}
    assert "6" in read.book.clauses
