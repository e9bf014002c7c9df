"""Dice and returns of all tables at once.

Enters: an export, the rule books at hand, an engine. Leaves: the rolls of a table by set of dice, for the evidence of
`analysis.dice_watch`; and for all tables together the counts of faces with their chi-square, and the actual against the
theoretical return. Serves R23.

The engine counts in whole numbers, so that both give the same; what is made of the counts is made here. A return is
judged by the rounds themselves: under fair dice the difference of a round from its expectation is nothing on average,
so the sum of the differences, divided by the root of the sum of their squares, is about a standard normal deviation.
This looks once; who looks again and again uses the evidence of `taisai dice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import erfc, exp, pi, sqrt
from typing import Final, NamedTuple

from taisai.analysis.dice.files import Gathering, Thrown
from taisai.books import Shelf
from taisai.core.dice import ALL_ROLLS, FACES
from taisai.core.faults import InputFault
from taisai.history import queries
from taisai.history.engines import Engine
from taisai.history.folder import Export
from taisai.history.payouts import payouts
from taisai.history.reported import put_wanted

LEVEL: Final = 0.001
"""Chance of any alarm when all dice are fair."""
ROUNDS_LEAST: Final = 100
"""Fewer rounds than this, and neither chi-square nor a deviation means much."""


class Faces(NamedTuple):
    """How often each face came, of one set of dice or of all."""

    table: str
    dice_set: str
    rounds: int
    times: tuple[int, ...]
    """By face, over all three dice."""
    by_die: tuple[tuple[int, ...], ...]

    @property
    def chi_square(self) -> Fraction:
        """Against faces that come equally often; five degrees of freedom."""
        expected = Fraction(self.rounds * len(ALL_ROLLS[0].faces), len(FACES))
        return sum(((times - expected) ** 2 for times in self.times), Fraction(0)) / expected if expected else expected

    @property
    def chance(self) -> float | None:
        """Probability that fair dice do as badly; None for too few rounds."""
        return chance_of(float(self.chi_square)) if self.rounds >= ROUNDS_LEAST else None


class Returns(NamedTuple):
    """What the rounds of a table returned."""

    table: str
    rounds: int
    staked: int
    returned: int
    expected_216: int
    """What the journal says that the bets return on average, times 216."""
    squares: int
    """The squares of 216 times the difference of each round, added up."""
    recounted_216: int | None
    """The same expectation from the rule books and the bets; None when some rules are not at hand."""

    @property
    def actual(self) -> Fraction | None:
        """What came back for each unit staked."""
        return Fraction(self.returned, self.staked) if self.staked else None

    @property
    def theoretical(self) -> Fraction | None:
        """What should come back on average."""
        return Fraction(self.expected_216, 216 * self.staked) if self.staked else None

    @property
    def deviation(self) -> float | None:
        """How many standard deviations more than expected came back; None for too few rounds."""
        if self.rounds < ROUNDS_LEAST or not self.squares:
            return None
        return (216 * self.returned - self.expected_216) / sqrt(self.squares)

    @property
    def chance(self) -> float | None:
        """Probability that fair dice deviate so far, either way."""
        return None if self.deviation is None else erfc(abs(self.deviation) / sqrt(2))

    @property
    def is_recounted(self) -> bool:
        """Whether the rule books agree with the journal on what the bets return on average."""
        return self.recounted_216 is None or self.recounted_216 == self.expected_216


@dataclass(frozen=True)
class Fairness:
    """All tables, judged together."""

    level: float
    faces: tuple[Faces, ...]
    """By table and set of dice."""
    returns: tuple[Returns, ...]
    """By table."""
    missing: tuple[str, ...]
    """Rules that no book at hand has."""

    @property
    def all_faces(self) -> Faces:
        """All dice of all tables."""
        return Faces(
            "",
            "",
            sum(each.rounds for each in self.faces),
            _added(each.times for each in self.faces),
            tuple(_added(each.by_die[die] for each in self.faces) for die in range(3)),
        )

    @property
    def all_returns(self) -> Returns:
        """All rounds of all tables."""
        known = [each.recounted_216 for each in self.returns if each.recounted_216 is not None]
        return Returns(
            "",
            sum(each.rounds for each in self.returns),
            sum(each.staked for each in self.returns),
            sum(each.returned for each in self.returns),
            sum(each.expected_216 for each in self.returns),
            sum(each.squares for each in self.returns),
            sum(known) if len(known) == len(self.returns) else None,
        )

    @property
    def judged_faces(self) -> tuple[Faces, ...]:
        """Each set of dice, and all of them when there are several."""
        return (*self.faces, self.all_faces) if len(self.faces) > 1 else self.faces

    @property
    def judged_returns(self) -> tuple[Returns, ...]:
        """Each table, and all of them when there are several."""
        return (*self.returns, self.all_returns) if len(self.returns) > 1 else self.returns

    @cached_property
    def bound(self) -> float:
        """An alarm is below this chance: the level shared among all that were judged."""
        chances = [*(each.chance for each in self.judged_faces), *(each.chance for each in self.judged_returns)]
        return self.level / max(1, sum(chance is not None for chance in chances))

    def alarms(self) -> list[Faces | Returns]:
        """Dice and tables outside of what is expected, and tables whose expectation is not that of the books."""
        found: list[Faces | Returns] = [each for each in self.judged_faces if self.is_out(each.chance)]
        found += [each for each in self.judged_returns if self.is_out(each.chance) or not each.is_recounted]
        return found

    def is_out(self, chance: float | None) -> bool:
        """Whether a chance is outside of what is expected."""
        return chance is not None and chance < self.bound


def fairness(
    export: Export, shelf: Shelf, engine: Engine, *, tables: Iterable[str] = (), level: float = LEVEL
) -> Fairness:
    """Judge all tables, or some."""
    if not 0 < level < 1:
        raise InputFault("--level", f"between 0 and 1, got {level}")
    wanted = sorted(tables)
    for table in wanted:
        require_table(export, table)
    put_wanted(engine, wanted or export.game_tables)
    joined = payouts(export.rules, shelf)
    engine.put("boxes", joined.boxes)
    counts: dict[tuple[str, str], list[int]] = {}
    for row in engine.query(queries.ROLLS).to_pylist():
        key = (row["table_name"], row["dice_set"])
        counts.setdefault(key, [0] * len(ALL_ROLLS))[row["roll"]] = int(row["times"])
    expected = {
        row["table_name"]: int(row["expected_216"]) if row["known"] == row["bets"] else None
        for row in engine.query(queries.EXPECTED).to_pylist()
    }
    returns = [
        Returns(
            row["table_name"],
            int(row["rounds"]),
            int(row["staked"]),
            int(row["returned"]),
            int(row["expected_216"]),
            int(row["squares"]),
            expected.get(row["table_name"], 0),
        )
        for row in engine.query(queries.RETURNS).to_pylist()
    ]
    faces = [_faces(*key, times) for key, times in sorted(counts.items())]
    return Fairness(level, tuple(faces), tuple(sorted(returns)), joined.missing)


def thrown(export: Export, engine: Engine, table: str) -> tuple[Thrown, ...]:
    """The rolls of a table by set of dice, in order, as a journal gives them."""
    require_table(export, table)
    put_wanted(engine, [table])
    gathering = Gathering()
    for batch in engine.query(queries.THROWN).to_batches():
        columns = (batch.column(name).to_pylist() for name in ("dice_set", "roll", "follows"))
        for dice_set, roll, follows in zip(*columns, strict=True):
            gathering.put_in(dice_set)
            if not follows:
                gathering.gap()
            gathering.add(roll)
    return gathering.sets()


def layout_of(export: Export, table: str) -> str | None:
    """The layout that a table has now; None before its set-up."""
    return export.tables[table].base.layout or None


def require_table(export: Export, table: str) -> None:
    """Refuse a table that the export does not have."""
    if table not in export.game_tables:
        names = ", ".join(export.game_tables) or "none"
        raise InputFault("--table", f"no table {table!r}; there are {names}")


def _faces(table: str, dice_set: str, counts: list[int]) -> Faces:
    by_die = tuple(
        tuple(sum(counts[roll.index] for roll in ALL_ROLLS if roll.faces[die] == face) for face in FACES)
        for die in range(3)
    )
    return Faces(table, dice_set, sum(counts), _added(by_die), by_die)


def _added(parts: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip((0,) * len(FACES), *parts, strict=True)))


def chance_of(chi_square: float) -> float:
    """The chance of a chi-square of five degrees of freedom, or more: in closed form, since five is odd."""
    half = chi_square / 2
    return erfc(sqrt(half)) + sqrt(2 * chi_square / pi) * exp(-half) * (1 + chi_square / 3)
