"""`taisai bank`: the house's bank, a player's goal, and faults that name the option."""

from __future__ import annotations

import json

import pytest

from taisai.cli import main

WORDS = ["bank", "rws-tai-sai-v6/C", "--bets", "small=1000"]


def test_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    """The table says whose edge it is, the bank for each risk, and how a player's bank fares."""
    assert main([*WORDS, "--bankroll", "10000"]) == 0
    text = capsys.readouterr().out
    for words in ("the house has the edge", "0.1000 %", "wins 10,000 before ruin: 36.4", "360 rounds on average"):
        assert words in text


def test_json(capfd: pytest.CaptureFixture[str]) -> None:
    """JSON has a bank for each risk that was asked for."""
    assert main([*WORDS, "--risk", "1/1000", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["edge_of"] == "house"
    assert found["banks"] == [{"risk": 0.001, "bank": 124_000}]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--risk", "2"], "--risk: at least 1e-12 and less than 1"),
        (["--goal", "5"], "--goal: goes with --bankroll"),
        (["--bankroll", "5"], "--bankroll: "),
    ],
)
def test_faults_name_the_option(words: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be computed is said with the option's name."""
    assert main([*WORDS, *words]) == 2
    assert fault in capsys.readouterr().err
