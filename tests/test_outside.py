"""Files from outside: only regular files, bounded in bytes, depth and numbers; every refusal names the file."""

from __future__ import annotations

import io
import os
import pickle
from fractions import Fraction
from pathlib import Path

import pytest

from taisai.outside import (
    DEPTH_MAX,
    LINE_MAX,
    CsvWriter,
    Unreadable,
    csv_rows,
    json_of,
    open_file,
    read_bytes,
    read_text,
    real_path,
    toml_of,
)


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """Its bytes, its text without a byte order mark, and through a symbolic link."""
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes("\ufeffé".encode())
    link.symlink_to(file)
    assert read_bytes(link, 5) == file.read_bytes()
    assert read_text(file, 5) == "é"
    assert real_path(link) == file


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipe", "is a pipe, not a file"),
        ("folder", "is a folder, not a file"),
        ("zero", "is a device, not a file"),
        ("loop", "Too many levels of symbolic links"),
        ("missing", "the file is missing"),
        ("a\0b", "null"),
        ("big", "is larger than 10 bytes"),
        ("latin", "is not UTF-8 text"),
    ],
)
def test_what_is_no_file_or_too_much_is_refused_at_once(name: str, why: str, tmp_path: Path) -> None:
    """Nothing is waited for: no pipe, no device, no loop of links."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "big").write_bytes(bytes(11))
    (tmp_path / "latin").write_bytes(b"a\n\xe9")
    with pytest.raises(Unreadable, match=why) as refused:
        read_text(tmp_path / name, 10)
    assert refused.value.field.startswith(str(tmp_path / name))
    assert isinstance(pickle.loads(pickle.dumps(refused.value)), ValueError)
    real_path(tmp_path / "loop")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = " + "[" * 10_000, "line of more than"),
        ("a = " + "[" * 2_000 + "]" * 2_000, "deep"),
        ("a = " + "[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1), "deep"),
        ("a = " + "9" * 4_400, "64 bits"),
        ("a = 9223372036854775808", "64 bits"),
        (".".join("a" * (DEPTH_MAX + 1)) + " = 1", "deep"),
        ("x = { " + " . ".join(['"a"'] * (DEPTH_MAX + 1)) + " = 1 }", "deep"),
        ("x" * (LINE_MAX + 1), "line of more than"),
        ("a = 1\na = 2\n", "written twice"),
        ("a = ", "is not TOML"),
    ],
)
def test_toml_is_bounded(text: str, why: str) -> None:
    """Lines, nesting, parts of a key and whole numbers."""
    with pytest.raises(Unreadable, match=why):
        toml_of(text, "file")


def test_toml_as_people_write_it() -> None:
    """Sentences with many dots are no keys."""
    sentence = "This is one. See §3.4.5 and so on... " * 20
    assert toml_of(f'a.b = "{sentence}"', "file") == {"a": {"b": sentence}}


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"[" * 10_000, "deep"), (b"{", "is not JSON"), (b"\xff", "is not JSON")],
)
def test_json_is_bounded(content: bytes, why: str) -> None:
    """Nesting and form."""
    with pytest.raises(Unreadable, match=why):
        json_of(content, "file")
    assert json_of(b'{"a": [1]}', "file") == {"a": [1]}


def test_csv_is_bounded() -> None:
    """A field that is too long is a fault with its line."""
    assert list(csv_rows(["a,b", "1,2"], "file")) == [["a", "b"], ["1", "2"]]
    with pytest.raises(Unreadable, match="file, line 2: is not CSV: field larger"):
        list(csv_rows(["a", "x" * 200_000], "file"))


def test_a_text_in_csv_is_neither_a_row_nor_a_formula() -> None:
    """Line breaks, a bare CR too, are written out, and what a spreadsheet would compute begins with an apostrophe."""
    out = io.StringIO()
    writer = CsvWriter(out)
    writer.writerow(["late\r=1+1", "=1+1", "@x", "-5", "+1.5", -7, "a\nb", "plain"])
    writer.writerows([[Path("=x"), "\uff1d1+1", "-1/9", Fraction(-1, 9), None, -0.5, "-2+3", "-1/9/2026"]])
    assert out.getvalue().splitlines() == [
        "late\\r=1+1,'=1+1,'@x,-5,+1.5,-7,a\\nb,plain",
        "'=x,'\uff1d1+1,-1/9,-1/9,,-0.5,'-2+3,'-1/9/2026",
    ]


def test_a_file_is_closed_with_its_block(tmp_path: Path) -> None:
    """What is opened is an ordinary stream."""
    (tmp_path / "file").write_bytes(b"abc")
    with open_file(tmp_path / "file") as stream:
        assert stream.read(2) == b"ab"
    assert stream.closed
