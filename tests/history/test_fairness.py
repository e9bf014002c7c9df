"""Dice and returns of all tables at once."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.special import chdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.files import Gathering
from taisai.audit.reports import Span, make_report
from taisai.books.shelf import Shelf
from taisai.cli.maths.dice import _gather
from taisai.core.dice import ALL_ROLLS
from taisai.history.engines import Engine
from taisai.history.fairness import Faces, Fairness, Returns, chance_of, fairness, layout_of, thrown
from taisai.history.folder import Export
from taisai.journal import MemoryJournal
from tests.history.asked import asked_for
from tests.history.dealt import SHELF, content


def test_rolls_are_those_of_the_journal(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """Each table's rolls by set of dice, which follow the one before, and its layout are as the journal gives them."""
    several = 0
    for table in export.game_tables:
        gathering = Gathering()
        layout = _gather(journal, table, gathering)
        ours, theirs = thrown(export, engine, table), gathering.sets()
        assert [each.name for each in ours] == [each.name for each in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.rolls.tolist() == other.rolls.tolist()
            assert one.follows.tolist() == other.follows.tolist()
        assert layout_of(export, table) == layout
        several += len(ours) > 1
    assert several


def test_fairness_is_that_of_the_report(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """Returns are the audit's, the books' own expectation agrees with the journal's, and faces are those rolled."""
    found = fairness(export, SHELF, engine)
    life = {row.table: row for row in make_report(journal, asked_for(Span.LIFE)).rows if row.rounds}
    assert {each.table for each in found.returns} == set(life)
    for each in found.returns:
        row = life[each.table]
        assert (each.actual, each.theoretical) == (row.actual_return, row.theoretical_return)
        assert each.recounted_216 == each.expected_216 == row.expected_216
        assert each.is_recounted
    rolled = [row["roll"] for row in content(export)["rounds"] if row["outcome"] == "concluded"]
    faces = [face for roll in rolled for face in ALL_ROLLS[roll].faces]
    assert found.all_faces.times == tuple(faces.count(face) for face in range(1, 7))
    assert found.all_faces.by_die[0] == tuple(
        sum(ALL_ROLLS[roll].faces[0] == face for roll in rolled) for face in range(1, 7)
    )
    squares = sum(
        (216 * row["returned"] - row["expected_216"]) ** 2
        for row in content(export)["rounds"]
        if row["outcome"] == "concluded"
    )
    assert found.all_returns.squares == squares
    assert fairness(export, Shelf({}), engine).all_returns.recounted_216 is None
    some = fairness(export, SHELF, engine, tables=["NZ"])
    assert [each.table for each in some.returns] == ["NZ"]
    assert {each.table for each in some.faces} == {"NZ"}


def test_unfair_dice_and_returns_are_alarms() -> None:
    """A loaded face, a return far from its expectation and one the books do not expect are alarms; fair is none."""
    fair = Faces("A", "D1", 200, (100,) * 6, ((0,) * 6,) * 3)
    loaded = fair._replace(table="B", times=(160, 88, 88, 88, 88, 88))
    right = Returns("A", 200, 200_000, 190_000, 216 * 194_000, 216**2 * 200 * 1_000**2, 216 * 194_000)
    generous = right._replace(table="B", returned=9_000_000)
    assert generous.chance == 0
    other = right._replace(table="C", recounted_216=216 * 194_001)
    few = generous._replace(table="D", rounds=99)
    found = Fairness(0.001, (fair, loaded), (right, generous, other, few), ())
    assert [each.table for each in found.alarms()] == ["B", "B", "C", ""]
    assert found.bound == 0.001 / 7
    assert Fairness(0.001, (fair,), (right,), ()).alarms() == []
    assert Fairness(0.001, (), (few,), ()).alarms() == []
    assert loaded.chi_square == Fraction(60**2 + 5 * 12**2, 100)
    assert fair.chance == 1
    assert right.deviation == pytest.approx(-4_000 / (200**0.5 * 1_000))


@pytest.mark.parametrize("chi_square", [0.0, 0.5, 4.35, 11.07, 60.0])
def test_the_chance_of_a_chi_square(chi_square: float) -> None:
    """The closed form for five degrees of freedom is what SciPy says."""
    assert chance_of(chi_square) == pytest.approx(chdtrc(5, chi_square), rel=1e-9)
