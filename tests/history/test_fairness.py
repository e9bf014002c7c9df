"""Dice and returns of all tables at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.special import chdtrc  # type: ignore[import-untyped] # SciPy has no types of its own

from taisai.analysis.dice.gathering import Gathering
from taisai.analysis.dice.throws import Throws
from taisai.analysis.returns import Spread
from taisai.audit.reports import Span, make_report
from taisai.books.shelf import Shelf
from taisai.core.dice import ALL_ROLLS
from taisai.history.engines import Engine, open_engine
from taisai.history.fairness import Faces, Fairness, Returns, chance_of, fairness, layout_of, thrown
from taisai.history.folder import Export
from taisai.journal import MemoryJournal
from taisai.streams.codec import event_of
from tests.audit.forged import journal_of
from tests.audit.test_openings import dealt
from tests.history.asked import asked_for, exported
from tests.history.dealt import SHELF, content


def test_rolls_are_those_of_the_journal(journal: MemoryJournal, export: Export, engine: Engine) -> None:
    """Each table's rolls by set of dice, which follow the one before, and its layout are as the journal gives them."""
    several = 0
    for table in export.game_tables:
        gathering, throws = Gathering(), Throws()
        for record in journal.read(table):
            throw = throws.see(event_of(record).what)
            if throw is not None:
                gathering.put_in(throw.dice_set)
                if not throw.follows:
                    gathering.gap()
                gathering.add(throw.roll, ordered=throw.ordered)
        ours, theirs = thrown(export, engine, table), gathering.sets()
        assert [(each.name, each.ordered) for each in ours] == [(each.name, each.ordered) for each in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.rolls.tolist() == other.rolls.tolist()
            assert one.follows.tolist() == other.follows.tolist()
        assert layout_of(export, table) == throws.layout
        several += len(ours) > 1
    assert several


def test_virtual_dice_are_told_apart(tmp_path: Path) -> None:
    """Rounds that opened a commitment have an order that means something; those that a dealer read have none."""
    export = exported(journal_of(dealt()), tmp_path)
    with open_engine("duckdb", export) as engine:
        assert [(len(each.rolls), each.ordered) for each in thrown(export, engine, "T1")] == [(2, True)]


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
    assert fairness(export, Shelf({}), engine).all_returns.recounted_216 is None
    assert fairness(export, Shelf({}), engine).all_returns.chance is None
    some = fairness(export, SHELF, engine, tables=["NZ"])
    assert [each.table for each in some.returns] == ["NZ"]
    assert {each.table for each in some.faces} == {"NZ"}


def test_spreads_are_those_of_every_roll(export: Export, engine: Engine) -> None:
    """Difference, variance and bounds of each class are those of its rounds, settled on all 216 rolls."""
    bets: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in content(export)["bets"]:
        if row["roll"] < 216:
            bets.setdefault((row["table_name"], row["position"]), []).append(row)
    wanted: dict[str, list[int]] = {}
    bounds: dict[str, list[int]] = {}
    for (table, _), rows in bets.items():
        layout = SHELF.layout(rows[0]["rules"].rpartition("@")[0])
        pays = [layout.pay_table[roll.index] for roll in ALL_ROLLS]
        backs = [sum(row["at_risk"] * (odds[row["box"]] + 1) for row in rows if odds[row["box"]]) for odds in pays]
        mean = sum(backs)
        variance = 216 * sum(back**2 for back in backs) - mean**2
        returned = sum(216 * (row["returned"] - row["stake"] + row["at_risk"]) for row in rows)
        sums = wanted.setdefault(table, [0, 0, 0])
        sums[:] = sums[0] + 1, sums[1] + returned - mean, sums[2] + variance
        most = bounds.setdefault(table, [0, 0])
        most[:] = max(most[0], 216 * max(backs) - mean), max(most[1], mean - 216 * min(backs))
    found = fairness(export, SHELF, engine)
    assert {each.table for each in found.returns} == set(wanted)
    for each in found.returns:
        assert [sum(column) for column in list(zip(*each.spreads, strict=True))[1:4]] == wanted[each.table]
        assert max(spread.above for spread in each.spreads) >= bounds[each.table][0]
        assert max(spread.below for spread in each.spreads) >= bounds[each.table][1]
        assert all(spread.variance <= spread.rounds * spread.scale for spread in each.spreads)
        assert each.judged == wanted[each.table][0] <= each.rounds


TRIPLE = 216 * 151**2 - 151**2
"""The variance of a triple at 150 to 1, in 216ths."""


def triples(table: str, rounds: int, won: int) -> Returns:
    """Rounds with one unit on a triple each."""
    spread = Spread(TRIPLE, rounds, 216 * 151 * won - 151 * rounds, rounds * TRIPLE, 216 * 151 - 151, 151)
    return Returns(table, rounds, rounds, 151 * won, 151 * rounds, 151 * rounds, (spread,))


def test_lost_bets_on_a_triple_are_no_alarm() -> None:
    """A hundred of them lose with a chance of 63 %: that says next to nothing about the dice."""
    found = Fairness(0.001, (), (triples("A", 100, 0),), ())
    assert found.alarms() == []
    assert found.returns[0].chance is not None
    assert found.returns[0].chance > 0.5
    assert found.returns[0].deviation == pytest.approx(-0.68, abs=0.01)


def test_unfair_dice_and_returns_are_alarms() -> None:
    """A loaded face, a return far from its expectation and one the books do not expect are alarms; fair is none."""
    fair = Faces("A", "D1", 200, (100,) * 6, ((0,) * 6,) * 3)
    loaded = fair._replace(table="B", times=(160, 88, 88, 88, 88, 88))
    right, generous = triples("A", 2160, 10), triples("B", 2160, 40)
    other = right._replace(table="C", recounted_216=right.expected_216 + 1)
    unknown = right._replace(table="D", spreads=())
    found = Fairness(0.001, (fair, loaded), (right, generous, other, unknown), ())
    assert [each.table for each in found.alarms()] == ["B", "B", "C", ""]
    assert found.bound == 0.001 / 7
    assert unknown.chance is None
    assert Fairness(0.001, (fair,), (right,), ()).alarms() == []
    assert loaded.chi_square == Fraction(60**2 + 5 * 12**2, 100)
    assert fair.chance == 1


@pytest.mark.parametrize("chi_square", [0.0, 0.5, 4.35, 11.07, 60.0])
def test_the_chance_of_a_chi_square(chi_square: float) -> None:
    """The closed form for five degrees of freedom is what SciPy says."""
    assert chance_of(chi_square) == pytest.approx(chdtrc(5, chi_square), rel=1e-9)
