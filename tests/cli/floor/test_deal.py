"""`taisai deal` as people use it: files with their calls on screen, comparison, JSON, and a table in the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.floor.dealing import EVENING, REFUSED, deal
from tests.cli.running import printed, refused

HOUSE = ROOT / "tests" / "books" / "sample"


SMALLEST = 'table T1 under rws-tai-sai-v6/A\nlee is supervisor\nlee: set-up "100..500 by 100" SGD 100,500\n'


def test_help_names_both_modes(capfd: pytest.CaptureFixture[str]) -> None:
    """Help tells what the command does and how it compares, prints and deals."""
    shown = printed(capfd, "deal", "--help")
    assert "Usage: taisai deal [OPTIONS] SHIFT" in shown
    for option in ("--interactive", "--check", "--notation", "--json", "--book-dir"):
        assert option in shown


def test_a_checked_shift_passes_or_shows_what_differs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--check` is 0 when the output is the expected one; else it is 1, with a diff."""
    assert printed(capfd, "deal", str(EVENING), "--check") == "66 commands, 0 of them refused: all as expected\n"
    changed = tmp_path / "changed.shift"
    changed.write_text(EVENING.read_text(encoding="utf-8").replace("wins 90000", "wins 9"), encoding="utf-8")
    shown = printed(capfd, "deal", str(changed), "--check", code=1)
    assert "-  - cho triple:3 500 wins 9 at 180 to 1" in shown
    assert "+  - cho triple:3 500 wins 90000 at 180 to 1" in shown
    assert shown.endswith("the output differs\n")


def test_a_draft_gets_its_output_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--notation` prints the shift with its output, which `--check` then passes."""
    draft = tmp_path / "draft.shift"
    draft.write_text(SMALLEST, encoding="utf-8")
    printed(capfd, "deal", str(draft), "--check", code=1)
    kept = tmp_path / "kept.shift"
    kept.write_text(printed(capfd, "deal", str(draft), "--notation"), encoding="utf-8")
    assert printed(capfd, "deal", str(kept), "--check").startswith("1 commands, 0 of them refused: all")


def test_a_transcript_is_json(capfd: pytest.CaptureFixture[str]) -> None:
    """`--json` gives every command with its events or refusal, the result and the state."""
    told = json.loads(printed(capfd, "deal", str(REFUSED), "--json"))
    assert (told["table"], told["layout"]) == ("TS-5", "nz-division-9/1")
    first = told["entries"][0]
    assert first["command"]["do"]["do"] == "set-up"
    assert (first["events"], first["refusal"]["code"]) == ([], "bad-value")
    assert told["entries"][2]["events"][0]["what"]["event"] == "table-set-up"
    assert told["result"]["win"] == 3500
    assert told["state"]["suspended"] == "the bell is broken"


def test_a_shift_comes_from_standard_input() -> None:
    """A dash reads the shift from a pipe."""
    done = deal("-", "--notation", given=SMALLEST)
    assert (done.returncode, done.stderr) == (0, "")
    assert "- table set up under rws-tai-sai-v6/A: SGD, chips of 100, 500, limits 100..500 by 100" in done.stdout
    bad = deal("-", given="nonsense\n")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("taisai: standard input:1: expected `NAME: verb …`")


def test_a_book_of_another_folder_is_dealt(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`--book-dir` adds books, for files as for the terminal."""
    book = next(HOUSE.glob("*/book.toml")).parent
    layout = next(book.glob("layout-*.toml")).stem.removeprefix("layout-")
    file = tmp_path / "house.shift"
    file.write_text(SMALLEST.replace("rws-tai-sai-v6/A", f"{book.name}/{layout}"), encoding="utf-8")
    assert f"table set up under {book.name}/{layout}" in printed(capfd, "deal", str(file), "--book-dir", str(HOUSE))
    assert f"unknown layout '{book.name}/{layout}'" in refused(capfd, "deal", str(file))


def _bad_files(folder: Path) -> Iterator[tuple[Path, str]]:
    def made(name: str, content: bytes) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    yield folder / "missing.shift", "the file is missing"
    yield folder, "is a folder, not a file"
    yield made("empty.shift", b""), "empty.shift:1: expected a line `table T1 under BOOK/LAYOUT`"
    yield made("bytes.shift", b"table \xff"), "is not UTF-8 text (byte 0xff)"
    yield made("verb.shift", SMALLEST.encode() + b"lee: opn-table\n"), "verb.shift:4: unknown verb 'opn-table'; did you"
    yield made("layout.shift", SMALLEST.replace("v6/A", "v6/B").encode()), "table: unknown layout 'rws-tai-sai-v6/B'"
    yield made("book.shift", SMALLEST.replace("v6/A", "v7/A").encode()), "table: unknown layout 'rws-tai-sai-v7/A'"
    yield made("large.shift", b"#" * (16 * 2**20 + 1)), "is larger than 16777216 bytes"


def test_a_bad_file_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What cannot be read is named in one line, with exit code 2, and nothing is run."""
    for path, words in _bad_files(tmp_path):
        assert words in refused(capfd, "deal", str(path))


def test_modes_exclude_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Two ways to show one shift are one too many."""
    assert "give one of" in refused(capfd, "deal", str(EVENING), "--check", "--json")
    assert "give one of" in refused(capfd, "deal", "rws-tai-sai-v6/A", "--interactive", "--notation")
