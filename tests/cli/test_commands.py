"""The `taisai` command as people use it: output, errors in one line, exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest

from taisai.cli import main
from tests import ROOT
from tests.books.make_broken import write_broken

HOUSE = ROOT / "tests" / "books" / "sample"
CASE = {
    "layout": "rws-tai-sai-v6/A",
    "dice": [1, 3, 6],
    "limits": None,
    "bets": [{"player": "p1", "box": "small", "stake": 10000}],
}


def taisai(*words: str, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """The command as a process."""
    return subprocess.run(
        [sys.executable, "-m", "taisai", *words], input=given, capture_output=True, cwd=cwd, check=False
    )


def printed(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What the command prints, run in this process."""
    assert main(words) == code
    return capfd.readouterr().out


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of a refused command."""
    assert main(words) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("taisai: ")
    return captured.err


@pytest.mark.parametrize("command", [
    "books", "clause", "settle", "odds", "compare", "decided", "session", "house", "simulate", "felt", "deal", "replay",
    "explain", "audit", "verify", "report", "resettle", "backup", "restore", "move", "serve",
    "dice", "export", "fairness",
])  # fmt: skip
def test_each_command_helps_with_examples(capfd: pytest.CaptureFixture[str], command: str) -> None:
    """Help tells what the command does and shows examples that begin with it."""
    shown = printed(capfd, command, "--help")
    examples = shown.partition("Examples:")[2]
    assert f"taisai {command} " in examples
    assert "Exit codes" not in shown
    assert command in printed(capfd, "--help")


def test_books_lists_all_eight_layouts(capfd: pytest.CaptureFixture[str]) -> None:
    """The shelf shows each book with its layouts, boxes and digest."""
    shown = printed(capfd, "books")
    for name in ("nz-division-9/2", "rws-open-cover-v3/B", "rws-tai-sai-v6/E", "rws-mini-dice-v3/A"):
        assert name in shown
    listed = json.loads(printed(capfd, "books", "--json"))
    assert [len(layout["boxes"]) for book in listed["books"] for layout in book["layouts"]] == [
        50, 106, 7, 50, 104, 50, 104, 107,
    ]  # fmt: skip
    assert all(len(book["digest"]) == 64 for book in listed["books"])
    assert listed["refused"] == []


def test_one_book_is_shown_in_full(capfd: pytest.CaptureFixture[str]) -> None:
    """Pay rows, steps of a round and void reasons, each with its clauses."""
    shown = printed(capfd, "books", "nz-division-9")
    assert "180 to 1" in shown
    assert "tumbler-fault" in shown
    assert "7.1(b)" in shown
    assert json.loads(printed(capfd, "books", "nz-division-9", "--json"))["procedure"]["tumble"] == "before-bets"


def test_broken_books_are_shown_with_every_fault(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder of broken books gives exit code 2 and one line for each fault."""
    broken = write_broken(tmp_path)
    shown = printed(capfd, "books", "--book-dir", str(broken), code=2)
    assert "refused: " in shown
    found = json.loads(printed(capfd, "books", "--json", "--book-dir", str(broken), code=2))
    assert len(found["refused"]) == len([*broken.glob("*/book.toml")])
    assert len(found["books"]) == 4


