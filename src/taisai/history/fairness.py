"""Dice and returns of all tables at once.

Enters: an export, the rule books at hand, an engine. Leaves: the rolls of a table by set of dice, for the evidence of
`analysis.dice`; and for all tables together the counts of faces with their chi-square, and the actual against the
theoretical return. Serves R23.

The engine counts in whole numbers, so that both engines give the same; what is made of the counts is made here.
Returns are judged by the variance and the bounds that their own bets have under fair dice (`analysis.returns`); that
may be looked at any time. The chi-square of the faces is for one look; for more there is `taisai dice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import erfc, exp, pi, sqrt
from typing import Final, NamedTuple

from taisai.analysis.dice.gathering import Gathering, Thrown
from taisai.analysis.returns import Spread, log_evidence
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
"""Fewer rounds than this, and chi-square is no good approximation."""


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
    recounted_216: int | None
    """The same expectation from the rule books and the bets; None when some rules are not at hand."""
    spreads: tuple[Spread, ...]
    """The rounds whose rules are at hand, in 216ths."""

    @property
    def actual(self) -> Fraction | None:
        """What came back for each unit staked."""
        return Fraction(self.returned, self.staked) if self.staked else None

    @property
    def theoretical(self) -> Fraction | None:
        """What should come back on average."""
        return Fraction(self.expected_216, 216 * self.staked) if self.staked else None

    @property
    def judged(self) -> int:
        """Rounds whose rules are at hand: only they can be judged."""
        return sum(each.rounds for each in self.spreads)

    @property
    def deviation(self) -> float | None:
        """How many standard deviations more than expected came back; None where nothing can be judged."""
        variance = sum(each.variance for each in self.spreads)
        return sum(each.difference for each in self.spreads) / variance**0.5 if variance else None

    @property
    def log_evidence(self) -> float:
        """Logarithm of the e-value against these returns."""
        return log_evidence(self.spreads)

    @property
    def chance(self) -> float | None:
        """How probable it is that fair dice ever show as much evidence: this at most."""
        return None if self.deviation is None else min(1.0, exp(-self.log_evidence))

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
            sum(known) if len(known) == len(self.returns) else None,
            tuple(spread for each in self.returns for spread in each.spreads),
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
    engine.put("covariances", joined.covariances)
    spreads: dict[str, list[Spread]] = {}
    for row in engine.query(queries.SPREADS).to_pylist():
        scale = (int(row["first_digit"]) + 1) * 10 ** (int(row["digits"]) - 1)
        numbers = (int(row[name]) for name in ("rounds", "difference", "variance", "above", "below"))
        spreads.setdefault(row["table_name"], []).append(Spread(scale, *numbers))
    returns = [
        Returns(
            row["table_name"],
            int(row["rounds"]),
            int(row["staked"]),
            int(row["returned"]),
            int(row["expected_216"]),
            expected.get(row["table_name"], 0),
            tuple(spreads.get(row["table_name"], ())),
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
        columns = (batch.column(name).to_pylist() for name in ("dice_set", "roll", "follows", "opened"))
        for dice_set, roll, follows, opened in zip(*columns, strict=True):
            gathering.put_in(dice_set)
            if not follows:
                gathering.gap()
            gathering.add(roll, ordered=bool(opened))
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
