"""`taisai dice` and its picture."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from taisai.analysis.dice.paths import draw_tumblers
from taisai.cli import main
from taisai.cli.maths.dice import dice as command
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from tests.cli.maths.samples import LAYOUT


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rolls of a fair tumbler, as columns."""
    file = tmp_path_factory.mktemp("rolls") / "fair.csv"
    rolls = draw_tumblers(1, 1200, 7)[0]
    lines = (",".join(map(str, ALL_ROLLS[index].faces)) for index in rolls.tolist())
    file.write_text("\n".join(["d1,d2,d3", *lines]), encoding="utf-8")
    return file


def test_an_alarm_is_told(capfd: pytest.CaptureFixture[str], weak: Path) -> None:
    """A weak shake is told with its round and reason, what a player could gain, and exit code 1."""
    assert main(["dice", str(weak), "--layout", LAYOUT, "--battery"]) == 1
    text = capfd.readouterr().out
    for words in (
        "700 rounds",
        "ALARM in round",
        "dice keep their faces",
        "Estimates, with bounds that hold at all times with 95 % confidence",
        f"who saw the last roll ({LAYOUT})",
        "retention at its lower bound",
        "Some bet is worth while from a retention of",
        "faces follow the last roll",
        "Faces follow those of the last roll (all dice; 16.7 % if fair): ",
        "Classical battery",
        "needs 1,080 rounds",
    ):
        assert words in text
    assert " 0.0000 " not in text, "a small chance is not nothing"


def test_fair_dice_are_quiet(capfd: pytest.CaptureFixture[str], fair: Path) -> None:
    """Fair dice give no alarm and exit code 0, and chance is called chance."""
    assert main(["dice", str(fair), "--layout", LAYOUT, "--battery"]) == 0
    text = capfd.readouterr().out
    assert "no alarm at level 0.001" in text
    assert "Battery at 99 %: passed" in text
    assert "the dice may keep nothing at all" in text
    assert "may be chance" in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": 2.0}, "--level: is a number between 0 and 1, got 2.0"),
        ({"confidence": 0.0}, "--confidence: is a number between 0 and 1, got 0.0"),
        ({"csv": True, "json": True}, "--csv: choose --csv or --json"),
        ({"table": "T1"}, "--table: is for journals"),
        ({"dice_set": "B"}, "--dice-set: no rolls of a set 'B'; there are (not named)"),
        ({"layout": "rws-tai-sai-v6/Z"}, "--layout"),
        ({"plot": Path("x.gif")}, "--plot: the file's name ends in"),
    ],
)
def test_faults_name_the_option(weak: Path, given: dict[str, object], message: str) -> None:
    """What is wrong is said in one line that names the option."""
    with pytest.raises(InputFault) as caught:
        command(str(weak), **given)  # type: ignore[arg-type] # options by name
    assert str(caught.value).startswith(message)


def test_a_missing_file_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is not there, and a line that cannot be read, are one line on standard error."""
    assert main(["dice", str(tmp_path / "none.txt")]) == 2
    assert "the file is missing" in capfd.readouterr().err
    bad = tmp_path / "bad.txt"
    bad.write_text("1 2 3\n1 2 9\n", encoding="utf-8")
    assert main(["dice", str(bad)]) == 2
    assert f"{bad}, line 2: roll[2]: a face is" in capfd.readouterr().err


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, weak: Path) -> None:
    """Where NumPy is not installed, one line says what to install."""
    monkeypatch.delattr("taisai.analysis.dice.paths", raising=False)
    monkeypatch.setitem(sys.modules, "taisai.analysis.dice.paths", None)
    with pytest.raises(InputFault, match="needs the extra `analysis`"):
        command(str(weak))


@pytest.mark.parametrize("name", ["weak", "fair"])
def test_the_picture_is_the_same_each_time(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The picture is drawn twice to the same bytes, and says where it went."""
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        command(str(request.getfixturevalue(name)), plot=file, json=True)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert f"drawn: {files[0]}" in capsys.readouterr().err
