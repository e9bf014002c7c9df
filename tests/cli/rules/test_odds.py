"""`taisai odds`: boxes, sets of bets, pictures."""

from __future__ import annotations

import csv
import io
import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.running import printed


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


def test_a_book_brings_no_formula_into_csv(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A bet of somebody's book that is named like a formula is a text in the spreadsheet."""
    shutil.copytree(ROOT / "tests/books/sample/harbour-sic-bo", tmp_path / "harbour-sic-bo")
    file = tmp_path / "harbour-sic-bo" / "layout-club.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('"Any Triple"', '"=1+1"'), encoding="utf-8")
    told = printed(capfd, "odds", "harbour-sic-bo/club", "--csv", "--book-dir", str(tmp_path))
    assert {row["box"]: row["bet"] for row in csv.DictReader(io.StringIO(told))}["any-triple"] == "'=1+1"


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
