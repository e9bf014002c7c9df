"""`taisai session` and its pictures."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from taisai.analysis.session import drawdown as session_drawdown
from taisai.analysis.session.exact import Manner, Plan, session
from taisai.cli.maths.session import session as command
from taisai.core.faults import InputFault
from tests.analysis.session.samples import SMALL

LAYOUT = "rws-tai-sai-v6/C"


def test_table_names_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the mean, the quantiles, the chances of each end, and the error."""
    command(LAYOUT, bets="small=1000", rounds=90, bankroll=9000, stop_win=7000, stop_loss=8000, drawdown=True)
    text = capsys.readouterr().out
    for words in (
        "expected result",
        "ahead",
        "ruined",
        "stop-win",
        "stop-loss",
        "rounds played",
        "drawdown",
        "exact to",
    ):
        assert words in text


def test_json_holds_every_number(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the distribution, the curves and the quantiles."""
    command(LAYOUT, bets="small=1000", rounds=300, bankroll=20_000, json=True, drawdown=True)
    found = json.loads(capsys.readouterr().out)
    result = session(SMALL, Manner(300, bankroll=20_000))
    assert found["ruin"] == result.ruin
    assert [each["chance"] for each in found["distribution"]] == list(result.chances)
    assert found["by_round"][-1] == {"round": 300, "ruin": result.ruin, "target": 0.0}
    assert found["quantiles"][3] == {"level": 0.5, "net": -10_000}
    assert found["drawdown"][0]["level"] == 0.5
    assert 0 < found["error_bound"] < 1e-12


def test_exact_json_holds_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    """On demand every number is a fraction, which add up to one."""
    command(LAYOUT, bets="small=1000", rounds=100, fractions=True, json=True)
    found = json.loads(capsys.readouterr().out)
    assert sum(Fraction(each["chance"]["exact"]) for each in found["distribution"]) == 1
    assert Fraction(found["mean"]["exact"]) == 100 * SMALL.mean
    command(LAYOUT, bets="small=1000", rounds=100, fractions=True)
    assert "216^100" in capsys.readouterr().out


def test_csv_is_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has a line for each result."""
    command(LAYOUT, bets="small=1000", rounds=2, csv=True, fractions=True)
    assert capsys.readouterr().out.splitlines() == ["net,chance", "-2000,1369/5184", "0,1295/2592", "2000,1225/5184"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rounds": 0}, "--rounds: a session has 1 to 1,000,000 rounds, got 0"),
        ({"rounds": 500, "fractions": True}, "--rounds: an exact session has 1 to 300 rounds"),
        ({"rounds": 5, "bankroll": 10}, "--bankroll: 10 does not pay for one round, which stakes 1000"),
        ({"rounds": 5, "stop_win": -1}, "--stop-win: an amount is at least 1"),
        ({"rounds": 5, "plan": "martingale"}, "--stake-max: martingale raises its stakes"),
        ({"rounds": 5, "csv": True, "json": True}, "--csv: choose"),
        ({"rounds": 5, "plot": Path("x.gif")}, "--plot: the file's name ends in"),
        ({"rounds": 5, "plot": Path("x.svg"), "picture": "ruin"}, "--plot: nothing ends this session"),
    ],
)
def test_faults_name_the_option(given: dict[str, object], message: str) -> None:
    """What is wrong is said in one line that names the option."""
    with pytest.raises(InputFault) as caught:
        command(LAYOUT, bets="small=1000", **given)  # type: ignore[arg-type] # options by name
    assert str(caught.value).startswith(message)


def test_drawdown_is_of_the_session_as_it_is_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a plan or an end the drawdown is that of what is played; too much work names the option."""
    command(LAYOUT, bets="small=1000", rounds=50, plan="martingale", stake_max=4000, drawdown=True, json=True)
    found = json.loads(capsys.readouterr().out)
    manner = Manner(50, plan=Plan.MARTINGALE, stake_max=4000)
    assert [each["depth"] for each in found["drawdown"]] == [
        depth for _, depth in session_drawdown.stopped_drawdown_quantiles(SMALL, manner)
    ]
    assert found["drawdown_mean"] is None
    monkeypatch.setattr(session_drawdown, "WORK_MOST", 100)
    with pytest.raises(InputFault, match="--drawdown: too much work"):
        command(LAYOUT, bets="small=1000", rounds=50, plan="martingale", stake_max=4000, drawdown=True)
    # Flat play is then given as if nothing ended it, and that is said.
    command(LAYOUT, bets="small=1000", rounds=50, bankroll=9000, drawdown=True)
    assert "drawdown at most, unstopped" in capsys.readouterr().out


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where NumPy is not installed, one line says what to install."""
    monkeypatch.delattr("taisai.analysis.session.exact", raising=False)
    monkeypatch.setitem(sys.modules, "taisai.analysis.session.exact", None)
    with pytest.raises(InputFault, match="needs the extra `analysis`"):
        command(LAYOUT, bets="small=1000", rounds=3)


@pytest.mark.parametrize("picture", ["distribution", "paths", "ruin"])
def test_pictures_are_the_same_each_time(
    picture: Literal["distribution", "paths", "ruin"], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each picture is drawn twice to the same bytes, and says where it went."""
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        command(
            LAYOUT, bets="small=1000", rounds=60, bankroll=8000, stop_win=5000, plot=file, picture=picture, json=True
        )
    assert files[0].read_bytes() == files[1].read_bytes()
    assert f"drawn: {files[0]}" in capsys.readouterr().err
