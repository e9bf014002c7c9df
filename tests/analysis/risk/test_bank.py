"""Ruin in the long run: against formulas, and against long sessions."""

from __future__ import annotations

from math import exp, inf, log

import pytest

from taisai.analysis.risk import bank as banks
from taisai.analysis.risk.bank import adjustment, goal_first, ruin, turned
from taisai.analysis.session.exact import Game, Manner, session
from taisai.core.faults import InputFault
from tests.analysis.session.samples import SMALL, game_on

HOUSE = turned(SMALL)


def test_an_even_money_bet_is_that_of_the_gambler() -> None:
    """For steps of one the chance is (q/p)^(units + 1): a bank of u units is gone when u + 1 are lost."""
    found = ruin(HOUSE)
    for units in (0, 1, 10, 100, 300):
        assert found.of(units * 1000) == pytest.approx((105 / 111) ** (units + 1), rel=1e-9)
    assert found.lundberg == pytest.approx(log(111 / 105) / 1000)
    assert found.of(10**9) == 0.0


@pytest.mark.parametrize("risk", [0.05, 0.001, 1e-9])
@pytest.mark.parametrize("bets", ["small=100", "single:4=100", "triple:6=10 small=100"])
def test_bank_encloses_its_risk(bets: str, risk: float) -> None:
    """The bank is gone with at most the risk, and one unit less with more; Lundberg's inequality holds."""
    found = ruin(turned(game_on("rws-tai-sai-v6/C", bets)))
    bank = found.bank(risk)
    assert found.of(bank) <= risk < found.of(bank - found.unit)
    assert found.of(bank) <= exp(-found.lundberg * bank)


def test_long_run_is_more_than_a_long_session() -> None:
    """The chance that a player is ever so far ahead grows with the rounds towards the chance of ruin."""
    bank = 20_000
    ever = ruin(HOUSE).of(bank)
    chances = [float(session(SMALL, Manner(rounds, stop_win=bank + 1000)).target) for rounds in (1000, 20_000)]
    assert chances[0] < chances[1] <= ever
    assert chances[1] == pytest.approx(ever, rel=1e-4)


def test_goal_before_ruin() -> None:
    """A player doubles an even-money bank by the classical formula, and never with less than a stake."""
    ratio = 111 / 105
    assert goal_first(SMALL, 10_000, 10_000) == pytest.approx((ratio**10 - 1) / (ratio**20 - 1), rel=1e-10)
    assert goal_first(SMALL, 999, 1000) == 0.0
    game = game_on("rws-tai-sai-v6/C", "triple:6=100")
    played = session(game, Manner(3000, bankroll=10_000, stop_win=18_000))
    assert played.playing < 1e-6
    assert goal_first(game, 10_000, 18_000) == pytest.approx(float(played.target), abs=1e-6)


def test_no_edge_no_bank() -> None:
    """Whoever has no edge is ruined in the end; who cannot lose needs nothing; too many amounts are refused."""
    with pytest.raises(InputFault, match="no edge"):
        adjustment(SMALL)
    sure = Game(1, ((1, 216),))
    assert adjustment(sure) == inf
    assert ruin(sure).bank(0.001) == 0


def test_too_fine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Amounts without a common divisor make the stretch too long, and the way out is named."""
    monkeypatch.setattr(banks, "CELLS_MOST", 100)
    with pytest.raises(InputFault, match="rounder stakes"):
        ruin(HOUSE)
    with pytest.raises(InputFault, match="nearer goal"):
        goal_first(SMALL, 10_000, 900_000)
