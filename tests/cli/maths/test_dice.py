"""`taisai dice` and its picture."""

from __future__ import annotations

import csv
import json
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from taisai.analysis.dice.estimates import estimates
from taisai.analysis.dice.paths import draw_tumblers, watch_rolls
from taisai.analysis.dice.plots import marked_rounds
from taisai.analysis.dice.watch import DiceWatch
from taisai.books import open_shelf
from taisai.cli import main
from taisai.cli.maths.dice import dice as command
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.journal import open_journal
from taisai.streams.codec import event_of
from taisai.table import events as e
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

LAYOUT = "rws-tai-sai-v6/C"


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rolls of a weak shake."""
    file = tmp_path_factory.mktemp("rolls") / "weak.txt"
    rolls = draw_tumblers(1, 700, 6, retention=0.12)[0]
    file.write_text("".join(f"{ALL_ROLLS[index]}\n" for index in rolls.tolist()), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rolls of a fair tumbler, as columns."""
    file = tmp_path_factory.mktemp("rolls") / "fair.csv"
    rolls = draw_tumblers(1, 1200, 7)[0]
    lines = (",".join(map(str, ALL_ROLLS[index].faces)) for index in rolls.tolist())
    file.write_text("\n".join(["d1,d2,d3", *lines]), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two tables, dealt for a while, with voids now and then."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        for seed, table in enumerate(("T1", "T2"), start=8):
            keeper = TableKeeper(opened, shelf.book, table)
            for _ in islice(deal(keeper, Bot(shelf.book("nz-division-9"), "1", seed, trouble=0.15)), 400):
                pass
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


def test_fair_dice_are_quiet(capfd: pytest.CaptureFixture[str], fair: Path) -> None:
    """Fair dice give no alarm and exit code 0, and chance is called chance."""
    assert main(["dice", str(fair), "--layout", LAYOUT, "--battery"]) == 0
    text = capfd.readouterr().out
    assert "no alarm at level 0.001" in text
    assert "Battery at 99 %: passed" in text
    assert "the dice may keep nothing at all" in text
    assert "may be chance" in text


def test_json_holds_every_number(capfd: pytest.CaptureFixture[str], weak: Path) -> None:
    """JSON has evidence, checks, estimates, gains, the battery, the path that is drawn, and the watch to go on with."""
    assert main(["dice", str(weak), "--layout", LAYOUT, "--battery", "--json"]) == 1
    found = json.loads(capfd.readouterr().out)
    (only,) = found["sets"]
    watched = watch_rolls(draw_tumblers(1, 700, 6, retention=0.12)[0])
    evidence = watched.watch.evidence()
    assert only["alarm_round"] == evidence.alarm_round
    assert only["log10_evidence"] == pytest.approx(evidence.log_e / np.log(10))
    assert only["leader"] == "keeps"
    assert [each["name"] for each in only["checks"]] == [each.name for each in evidence.checks]
    assert DiceWatch.from_state(only["state"]).evidence() == evidence
    assert [point["round"] for point in only["path"]] == marked_rounds(watched)
    assert only["path"][-1]["log10_evidence"] == only["log10_evidence"]
    assert only["path"][-1]["checks"] == {
        each["name"]: pytest.approx(each["log10_evidence"]) for each in only["checks"]
    }
    assert only["faces"][0] == estimates(watched.watch).faces[0]._asdict()
    assert only["retention"][0]["low"] < 0.12 < only["retention"][0]["high"]
    assert len(only["gains"][0]["after"]) == 56
    assert only["gains"][0]["best"]["gain"]["value"] > only["gains"][1]["best"]["gain"]["value"] > 0
    assert {test["name"] for test in only["battery"]["tests"]} >= {
        "faces",
        "serial-1",
        "runs",
        "coupon",
        "gap",
        "poker",
    }


def test_csv_is_the_evidence_after_every_round(capsys: pytest.CaptureFixture[str], weak: Path) -> None:
    """CSV has a line a round: the dice, the evidence, and that of each check."""
    command(str(weak), csv=True)
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    watched = watch_rolls(draw_tumblers(1, 700, 6, retention=0.12)[0])
    assert [int(row["round"]) for row in rows] == list(range(1, 701))
    assert [float(row["log10_evidence"]) for row in rows] == pytest.approx((watched.path / np.log(10)).tolist())
    assert float(rows[-1]["keeps"]) == pytest.approx(watched.by_check[0, -1] / np.log(10))
    assert rows[0]["dice"] == str(ALL_ROLLS[draw_tumblers(1, 700, 6, retention=0.12)[0][0]])


def test_a_journal_is_judged_by_its_concluded_rounds(capfd: pytest.CaptureFixture[str], journal: Path) -> None:
    """From a journal come the dice of concluded rounds, set by set, and the layout of the table."""
    assert main(["dice", str(journal), "--table", "T1", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    with open_journal(journal, read_only=True) as opened:
        events = [event_of(record).what for record in opened.read("T1")]
    rolls: dict[str, list[tuple[int, ...]]] = {}
    follows: dict[str, int] = {}
    name, after = "", False
    for what in events:
        if isinstance(what, e.DiceSealed):
            name, after = what.dice_set, False
        elif isinstance(what, e.RoundVoided | e.DiceInspected | e.DiceRetired):
            after = False
        elif isinstance(what, e.RoundConcluded):
            rolls.setdefault(name, []).append(what.dice)
            follows[name] = follows.get(name, 0) + after
            after = True
    assert sum(map(len, rolls.values())) > 10
    assert any(isinstance(what, e.RoundVoided) for what in events)
    assert [(each["dice_set"], each["rounds"]) for each in found["sets"]] == [
        (name, len(each)) for name, each in rolls.items()
    ]
    for each in found["sets"]:
        throws = [face for roll in rolls[each["dice_set"]] for face in roll]
        assert each["state"]["counts"]["faces"] == [throws.count(face) for face in range(1, 7)]
        assert sum(each["state"]["counts"]["keeps"]) == follows[each["dice_set"]]
        assert not each["ordered"]
        assert each["gains"][0]["layout"] == "nz-division-9/1"


def test_one_set_can_be_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each set of dice is judged by itself; one alone on demand."""
    file = tmp_path / "sets.csv"
    lines = [f"A,{1 + n % 6},{1 + n * 5 % 6},{1 + n * n % 6}" for n in range(50)] + ["B,1,1,1"] * 50
    file.write_text("\n".join(["dice_set,d1,d2,d3", *lines]), encoding="utf-8")
    assert command(str(file), json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["dice_set"], each["rounds"]) for each in found["sets"]] == [("A", 50), ("B", 50)]
    assert found["sets"][1]["alarm"]
    assert command(str(file), dice_set="B", layout=LAYOUT) == 1
    text = capsys.readouterr().out
    assert "Dice B: 50 rounds" in text
    assert "Dice A" not in text
    assert "may be chance" not in text


def test_rolls_written_by_size_are_noticed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Rolls that are all in rising order are judged without their order, which is said."""
    file = tmp_path / "sorted.txt"
    rolls = draw_tumblers(1, 300, 7)[0].tolist()
    file.write_text("".join("{}{}{}\n".format(*ALL_ROLLS[index].low_to_high) for index in rolls), encoding="utf-8")
    assert command(str(file), battery=True) == 0
    text = capsys.readouterr().out
    assert "written by size" in text
    assert "die 1" not in text
    assert command(str(file), unordered=True, json=True) == 0
    found = json.loads(capsys.readouterr().out)["sets"][0]
    assert (found["ordered"], found["written_by_size"]) == (False, False)


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


@pytest.mark.parametrize(
    ("table", "message"),
    [(None, "--table: which one: T1, T2"), ("T9", "--table: no table 'T9'; there are T1, T2")],
)
def test_a_journal_needs_its_table(journal: Path, table: str | None, message: str) -> None:
    """Of several tables one is chosen, and it is there."""
    with pytest.raises(InputFault) as caught:
        command(str(journal), table=table)
    assert str(caught.value) == message


def test_the_only_table_need_not_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A journal of one table, given by its address, is judged without --table; one without rounds is refused."""
    file = tmp_path / "one.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as opened:
        dealt = deal(TableKeeper(opened, shelf.book, "T7"), Bot(shelf.book("nz-division-9"), "1", 3, trouble=0.0))
        next(dealt)
        with pytest.raises(InputFault, match="--table: table 'T7' has no concluded round"):
            command(str(file))
        for _ in islice(dealt, 150):
            pass
    assert command(f"sqlite:///{file}", json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["table"] == "T7"
    assert found["sets"][0]["rounds"] > 2


def test_a_missing_file_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that is not there, and a line that cannot be read, are one line on standard error."""
    assert main(["dice", str(tmp_path / "none.txt")]) == 2
    assert "No such file" in capfd.readouterr().err
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
