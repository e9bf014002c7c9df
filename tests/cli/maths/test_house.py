"""`taisai house` and its pictures."""

from __future__ import annotations

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from taisai.analysis.risk.shift import shift_result
from taisai.analysis.risk.traffic import read_traffic, rules_of
from taisai.books import open_shelf
from taisai.cli import main
from taisai.cli.maths.house import house as command
from taisai.core.faults import InputFault

NAME = "rws-tai-sai-v6/C"
SHELF = open_shelf(environment={})
LAYOUT = SHELF.layout(NAME)


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """A traffic file."""
    file = tmp_path / "evening.toml"
    file.write_text(
        "rounds_per_hour = 40\n[limits]\nunit = 100\n"
        '[[players]]\nname = "even"\ncount = 3\nbets = "small=1000"\nbuy_in = 20000\n'
        '[[players]]\nname = "hope"\nbets = "triple:1=100 big=500"\nrounds_per_hour = 20\nbuy_in = 10000\n',
        encoding="utf-8",
    )
    return file


def test_table_names_what_matters(traffic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has win, turnover, hold, risk, float and quantiles, and the advice where it is asked for."""
    command(NAME, traffic=traffic, hours="8", advise=True, risk=100_000)
    text = capsys.readouterr().out
    for words in (
        "expected win",
        "turnover",
        "hold: win of turnover",
        "hold at most",
        "hold of drop (70,000)",
        "chance of a loss",
        "value at risk, 99 %",
        "expected shortfall",
        "float that suffices, 99.9 %",
        "worst roll",
        "exact to",
        "differential big-small",
        "the next higher",
    ):
        assert words in text


def test_advice_says_when_there_is_none(traffic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Limits that are not needed, and limits that do not help, are said to be so."""
    command(NAME, traffic=traffic, hours="1", advise=True, risk=10**9)
    assert "No limit is needed" in capsys.readouterr().out
    command(NAME, traffic=traffic, hours="1", advise=True, risk=1, anytime=True)
    assert "No limits hold it" in capsys.readouterr().out


def test_json_holds_every_number(traffic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has what the table has, the distributions, every hour and every roll."""
    command(NAME, traffic=traffic, hours="4", advise=True, risk=60_000, json=True)
    found = json.loads(capsys.readouterr().out)
    people = read_traffic(LAYOUT, traffic)
    result = shift_result(LAYOUT, rules_of(SHELF.book("rws-tai-sai-v6"), people.limits), people, Fraction(4))
    assert found["mean"] == result.mean
    assert found["value_at_risk"] == result.value_at_risk
    assert found["float"] == result.float_needed
    assert [each["chance"] for each in found["distribution"]] == list(result.chances)
    assert [each["chance"] for each in found["largest_loss"]] == list(result.worst_chances)
    assert [each["hours"] for each in found["hourly"]] == [1, 2, 3, 4]
    assert len(found["by_roll"]) == 216
    assert found["drop"] == 70_000
    assert found["advice"]["best"]["loss"] <= 60_000
    assert found["advice"]["best"]["limits"]["differential"]["big-small"] > 0
    assert found["groups"][1]["attendance"] == {"exact": "1/2", "value": 0.5}


def test_exact_json_holds_fractions(traffic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On demand every number is a fraction, which add up to one."""
    command(NAME, traffic=traffic, hours="1/2", fractions=True, json=True)
    found = json.loads(capsys.readouterr().out)
    assert sum(Fraction(each["chance"]["exact"]) for each in found["distribution"]) == 1
    assert sum(Fraction(each["chance"]["exact"]) for each in found["largest_loss"]) == 1
    command(NAME, traffic=traffic, hours="0.5", fractions=True)
    assert "in fractions" in capsys.readouterr().out


@pytest.mark.parametrize("picture", ["win", "hours", "float", "exposure"])
def test_pictures_have_their_figures(
    picture: Literal["win", "hours", "float", "exposure"],
    traffic: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each picture is drawn twice to the same bytes, and its figures are written beside it."""
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        command(NAME, traffic=traffic, hours="2", plot=file, picture=picture, plot_data=tmp_path / "data.csv")
    assert files[0].read_bytes() == files[1].read_bytes()
    assert f"drawn: {files[0]}" in capsys.readouterr().err
    rows = list(csv.reader((tmp_path / "data.csv").read_text(encoding="utf-8").splitlines()))
    heads = {"win": "win", "hours": "hours", "float": "float", "exposure": "roll"}
    assert rows[0][0] == heads[picture]
    if picture == "win":
        assert sum(float(row[1]) for row in rows[1:]) == pytest.approx(1)
    if picture == "exposure":
        assert sum(int(row[1]) for row in rows[1:]) == 216
    if picture == "float":
        chances = [float(row[1]) for row in rows[1:]]
        assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hours": "0"}, "--hours: more than 0"),
        ({"hours": "noon"}, "--hours: a number as"),
        ({"level": "1"}, "--level: a chance is between 0 and 1"),
        ({"float_level": "2"}, "--float-level: a chance is between 0 and 1"),
        ({"hours": "8", "fractions": True}, "--hours: in fractions a shift has 1 to 100 rounds"),
        ({"coarse": 0}, "--coarse: an amount is at least 1"),
        ({"advise": True}, "--risk: say what a shift may lose"),
        ({"advise": True, "risk": -1}, "--risk: an amount is at least 1"),
        ({"advise": True, "risk": 5, "chance": "0"}, "--chance: between 0 and 1"),
        ({"plot_data": Path("x.csv")}, "--plot-data: goes with --plot"),
        ({"plot": Path("x.gif")}, "--plot: the file's name ends in"),
    ],
)
def test_faults_name_the_option(traffic: Path, given: dict[str, object], message: str) -> None:
    """What is wrong is said in one line that names the option."""
    with pytest.raises(InputFault) as caught:
        command(NAME, traffic=traffic, **given)  # type: ignore[arg-type] # options by name
    assert str(caught.value).startswith(message)


def test_faults_of_the_file_name_its_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of the traffic file is one line and exit code 2."""
    file = tmp_path / "a.toml"
    file.write_text('players = [{bets = "smal=1"}]', encoding="utf-8")
    assert main(["house", NAME, "--traffic", str(file)]) == 2
    assert "players[0].bets: layout rws-tai-sai-v6/C has no box 'smal'" in capsys.readouterr().err


def test_without_numpy_the_extra_is_named(traffic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where NumPy is not installed, one line says what to install."""
    monkeypatch.delattr("taisai.analysis.risk.shift", raising=False)
    monkeypatch.setitem(sys.modules, "taisai.analysis.risk.shift", None)
    with pytest.raises(InputFault, match="needs the extra `analysis`"):
        command(NAME, traffic=traffic)
