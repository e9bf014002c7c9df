"""The conformance vectors agree with the second settlement, which shares no code with the first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from taisai.audit import recount
from tests import ROOT

FOLDER = ROOT / "conformance"
MONEY = ("player", "box", "stake", "at_risk", "pays", "winnings", "returned")


def lines(name: str) -> list[dict[str, Any]]:
    """The cases of a file of JSON Lines."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("layout", recount.LAYOUTS)
def test_the_matrix_agrees_with_the_recount(layout: str) -> None:
    """Every cell of the published matrix is what the clauses say when read a second time."""
    matrix = json.loads((FOLDER / f"matrix-{layout.replace('/', '-')}.json").read_text(encoding="utf-8"))
    assert set(matrix["boxes"]) == set(recount.boxes(layout))
    assert len(matrix["rolls"]) == 216
    for row in matrix["rolls"]:
        dice = (row["dice"][0], row["dice"][1], row["dice"][2])
        assert row["call"] == recount.call(dice)
        assert row["pays"] == {
            box: pays for box in matrix["boxes"] if (pays := recount.pays(layout, box, dice)) is not None
        }


@pytest.mark.parametrize("vector", lines("settle-cases.jsonl"), ids=lambda vector: vector["name"])
def test_a_settle_case_agrees_with_the_recount(vector: dict[str, Any]) -> None:
    """Every published answer has the money that the second settlement finds."""
    second = recount.settle(vector["case"])
    answer = vector["answer"]
    assert [{key: bet[key] for key in MONEY} for bet in answer["bets"]] == second["bets"]
    assert answer["totals"] == second["totals"]
    assert sorted(answer["lit"]) == second["lit"]
    assert {flag["box"]: flag["amount"] for flag in answer["flags"] if flag["code"] == "over-capacity"} == second[
        "over"
    ]
