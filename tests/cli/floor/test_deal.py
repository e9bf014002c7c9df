"""`taisai deal` as people use it: files with their calls on screen, comparison, JSON, and a table in the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.running import printed, refused

EVENING = ROOT / "tests" / "shifts" / "rws-tai-sai-v6" / "evening.shift"
REFUSED = ROOT / "tests" / "shifts" / "nz-division-9" / "refused.shift"
HOUSE = ROOT / "tests" / "books" / "sample"
LAYOUTS = ("rws-tai-sai-v6/A", "nz-division-9/2", "rws-open-cover-v3/B", "rws-mini-dice-v3/A")
SMALLEST = 'table T1 under rws-tai-sai-v6/A\nlee is supervisor\nlee: set-up "100..500 by 100" SGD 100,500\n'


def deal(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """The command as a process, its input from a pipe."""
    command = [sys.executable, "-m", "taisai", "deal", *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)


def session(*lines: str, layout: str = "rws-tai-sai-v6/A") -> str:
    """What a session at the terminal prints, its lines from a pipe."""
    done = deal("--interactive", layout, given="".join(f"{line}\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# ------------------------------------------------------------------ files


def test_help_names_both_modes(capfd: pytest.CaptureFixture[str]) -> None:
    """Help tells what the command does and how it compares, prints and deals."""
    shown = printed(capfd, "deal", "--help")
    assert "Usage: taisai deal [OPTIONS] SHIFT" in shown
    for option in ("--interactive", "--check", "--notation", "--json", "--book-dir"):
        assert option in shown


def test_a_shift_is_shown_with_its_calls_and_the_table_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    """Commands, calls and events come in order; accounts, players and the result close it."""
    shown = printed(capfd, "deal", str(EVENING))
    assert "  > Place your Bets, please" in shown
    assert "  > triple 3, total 9" in shown
    assert "# holds" not in shown
    assert shown.index("dan: collect") < shown.index("bob single:3 1500 wins")
    closing = shown[shown.index("table T1 under rws-tai-sai-v6/A, SGD: closed; 4 rounds settled") :]
    assert "patrons    145,300" in closing
    assert "drop 70,000, closer 1,134,700: win -145,300, hold -207.57 %" in closing


def test_refusals_are_shown_and_do_not_stop_the_shift(capfd: pytest.CaptureFixture[str]) -> None:
    """A refused command is shown with its code, clauses and what is allowed; the next one follows."""
    shown = printed(capfd, "deal", str(REFUSED))
    assert "! not-yours-to-do: A player may not do this. (§6.6, §7.2) Allowed: by dealer" in shown
    assert "suspended (the bell is broken)" in shown


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

    yield folder / "missing.shift", "No such file or directory"
    yield folder, "is a folder, not a file"
    yield made("empty.shift", b""), "empty.shift:1: expected a line `table T1 under BOOK/LAYOUT`"
    yield made("bytes.shift", b"table \xff"), "not text in UTF-8 (byte 6)"
    yield made("verb.shift", SMALLEST.encode() + b"lee: opn-table\n"), "verb.shift:4: unknown verb 'opn-table'; did you"
    yield made("layout.shift", SMALLEST.replace("v6/A", "v6/B").encode()), "table: unknown layout 'rws-tai-sai-v6/B'"
    yield made("book.shift", SMALLEST.replace("v6/A", "v7/A").encode()), "table: unknown layout 'rws-tai-sai-v7/A'"
    yield made("large.shift", b"#" * (16 * 2**20 + 1)), "a shift is at most 16777216 bytes"


def test_a_bad_file_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What cannot be read is named in one line, with exit code 2, and nothing is run."""
    for path, words in _bad_files(tmp_path):
        assert words in refused(capfd, "deal", str(path))


def test_modes_exclude_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Two ways to show one shift are one too many."""
    assert "give one of" in refused(capfd, "deal", str(EVENING), "--check", "--json")
    assert "give one of" in refused(capfd, "deal", "rws-tai-sai-v6/A", "--interactive", "--notation")


# ------------------------------------------------------------------ the terminal


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_round_is_dealt_in_a_few_words(layout: str) -> None:
    """Under every book: quick, open, bet, roll, why."""
    shown = session("quick", "open", "bet single:3 500", "roll", "why", layout=layout)
    assert "- ann puts 500 on single:3" in shown
    assert "- round 1 over on " in shown
    assert "  single:3 500: Single 3 " in shown
    assert f"table T1 under {layout}" in shown
    assert "1 round settled" in shown


def test_a_session_reads_back_as_a_shift(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`notation` prints the session as a shift, and that gives the same output again."""
    lines = [
        "quick",
        "open",
        "bet small 500 big 500",
        "undo",
        "undo small",
        "bet small 300",
        "roll",
        "notation",
        "quit",
    ]
    shown = session(*lines)
    text = shown[shown.index("table T1 under") : shown.index("deal> quit")]
    path = tmp_path / "session.shift"
    path.write_text(text, encoding="utf-8")
    assert "all as expected" in printed(capfd, "deal", str(path), "--check")
    assert "ann: withdraw-bet big amount=500" in text
    assert "ann: withdraw-bet small\n" in text


