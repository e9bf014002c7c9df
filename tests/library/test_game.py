"""A layout in one line: settlement, odds, felt, session, simulation, from what people write."""

from __future__ import annotations

import doctest
from fractions import Fraction
from typing import Any

import pytest

import taisai
from taisai.core.faults import InputFault
from taisai.library import game

LAYOUT = taisai.layout("rws-tai-sai-v6/C")
NO_BETS: Any = 5


@pytest.mark.parametrize("dice", ["1,3,6", "136", (1, 3, 6), [6, 3, 1]])
@pytest.mark.parametrize("bets", [{"small": 100, "total:10": 50}, "small=100 total:10=50"])
def test_one_line_settles(dice: str | tuple[int, ...] | list[int], bets: str | dict[str, int]) -> None:
    """Dice and bets are read however people write them; each line says why, by which clauses."""
    settled = LAYOUT.settle(dice, bets)
    assert (settled.staked, settled.winnings, settled.returned, settled.net) == (150, 400, 550, 400)
    assert [line.pays for line in settled] == [1, 6]
    assert all(line.why and line.clauses for line in settled)
    assert settled.columns()["returned"] == [200, 350]
    assert "<td>small</td>" in settled._repr_html_()


def test_everything_prints_shortly() -> None:
    """No value prints more than a line."""
    for value in (
        LAYOUT,
        LAYOUT.settle("1,3,6", "small=5"),
        LAYOUT.odds(),
        LAYOUT.together("small=5 big=5"),
        LAYOUT.felt(),
        LAYOUT.session("small=5", 3),
    ):
        assert len(repr(value)) < 120


def test_odds_are_exact() -> None:
    """Odds by name, as columns, and of bets together."""
    odds = LAYOUT.odds()
    assert odds["small"].edge == Fraction(1, 36)
    assert len(odds) == len(LAYOUT.boxes) == len(odds.columns()["edge"]) == len(list(odds))
    with pytest.raises(KeyError):
        _ = odds["nothing"]
    assert LAYOUT.together({"small": 1, "big": 1}).columns() == {"net": [-2, 0], "ways": [6, 210]}


def test_simulation_is_seeded() -> None:
    """The same seed gives the same report, with players as they come or a traffic of one's own."""
    one, two = (LAYOUT.simulate(rounds=2000, seed=7, players=2) for _ in range(2))
    assert one == two
    own = LAYOUT.simulate(rounds=2000, seed=7, traffic={"players": [{"name": "a", "bets": "small=100"}]})
    assert own != one


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: taisai.layout("rws-tai-sai-v6/Z"), "name: "),
        (lambda: LAYOUT.settle("1,3", "small=5"), "dice: "),
        (lambda: LAYOUT.settle("1,3,6", {"smal": 5}), "bets: "),
        (lambda: LAYOUT.settle("1,3,6", {"small": -5}), "bets small: "),
        (lambda: LAYOUT.settle("1,3,6", NO_BETS), "bets: write"),
        (lambda: LAYOUT.session("small=5", 3, plan="luck"), "plan: one of flat"),
    ],
)
def test_faults_name_the_field(ask: object, message: str) -> None:
    """What cannot be read is said with the name of the argument."""
    with pytest.raises(InputFault, match=message):
        ask()  # type: ignore[operator] # each is a call


def test_names_are_listed_and_lazy() -> None:
    """The package says what it has; an unknown name is an attribute error."""
    assert "layout" in dir(taisai)
    assert "rws-tai-sai-v6/C" in taisai.layouts()
    with pytest.raises(AttributeError, match="nothing"):
        _ = taisai.nothing


def test_examples_run() -> None:
    """Every example in the docstrings of the library gives what it shows."""
    assert doctest.testmod(game).failed == 0
    assert doctest.testmod(taisai).failed == 0
