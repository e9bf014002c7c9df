"""Bets on counts: shuffles by brute force over all permutations, and what is believed after them."""

from __future__ import annotations

from itertools import permutations
from math import exp, inf, log, prod
from random import Random

import pytest

from taisai.analysis.dice.cells import Before
from taisai.analysis.dice.evidence import checks_of
from taisai.analysis.dice.mixtures import SIDES, Mixture, Product, log_sum, mixture_of, permanent
from taisai.core.dice import roll_of


def mixture(name: str, *, ordered: bool) -> Mixture:
    """The mixture of a check."""
    found = next(check.mixture for check in checks_of(ordered=ordered) if check.name == name)
    assert isinstance(found, Mixture)
    return found


def test_the_permanent_is_the_sum_over_permutations() -> None:
    """Of a matrix drawn by chance, and of one whose rows allow no permutation."""
    chance = Random(1)
    matrix = [chance.random() for _ in range(SIDES**2)]
    brute = sum(
        prod(matrix[SIDES * row + column] for row, column in enumerate(order)) for order in permutations(range(SIDES))
    )
    assert permanent(matrix) == pytest.approx(brute)
    assert permanent([1.0 if at % SIDES == 0 else 0.0 for at in range(SIDES**2)]) == 0


@pytest.mark.parametrize("ordered", [True, False])
def test_a_shuffle_is_the_mean_over_all_permutations(ordered: bool) -> None:
    """Its wealth is that of 720 bettors with a permutation each, and so is the belief about where a face leads."""
    chance = Random(2)
    moves = mixture("moves", ordered=ordered)
    counts = [chance.randrange(30) for _ in range(moves.size)]
    for shuffle in moves.shuffles:
        logs = {
            order: shuffle.common[1] * sum(counts[: shuffle.common[0]])
            + sum(
                ratio * counts[cell] for row, to in enumerate(order) for cell, ratio in shuffle.forms[SIDES * row + to]
            )
            for order in permutations(range(SIDES))
        }
        whole = log_sum(logs.values())
        assert shuffle.log_e(counts) == pytest.approx(shuffle.log_share + whole - log(720))
        leads = shuffle.leads(counts)
        for row in range(SIDES):
            for to in range(SIDES):
                share = sum(exp(each - whole) for order, each in logs.items() if order[row] == to)
                assert leads[SIDES * row + to] == pytest.approx(share, abs=1e-9)


def test_counts_that_fit_no_permutation_bankrupt_a_shuffle_only() -> None:
    """A face that always comes leaves nothing on the shuffles, and the urn takes the rest."""
    moves = mixture("moves", ordered=True)
    counts = [4000 if at % SIDES == 0 else 0 for at in range(36)]
    assert moves.shuffles[-1].log_e(counts) == -inf
    assert moves.shuffles[-1].leads(counts) == [1 / SIDES] * 36
    assert moves.log_e(counts) > 1000


@pytest.mark.parametrize("ordered", [True, False])
def test_beliefs_begin_fair_and_follow_the_counts(ordered: bool) -> None:
    """Before any roll all faces follow alike; dice that always tip are believed to."""
    moves = mixture("moves", ordered=ordered)
    for row in moves.moves([0] * moves.size):
        assert row == pytest.approx([1 / 6] * 6)
    cells = next(check.cells_of for check in checks_of(ordered=ordered) if check.name == "moves")
    chance, counts = Random(3), [0] * moves.size
    for _ in range(4000):
        before = [chance.randint(1, 6) for _ in range(3)]
        now = [face % 6 + 1 if chance.random() < 0.25 else chance.randint(1, 6) for face in before]
        for cell in cells(Before(roll_of(before), roll_of(before), 0), roll_of(now)):
            counts[cell] += 1
    shares = moves.moves(counts)
    assert all(sum(row) == pytest.approx(1) for row in shares)
    assert [row.index(max(row)) for row in shares] == [1, 2, 3, 4, 5, 0]
    assert shares[0][1] == pytest.approx(0.25 * 5 / 6 + 1 / 6, abs=0.06)


def test_urns_lie_in_rows() -> None:
    """An urn over rows is the product of urns over each."""
    one = mixture_of((0.5, 0.5), (10.0,))
    two = mixture_of((0.5, 0.5), (10.0,), rows=2)
    assert two.log_e([5, 1, 0, 7]) == pytest.approx(one.log_e([5, 1]) + one.log_e([0, 7]))


def test_a_product_bets_on_each_row_by_itself() -> None:
    """Its wealth is that of one bettor for each row, multiplied."""
    each = mixture_of((0.5, 0.5), (10.0,))
    rows = Product(each, 3)
    assert rows.size == 6
    assert rows.log_e([5, 1, 0, 7, 2, 2]) == pytest.approx(sum(map(each.log_e, ([5, 1], [0, 7], [2, 2]))))