def test_the_felt_is_shown_between_commands() -> None:
    """After a bet: box, player, stake, what is at risk, what ann has, and the worst for the house."""
    shown = session("quick", "open", "bet small 500", "felt")
    assert shown.count("small   ann        500       500") == 2
    assert "open, round 1 at betting; ann has 9,500; at worst the house loses 500 on 1,1,2" in shown


def test_help_tells_what_is_possible_now() -> None:
    """Help lists short verbs and what each person may do at this moment; with a verb, how it is written."""
    shown = session("help", "quick", "help", "open", "help", "help place-bet", "help bet", "help nonsense")
    assert "now (new)" in shown
    assert "lee, supervisor: also set-up\n" in shown
    assert "dan, dealer: nothing\n" in shown
    between, during = shown.split("now (open), ")[1].split("now (open, round 1 at betting), ")
    assert "open-bets" in between.split("lee, supervisor")[0]
    assert "place-bet" not in between.split("lee, supervisor")[0]
    assert "place-bet" in during.split("lee, supervisor")[0]
    assert "ann, player: sit-down, leave-table, place-bet, withdraw-bet, open-dispute" in during
    assert "place-bet PLAYER BOX AMOUNT [how=…] [colour=…]: Put chips into a box" in shown
    assert "bet BOX AMOUNT [BOX AMOUNT …]: put chips on boxes" in shown
    assert "! unknown verb 'nonsense'" in shown


def test_every_line_of_the_notation_is_understood() -> None:
    """Full commands, commands without a name, other people and other positions work at the prompt."""
    shown = session(
        "quick",
        "bob is player",
        "dan: sit-down bob",
        "buy-in bob 5000",
        "open",
        "bob: place-bet small 500",
        "dan/supervisor: rule-on-line bob small honoured because inside",
        'suspend-table "all dark"',
        "dan + lee: resolve-interruption none",
        "table",
        "",
        "# a remark",
    )
    assert "- bob buys in for 5000" in shown
    assert "- bob puts 500 on small" in shown
    assert "- bob's bet touching the line of small is honoured" in shown
    assert "- table suspended: all dark" in shown
    assert "! not-interrupted: The round is not interrupted." in shown
    assert "bob: 4,500 in hand" in shown


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["bet small 500"], "! not-set-up: The table is not set up."),
        (["quick", "quick"], "! already-set-up: "),
        (["quick", "roll"], "! no round is in play: open begins one"),
        (["quick", "undo"], "! you have nothing on the felt"),
        (["quick", "why"], "! you had no bets in the last round"),
        (["quick", "open", "bet small"], "! write bet BOX AMOUNT [BOX AMOUNT …]"),
        (["quick", "open", "bet small much"], "! amount: expected a whole number, got 'much'"),
        (["quick", "open", "bet middle 500"], "! unknown: Layout rws-tai-sai-v6/A has no box middle."),
        (["quick", "open", "close", "bet small 500"], "! bets-closed: No more bets"),
        (["xyzzy"], "! expected quick, open, bet"),
        (["open the box"], "! not-set-up"),
        (["table T2 under a/b"], "table T1: new"),
        (["dan: opn-bets"], "! unknown verb 'opn-bets'; did you mean open-bets"),
        (["  - output"], "! expected `NAME: verb …`"),
        (["zoe: enter"], "! nobody has said what zoe is"),
        (["\x00\x1b[2J \u202e x"], "! expected `NAME: verb …`"),
    ],
)
def test_what_is_wrong_is_said_and_the_session_goes_on(lines: list[str], words: str) -> None:
    """Nonsense, refusals and the wrong moment are each one line; the prompt comes back."""
    shown = session(*lines, "help quit")
    assert words in shown
    assert shown.count("  quit: end (so does Ctrl-D)") == 1
    assert "Traceback" not in shown


def test_an_unknown_layout_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    """The terminal needs a layout that exists."""
    assert "unknown layout 'rws-tai-sai-v6/B'" in refused(capfd, "deal", "--interactive", "rws-tai-sai-v6/B")


def test_the_prompt_ends_cleanly(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """At a terminal Ctrl-C drops the line, Ctrl-D ends the session with the table as it stands."""
    keys: Iterator[str | type[BaseException]] = iter(["quick", KeyboardInterrupt, "open", EOFError])

    def typed(prompt: str) -> str:
        assert prompt == "deal> "
        key = next(keys)
        if isinstance(key, str):
            return key
        raise key

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", typed)
    shown = printed(capfd, "deal", "--interactive", "rws-tai-sai-v6/E")
    assert "> Place your Bets, please" in shown
    assert "table T1 under rws-tai-sai-v6/E, SGD: open, round 1 at betting; 0 rounds settled" in shown
