"""What `taisai dice` says of a set of dice: JSON, CSV, order."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from taisai.analysis.dice.estimates import estimates
from taisai.analysis.dice.paths import draw_tumblers, watch_rolls
from taisai.analysis.dice.plots import marked_rounds
from taisai.analysis.dice.watch import DiceWatch
from taisai.cli import main
from taisai.cli.maths.dice import dice as command
from taisai.core.dice import ALL_ROLLS
from tests.cli.maths.samples import LAYOUT


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
    assert only["path"][-1]["log10_evidence"] == pytest.approx(only["log10_evidence"])
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


def test_a_file_of_rolls_brings_no_formula_into_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Dice that are named like a formula are a text in the spreadsheet."""
    file = tmp_path / "rolls.csv"
    file.write_text("dice_set,dice\n=1+1,1-2-3\n=1+1,4-2-6\n", encoding="utf-8")
    command(str(file), csv=True)
    assert {row["dice_set"] for row in csv.DictReader(capsys.readouterr().out.splitlines())} == {"'=1+1"}


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
