"""`taisai resettle`: files of bets, and an export."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.books import open_shelf
from taisai.cli.history import resettle as command
from taisai.core.faults import InputFault
from taisai.journal import open_journal
from tests import ROOT
from tests.analysis.bulk.samples import BETS, DUE, KEYS, by_core, files, kept, results
from tests.cli.running import printed
from tests.history.asked import wrongly_paid


def test_the_command_tells_sums_and_differences(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The summary counts and adds; differences are listed, and the exit code says that there are some."""
    bets, rounds, out = files(tmp_path)
    assert command.resettle(bets, rounds, output=out) == 0
    told = capfd.readouterr()
    assert (
        told.out == f"6 bets settled: staked 2,100, won {sum(won for won, _ in by_core()):,}, returned {sum(DUE):,}\n"
    )
    assert told.err == f"written: {out}\n"
    assert command.resettle(bets, rounds, output=out, against=kept(tmp_path, "paid", {"returned": DUE})) == 0
    assert "All 6 bets were paid what was due." in capfd.readouterr().out
    paid = kept(tmp_path, "paid", {**KEYS, "player": ["[red]ann"] * 6, "returned": [0] * 6})
    assert command.resettle(bets, rounds, output=out, against=paid) == 1
    told = capfd.readouterr()
    assert "10 of 10 keys differ" in told.out
    assert "[red]ann" in told.out
    assert "no bet" in told.out


def test_the_command_counts_what_it_does_not_list(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of many differences a few are listed and the rest counted."""
    _, rounds, out = files(tmp_path)
    bets = kept(tmp_path, "bets", {name: [values[0]] * 25 for name, values in BETS.items()})
    paid = kept(tmp_path, "paid", {"returned": [0] * 25})
    assert command.resettle(bets, rounds, output=out, against=paid) == 1
    told = capfd.readouterr().out
    assert "25 of 25 bets differ" in told
    assert told.endswith("and 15 more\n")


def test_the_command_prints_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Everything that is told can be had as JSON."""
    bets, rounds, out = files(tmp_path)
    paid = kept(tmp_path, "paid", {"returned": [DUE[0] + 1, *DUE[1:]]})
    assert command.resettle(bets, rounds, output=out, against=paid, json=True) == 1
    told = json.loads(capfd.readouterr().out)
    assert (told["bets"], told["staked"], told["returned"], told["output"]) == (6, 2100, sum(DUE), str(out))
    assert (told["against"]["different"], told["against"]["overpaid"]) == (1, 1)
    assert told["against"]["first"][0]["player"] == "ann"


def test_the_command_shows_progress_on_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal the bets done are counted, and the line is cleared at the end."""
    bets, rounds, out = files(tmp_path)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command.resettle(bets, rounds, output=out)
    assert capfd.readouterr().err.startswith("\r6 of 6 bets\r\x1b[K")


def test_the_command_says_which_extra_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Arrow the fault says what to install."""
    bets, rounds, out = files(tmp_path)
    monkeypatch.setitem(sys.modules, "taisai.analysis.bulk.parquet", None)
    with pytest.raises(InputFault, match=r"^resettle needs the extra `analysis`: pip install 'taisai\[analysis\]'$"):
        command.resettle(bets, rounds, output=out)


def test_the_command_takes_books_from_a_folder(tmp_path: Path) -> None:
    """A house's own book settles its bets."""
    house = open_shelf([ROOT / "tests" / "books" / "sample"], environment={})
    layout = next(iter(house.book("harbour-sic-bo").layouts.values()))
    row = {"layout": [layout.name], "round": [1], "player": ["ann"], "box": [next(iter(layout.boxes))], "stake": [10]}
    rounds = {"layout": [layout.name], "round": [1], "d1": [1], "d2": [2], "d3": [4]}
    paths = kept(tmp_path, "bets", row), kept(tmp_path, "rounds", rounds)
    assert command.resettle(*paths, output=tmp_path / "o", book_dir=(ROOT / "tests" / "books" / "sample",)) == 0
    assert pq.read_table(tmp_path / "o").num_rows == 1


def test_the_command_runs_as_a_process(tmp_path: Path) -> None:
    """In a process of its own it settles quietly, and importing it loads neither NumPy nor Arrow."""
    bets, rounds, out = files(tmp_path)
    program = (
        "import sys; from pathlib import Path; from taisai.cli.history.resettle import resettle;"
        "assert not {'numpy', 'pyarrow'} & set(sys.modules);"
        "sys.exit(resettle(*map(Path, sys.argv[1:3]), output=Path(sys.argv[3])))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, bets, rounds, out], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, f"written: {out}\n")
    assert results(pq.read_table(out)) == by_core()


def test_resettle_of_an_export(capfd: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    """All is right, or the bets that are not are shown and the exit code is 1."""
    assert "Every bet was paid what was due" in printed(capfd, "resettle", str(folder), "--engine", "duckdb")
    assert json.loads(printed(capfd, "resettle", str(folder), "--json"))["right"] is True
    with open_journal(tmp_path / "wrong.db") as opened:
        wrongly_paid(opened)
    printed(capfd, "export", str(tmp_path / "wrong.db"), str(tmp_path / "export"))
    told = printed(capfd, "resettle", str(tmp_path / "export"), code=1)
    assert "3 of " in told
    assert "overpaid 21" in told
    assert "rows are missing or too many" in told
    found = json.loads(printed(capfd, "resettle", str(tmp_path / "export"), "--json", code=1))
    assert [each["paid"] - each["due"] for each in found["first"]] == [7, 7, 7]
