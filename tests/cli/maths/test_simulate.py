"""`taisai simulate`."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from taisai.analysis.simulate import run as simulations
from taisai.cli import EXIT_INTERRUPTED, main
from taisai.cli.maths.simulate import simulate as command
from taisai.core.faults import InputFault

NAME = "rws-tai-sai-v6/C"


def test_table_names_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the house's figures with their bounds, the quantiles, and every group of players."""
    command(NAME, rounds=20_000, seed=7)
    text = capsys.readouterr().out
    for words in ("20,160 rounds in 63 shifts", "hold of turnover", "99 % bounds", "float that suffices", "martingale"):
        assert words in text


def test_json_is_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    """The same seed gives the same JSON, another seed another one."""
    told = []
    for seed in (7, 7, 8):
        command(NAME, rounds=20_000, seed=seed, players=3, json=True)
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2]
    found = json.loads(told[0])
    assert found["rounds"] == 20_160
    assert sum(each["count"] for each in found["by_roll"]) == 20_160
    assert sum(each["shifts"] for each in found["distribution"]) == found["shifts"] == 63
    assert found["win"]["low"] < found["win"]["value"] < found["win"]["high"]
    assert found["win"]["value"] == found["sums"]["win"] / 63
    assert [group["players"] for group in found["groups"]] == [1, 1, 1]


def test_traffic_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file says who plays; a picture has its figures beside it."""
    file = tmp_path / "evening.csv"
    file.write_text("name,count,bets,bankroll\nann,2,small=100,2000\n", encoding="utf-8")
    for name in ("one", "two"):
        command(
            NAME,
            rounds=10_000,
            seed=1,
            traffic=file,
            shift_rounds=100,
            plot=tmp_path / f"{name}.svg",
            plot_data=tmp_path / "shifts.csv",
        )
    told = capsys.readouterr()
    assert "ann" in told.out
    assert "drawn:" in told.err
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    rows = list(csv.reader((tmp_path / "shifts.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["win", "shifts"]
    assert sum(int(row[1]) for row in rows[1:]) == 100


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rounds": 0}, "--rounds: 1 to"),
        ({"seed": -1}, "--seed: a whole number"),
        ({"players": 0}, "--players: 1 to 1000"),
        ({"players": 2, "traffic": Path("x.toml")}, "--players: give --players or --traffic"),
        ({"traffic": Path("x.toml")}, "x.toml: the file is missing"),
        ({"workers": 0}, "--workers: 1 to 512"),
        ({"shift_rounds": 0}, "--shift-rounds: a shift has"),
        ({"confidence": "1"}, "--confidence: between 0 and 1"),
        ({"confidence": "sure"}, "--confidence: a number as"),
        ({"plot_data": Path("x.csv")}, "--plot-data: goes with --plot"),
    ],
)
def test_faults_name_the_option(given: dict[str, object], message: str) -> None:
    """What is wrong is said in one line that names the option."""
    with pytest.raises(InputFault) as caught:
        command(NAME, **{"rounds": 1000, "seed": 7, **given})  # type: ignore[arg-type] # options by name
    assert str(caught.value).startswith(message)


def test_interruption_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """After Ctrl-C one line says how many rounds were played, and the exit code is that of an interruption."""

    def interrupted(*_: object, progress: simulations.Progress, **__: object) -> None:
        progress(320, 1000)
        raise KeyboardInterrupt

    monkeypatch.setattr(simulations, "simulate", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["simulate", NAME, "--rounds", "1000", "--seed", "7"])
    assert ended.value.code == EXIT_INTERRUPTED
    assert "interrupted after 320 rounds" in capsys.readouterr().err


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where NumPy is not installed, one line says what to install."""
    monkeypatch.delattr("taisai.analysis.simulate.run", raising=False)
    monkeypatch.setitem(sys.modules, "taisai.analysis.simulate.run", None)
    with pytest.raises(InputFault, match="needs the extra `analysis`"):
        command(NAME, rounds=10, seed=1)
