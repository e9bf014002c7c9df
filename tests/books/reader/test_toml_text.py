"""The files as text: what is refused before its meaning is looked at, and the line of every row."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from taisai.books import read_book
from taisai.books.reader.toml_text import FILE_BYTES_MAX, places_of
from taisai.outside import DEPTH_MAX, LINE_MAX
from tests.books.broken_cases import BOOK, CLAUSES, GOOD, LAYOUT
from tests.books.helpers import change, faults_of, lines_of, write_book


def test_a_text_that_is_not_utf8_is_refused_at_its_line(tmp_path: Path) -> None:
    """A file in another encoding is refused with the line of the first byte that does not fit."""
    text = CLAUSES.replace("The dealer stands.", "The dealer is a caissi\u00e8re.")
    folder = write_book(tmp_path / "mini", {"clauses.toml": text.encode("latin-1")})
    assert lines_of(folder) == ["clauses.toml:7: is not UTF-8 text (byte 0xe8); save it as UTF-8"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_wide_text_is_refused(tmp_path: Path, encoding: str) -> None:
    """Text as some editors call Unicode is refused as well."""
    (fault,) = faults_of(write_book(tmp_path / "mini", {"book.toml": BOOK.encode(encoding)}))
    assert (fault.file, fault.line) == ("book.toml", 1)
    assert fault.reason.startswith("is not UTF-8 text")


def test_how_a_text_is_saved_does_not_matter(tmp_path: Path) -> None:
    """A byte order mark and the line ends of another system change nothing, not even the digest."""
    plain = read_book(write_book(tmp_path / "one" / "mini"))
    other = {name: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() for name, text in GOOD.items()}
    assert read_book(write_book(tmp_path / "two" / "mini", other)) == plain


def test_lines_are_counted_alike_however_a_text_is_saved(tmp_path: Path) -> None:
    """Line ends of another system, and signs that only look like line ends, do not shift the line of a fault."""
    layout = LAYOUT.replace("pays = 1,", "pays = 0,").replace("Layout A", "Layout\u00a0A # \u3000")
    layout = layout.replace("pay = [", "# \u2028 \u0085\npay = [").replace("\n", "\r\n")
    (fault,) = faults_of(write_book(tmp_path / "mini", {"layout-A.toml": layout}))
    assert (fault.line, fault.row) == (7, "pay row 1")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """Nothing that large is a rule book, so it is not read."""
    folder = write_book(tmp_path / "mini", {"layout-B.toml": "#" * (FILE_BYTES_MAX + 1)})
    assert lines_of(folder) == [f"layout-B.toml: is larger than {FILE_BYTES_MAX} bytes"]


def test_a_monstrous_line_is_refused_at_once(tmp_path: Path) -> None:
    """A key of a hundred thousand dots, which would keep the parser busy for minutes, is refused without it."""
    started = time.process_time()
    folder = write_book(tmp_path / "mini", {"book.toml": "\n" + "a." * 100_000 + "a = 1\n"})
    assert lines_of(folder) == [f"book.toml:2: has a line of more than {LINE_MAX} characters"]
    assert time.process_time() - started < 1


@pytest.mark.parametrize("value", ["9" * 4400, "-" + "9" * 19, "0x" + "f" * 4500, str(2**63)])
def test_a_monstrous_number_is_refused(tmp_path: Path, value: str) -> None:
    """Numbers beyond 64 bits are refused in every form, those that Python itself will not print included."""
    folder = change(write_book(tmp_path / "mini"), "layout-A.toml", "pays = 1,", f"pays = {value},")
    assert lines_of(folder) == ["layout-A.toml: holds a whole number beyond 64 bits"]


@pytest.mark.parametrize("value", ["[" * 1500 + "]" * 1500, "{ " + "a." * 1500 + "a = 1 }"])
def test_monstrous_nesting_is_refused(tmp_path: Path, value: str) -> None:
    """Lists and tables nested deeper than any book needs are refused, be it by brackets or by dots."""
    folder = change(write_book(tmp_path / "mini"), "book.toml", "2024-01-01", value)
    assert lines_of(folder) == [f"book.toml: nests lists and tables more than {DEPTH_MAX} deep"]


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    """A folder that is named like a file of the book is no file."""
    folder = write_book(tmp_path / "mini")
    (folder / "layout-B.toml").mkdir()
    assert lines_of(folder) == ["layout-B.toml: is a folder, not a file"]


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operating system refuses is a fault of the book, without paths of the machine."""

    def locked(path: Path, *_more: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    folder = write_book(tmp_path / "mini")
    monkeypatch.setattr("taisai.outside.os.open", locked)
    assert lines_of(folder) == [f"{name}: cannot be read: Permission denied" for name in GOOD]


@pytest.mark.parametrize("file", sorted(GOOD))
def test_every_row_is_named_by_its_line(tmp_path: Path, file: str) -> None:
    """A stray key in any row of any file is found at the very line of that row."""
    lines = GOOD[file].splitlines()
    numbers = [number for number, line in enumerate(lines, start=1) if line.startswith("  {")]
    assert numbers
    for number in numbers:
        spoilt = [
            line.replace("{", "{ zzz = 1,", 1) if place == number else line for place, line in enumerate(lines, 1)
        ]
        (fault,) = faults_of(write_book(tmp_path / "mini", {file: "\n".join(spoilt) + "\n"}))
        assert (fault.file, fault.line) == (file, number)
        assert fault.reason.startswith("unknown key 'zzz'; known are ")


TABLES = """\
title = '''
Layout A'''
clause = "5"

[[pay]]
bet = "Small" # pay = [
boxes = "small"
pays = 1
clause = "5"

[[ pay ]]
bet = "Big"
boxes = "big"
pays = 0
clause = "5"
"""


def test_rows_written_as_tables_have_lines_too(tmp_path: Path) -> None:
    """A row may be written as a table of its own; then its line is that of its heading."""
    layout = TABLES.replace("'''\nLayout A'''", "'Layout A'").replace("pays = 0", "pays = 1")
    assert len(read_book(write_book(tmp_path / "mini", {"layout-A.toml": layout})).layouts["A"].boxes) == 2
    faults = faults_of(
        write_book(tmp_path / "mini", {"layout-A.toml": TABLES.replace("'''\nLayout A'''", "'Layout A'")})
    )
    assert [(fault.line, fault.row) for fault in faults] == [(10, "pay row 2")]
    faults = faults_of(write_book(tmp_path / "mini", {"layout-A.toml": TABLES.replace("\nLayout", "A\nB")}))
    assert [(fault.line, fault.reason) for fault in faults] == [(1, "`title` must be a line of text, got 'A\\nB A'")]


CROWDED = '''\
"title" = "A"
clause = "5" # "
pay = [ { bet = "{", boxes = "small", pays = 1, clause = [
    "5", # {
  ] }, { bet = """
{ " ]""", boxes = "big", pays = 0, clause = "5" },
  # { a row that is none },
  { bet = 'odd # [', boxes = "odd", pays = 0, clause = "5" }, ]

["felt"]
size = 0
'''


def test_rows_are_found_however_they_are_written(tmp_path: Path) -> None:
    """Rows on one line or over several, brackets in texts and comments: the line named is where the row begins."""
    faults = faults_of(write_book(tmp_path / "mini", {"layout-A.toml": CROWDED}))
    assert [(fault.line, fault.row) for fault in faults] == [(None, "felt"), (None, "felt")]
    faults = faults_of(write_book(tmp_path / "mini", {"layout-A.toml": CROWDED[: CROWDED.index('["felt"]')]}))
    assert [(fault.line, fault.row) for fault in faults] == [(5, "pay row 2"), (8, "pay row 3")]


def test_keys_with_dots_have_lines_too(tmp_path: Path) -> None:
    """The procedure may be written with dotted keys and inline tables; its faults still name their lines."""
    calls = BOOK[BOOK.index("[procedure.calls]") :].splitlines()[1:]
    head, procedure = BOOK[: BOOK.index("[procedure.calls]")].split("[procedure]\n")
    dotted = "".join(
        f"procedure.{line}\n" if line[:1].isalpha() else f"{line}\n" for line in procedure.strip().splitlines()
    )
    book = f"{head}{dotted}procedure . calls = {{ {', '.join(calls)} }}\n"
    folder = write_book(tmp_path / "mini", {"book.toml": book})
    assert read_book(folder).procedure == read_book(write_book(tmp_path / "other")).procedure
    change(folder, "book.toml", '"exposed"', '"not-flat"')
    change(folder, "book.toml", "{face}", "{fase}")
    assert [(fault.line, fault.row) for fault in faults_of(folder)] == [
        (34, "procedure.facts row 2"),
        (37, "procedure.calls.triple"),
    ]


def test_a_missing_key_of_a_table_without_heading(tmp_path: Path) -> None:
    """A table that is only written through its parts is named by the first of them."""
    layout = LAYOUT.replace("[felt]\nsize = [10, 4]", "[felt.cloth]\n[felt.x]").split("blocks")[0]
    faults = faults_of(write_book(tmp_path / "mini", {"layout-A.toml": layout}))
    assert {(fault.line, fault.row) for fault in faults} == {(13, "felt"), (14, "felt")}


def test_places_are_lines_of_keys_and_rows() -> None:
    """Keys, rows and tables are found by their path; a key in quotation marks has no place."""
    text = 'a = 1\nrows = [\n  { x = 1 }, # {\n  { x = 2 },\n]\n"quoted" = 2\n[one.two]\nb = 3\n'
    found = places_of(text)
    assert found == {"a": 1, "rows": 2, "rows[0]": 3, "rows[1]": 4, "one.two": 7, "one": 7, "one.two.b": 8}