def test_a_fifth_book_needs_no_code(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A casino's own folder is read by --book-dir and by TAISAI_BOOKS."""
    layouts = [
        layout["name"]
        for book in json.loads(printed(capfd, "books", "--json", "--book-dir", str(HOUSE)))["books"]
        for layout in book["layouts"]
        if book["id"] == "harbour-sic-bo"
    ]
    assert layouts
    monkeypatch.setenv("TAISAI_BOOKS", str(HOUSE))
    assert json.loads(printed(capfd, "odds", layouts[0], "--json"))["layout"] == layouts[0]


def test_a_clause_shows_words_duty_interpretation_and_tests(capfd: pytest.CaptureFixture[str]) -> None:
    """A clause tells what it says, what is owed, how it is read, who cites it and which tests hold it."""
    shown = printed(capfd, "clause", "rws-tai-sai-v6", "5.1.1")
    for part in ("pro rata", "duty: rule", "interpretation I6", "rule: pro-rata", "tests/core/test_prorata.py"):
        assert part in shown
    found = json.loads(printed(capfd, "clause", "rws-tai-sai-v6", "§5.1.1", "--json"))
    assert found["effective"].startswith("2023-10-06T08:00")
    assert found["tests"]
    assert json.loads(printed(capfd, "clause", "rws-mini-dice-v3", "i9", "--json"))["clauses"]


def test_a_beginning_of_clauses_lists_them(capfd: pytest.CaptureFixture[str]) -> None:
    """A number that only begins others, or none at all, lists them."""
    assert len(json.loads(printed(capfd, "clause", "rws-open-cover-v3", "5.1", "--json"))["cited_by"]) > 0
    listed = json.loads(printed(capfd, "clause", "nz-division-9", "4.1", "--json"))
    assert [each["id"] for each in listed][:2] == ["4.1(a)", "4.1(b)"]
    assert "no clause '99'" in refused(capfd, "clause", "nz-division-9", "99")
    assert printed(capfd, "clause", "rws-mini-dice-v3").count("\n") > 18


def test_settle_answers_a_case(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """JSON in, JSON out, from a file or from standard input."""
    file = tmp_path / "round.json"
    file.write_text(json.dumps(CASE, indent=2), encoding="utf-8")
    answer = json.loads(printed(capfd, "settle", str(file)))
    assert answer["bets"][0]["returned"] == 20000
    done = taisai("settle", "-", given=json.dumps(CASE).encode())
    assert (done.returncode, json.loads(done.stdout)) == (0, answer)


def test_settle_answers_a_batch_line_by_line() -> None:
    """One answer a line, in order; a bad line has its error in its place and the exit code is 2."""
    lines = [json.dumps(CASE), '{"layout": ', json.dumps({**CASE, "dice": [9, 9, 9]}), "", json.dumps(CASE)]
    done = taisai("settle", "-", given="\n".join(lines).encode())
    assert done.returncode == 2
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [("error" in answer) for answer in answers] == [False, True, True, False]
    assert (answers[2]["error"]["field"], answers[2]["error"]["line"]) == ("dice[0]", 3)
    assert done.stderr.count(b"\n") == 1


def test_a_batch_larger_than_a_case_may_be_is_streamed(tmp_path: Path) -> None:
    """Ten megabytes of good lines are answered; one overlong line is one error."""
    line = json.dumps({**CASE, "bets": CASE["bets"] * 300})  # type: ignore[operator] # a list, as written above
    file = tmp_path / "shift.jsonl"
    count = 10_000_000 // len(line) + 1
    long = '{"layout": "' + "x" * 5_000_000 + '"}'
    file.write_text("\n".join([line] * count + [long, line]), encoding="utf-8")
    done = taisai("settle", str(file))
    answers = done.stdout.splitlines()
    assert (done.returncode, len(answers)) == (2, count + 2)
    assert [number for number, answer in enumerate(answers) if b'"error"' in answer[:12]] == [count]


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "must be an object"),
        (b'{\n "layout": 5,\n "bets": []\n}', "layout"),
        (b'{\n "layout": "rws-tai-sai-v6/A",\n "bets": [\n {"player": "a", "box": "small", "stake": 1}\n]', "not JSON"),
        (b"x" * 10_000_000, "at most"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_hostile_input_is_one_line_and_code_two(given: bytes, part: str) -> None:
    """Broken, foreign, deep or huge input gives one clear line, never a traceback."""
    done = taisai("settle", "-", given=given)
    assert (done.returncode, done.stdout) == (2, b"")
    assert part in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_bad_words_are_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Unknown commands, layouts, options, files and rolls each get one clear line."""
    assert "nowhere" in refused(capfd, "odds", "nowhere/A")
    assert "rws-tai-sai-v6/C" in refused(capfd, "odds", "rws-tai-sai-v6/c")
    assert refused(capfd, "no-such-command")
    assert refused(capfd, "odds", "rws-tai-sai-v6/A", "--no-such-option")
    assert refused(capfd, "odds")
    assert "--lit" in refused(capfd, "felt", "rws-tai-sai-v6/A", "--lit", "1,3,9")
    assert ".svg or .png" in refused(capfd, "felt", "rws-tai-sai-v6/A", "-o", "felt.gif")
    assert "--width" in refused(capfd, "felt", "rws-tai-sai-v6/A", "--width", "0")
    assert "--bets" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--bets", "small")
    assert "--csv" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--csv", "--json")
    assert "--plot" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--plot", "x.gif")
    assert "No such file" in refused(capfd, "settle", str(tmp_path / "missing.json"))
    assert "folder" in refused(capfd, "settle", str(tmp_path))
    assert "book-dir" in refused(capfd, "odds", "rws-tai-sai-v6/A", "--book-dir", str(tmp_path / "none"))
    broken = write_broken(tmp_path / "broken") / "missing-clause-rule"
    assert "refused" in refused(capfd, "books", broken.name, "--book-dir", str(broken))


def test_odds_are_exact(capfd: pytest.CaptureFixture[str]) -> None:
    """The table, the CSV and the JSON carry the same exact fractions."""
    assert "29.17 %" in printed(capfd, "odds", "rws-tai-sai-v6/C")
    boxes = json.loads(printed(capfd, "odds", "rws-tai-sai-v6/C", "--json"))["boxes"]
    rows = list(csv.DictReader(io.StringIO(printed(capfd, "odds", "rws-tai-sai-v6/C", "--csv"))))
    assert [row["box"] for row in rows] == [box["box"] for box in boxes]
    assert [Fraction(row["edge"]) for row in rows] == [Fraction(box["edge"]["exact"]) for box in boxes]
    assert {row["box"] for row in rows if row["below_75"] == "yes"} == {
        box["box"] for box in boxes if Fraction(box["return"]["exact"]) < Fraction(3, 4)
    }


def test_bets_together_show_the_worst_case(capfd: pytest.CaptureFixture[str]) -> None:
    """A set of bets has its distribution over 216 rolls and the house's worst roll."""
    words = ("odds", "rws-tai-sai-v6/C", "--bets", "small=100 total:9=50")
    shown = printed(capfd, *words)
    assert "Worst for the house" in shown
    found = json.loads(printed(capfd, *words, "--json"))
    assert sum(each["ways"] for each in found["distribution"]) == 216
    assert found["exposure"] == max(each["net"] for each in found["rolls"])
    assert len(printed(capfd, *words, "--csv").splitlines()) == 217
    sure = ("odds", "rws-tai-sai-v6/A", "--bets", "small=100 big=100")
    assert "cannot lose" in printed(capfd, *sure)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_plots_are_files_of_their_kind(tmp_path: Path, capfd: pytest.CaptureFixture[str], suffix: str) -> None:
    """Edges and results are drawn into a file, and again to the same bytes."""
    magic = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    for extra in ((), ("--bets", "small=100 triple:1=5")):
        files = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
        for file in files:
            printed(capfd, "odds", "rws-tai-sai-v6/C", *extra, "--plot", str(file))
        assert files[0].read_bytes().startswith(magic)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_compare_shows_what_differs(capfd: pytest.CaptureFixture[str]) -> None:
    """New Zealand's alternative and Singapore's layout C differ in the doubles with a single."""
    words = ("compare", "nz-division-9/2", "rws-tai-sai-v6/C")
    assert "three:112" in printed(capfd, *words)
    found = json.loads(printed(capfd, *words, "--json"))
    assert (found["different"], found["same"]) == (30, 76)
    assert {row["box"][:6] for row in found["boxes"]} == {"three:"}
    same = ("compare", "rws-open-cover-v3/A", "rws-tai-sai-v6/A")
    assert "0 boxes differ" in printed(capfd, *same)
    assert len(json.loads(printed(capfd, *same, "--all", "--json"))["boxes"]) == 50
    assert "small" in printed(capfd, *same, "--all")


@pytest.mark.clause("rws-tai-sai-v6 §5.4.1", "rws-tai-sai-v6 §5.4.2")
def test_decided_tells_whether_a_round_is_concluded(capfd: pytest.CaptureFixture[str]) -> None:
    """With no die read nothing is decided; from the first die on something always is."""
    none = json.loads(printed(capfd, "decided", "rws-tai-sai-v6/A", "--json"))
    one = json.loads(printed(capfd, "decided", "rws-tai-sai-v6/A", "3", "--json"))
    assert (none["established"], one["established"]) == (False, True)
    assert one["boxes"]["single:3"] == "won"
    assert one["boxes"]["triple:1"] == "lost"
    assert "void" in printed(capfd, "decided", "rws-tai-sai-v6/A")
    assert "concluded" in printed(capfd, "decided", "rws-tai-sai-v6/A", "3,5")
    assert "known" in refused(capfd, "decided", "rws-tai-sai-v6/A", "3,7")
    assert "known" in refused(capfd, "decided", "rws-tai-sai-v6/A", "1,2,3,4")


def test_felt_writes_pictures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """SVG to the terminal or a file, PNG by its suffix."""
    assert ET.fromstring(printed(capfd, "felt", "rws-mini-dice-v3/A")).tag.endswith("svg")
    svg, png = tmp_path / "felt.svg", tmp_path / "felt.png"
    words = ("felt", "rws-tai-sai-v6/E", "--lit", "1,3,6", "--bets", "small=100")
    printed(capfd, *words, "-o", str(svg))
    printed(capfd, *words, "-o", str(png), "--width", "400")
    assert "lit" in svg.read_text(encoding="utf-8")
    header = png.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert int.from_bytes(header[16:20], "big") == 400
    assert printed(capfd, "felt", "rws-tai-sai-v6/A", "--labels").startswith("<svg")
    assert printed(capfd, "felt", "rws-tai-sai-v6/A", "--heat").startswith("<svg")


def test_a_closed_pipe_is_no_error() -> None:
    """`taisai ... | head` ends quietly."""
    shell = f"{sys.executable} -m taisai odds rws-tai-sai-v6/E --json | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b'{\n  "layou', b"")


def test_heavy_parts_are_not_imported_at_the_start() -> None:
    """Neither rich nor matplotlib nor NumPy is loaded to settle a round."""
    code = """
import sys
from taisai.cli import main
main(["settle", "-"])
print([name for name in ("rich.table", "matplotlib", "numpy") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(CASE).encode(), capture_output=True, check=False
    )
    assert done.stderr.decode().strip() == "[]"


def test_serve_shows_the_settings_it_would_take(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--check` prints them: an option before a variable before the demo; a house's journal is not for the demo."""
    monkeypatch.setenv("TAISAI_LISTEN", "127.0.0.1:7000")
    shown = json.loads(printed(capfd, "serve", "--demo", "--check"))
    assert (shown["listen"]["port"], shown["journal"]["url"]) == (7000, "memory:")
    monkeypatch.setenv("TAISAI_JOURNAL", "sqlite:///house.db")
    assert refused(capfd, "serve", "--demo", "--check").startswith("taisai: TAISAI_JOURNAL: a demo has a journal")
    for words in (("--demo",), ()):
        options = (*words, "--journal", "sqlite:///other.db", "--listen", "127.0.0.1:7001")
        shown = json.loads(printed(capfd, "serve", "--check", *options))
        assert (shown["listen"]["port"], shown["journal"]["url"]) == (7001, "sqlite:///other.db")
