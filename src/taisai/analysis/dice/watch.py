"""A watch over the dice of one tumbler, round by round.

Enters: rolls as they come. Leaves: after each the evidence against fair dice, and an alarm once it passes 1/level;
counts that are all the watch remembers, as JSON and back. A roll costs the same however many came before. Plain Python:
a live table needs no NumPy. Serves R23.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, inf, isfinite, log
from typing import Final, NamedTuple, Self

from taisai.analysis.dice.cells import LAG_MOST, seen_by
from taisai.analysis.dice.evidence import LEVEL, Check, carried, checks_of, combined_log_e, logs_of
from taisai.core.dice import ALL_ROLLS, Roll
from taisai.core.faults import InputFault, shown

FORMAT: Final = 4
"""Of the JSON state. Another set of checks or cells is another format."""


class CheckEvidence(NamedTuple):
    """What one check holds against the dice."""

    name: str
    title: str
    weight: float
    log_e: float
    share: float
    """Of the evidence of all checks together: where it comes from."""


class Evidence(NamedTuple):
    """What is held against the dice after so many rounds."""

    rounds: int
    log_e: float
    """Logarithm of the e-value of all checks together."""
    peak: float
    """The highest it has been."""
    level: float
    alarm_round: int | None
    """When it first reached 1/level."""
    checks: tuple[CheckEvidence, ...]

    @property
    def alarm(self) -> bool:
        """Whether the evidence has ever reached 1/level."""
        return self.alarm_round is not None

    @property
    def chance(self) -> float:
        """How probable it is that fair dice ever show as much evidence as there has been: this at most."""
        return min(1.0, exp(-self.peak))

    @property
    def leader(self) -> CheckEvidence:
        """The check with most of the evidence."""
        return max(self.checks, key=lambda check: check.share)


class DiceWatch:
    """The evidence against one set of dice in one tumbler. Other dice need another watch."""

    __slots__ = (
        "_alarm_round", "_carried", "_checks", "_counts", "_last", "_level", "_ordered", "_peak", "_rounds",
    )  # fmt: skip

    def __init__(self, level: float = LEVEL, *, ordered: bool = True) -> None:
        self._level = level_of(level)
        self._ordered = ordered
        self._checks: tuple[Check, ...] = checks_of(ordered=ordered)
        self._counts: list[list[int]] = [[0] * check.size for check in self._checks]
        self._rounds = 0
        self._carried = {check.name: 0.0 for check in self._checks if check.window}
        """Logarithm of the wealth of a check of a window from the windows before this one."""
        self._last: tuple[Roll, ...] = ()
        """The rolls that the next one follows, the last one first."""
        self._peak = 0.0
        self._alarm_round: int | None = None

    @property
    def rounds(self) -> int:
        """Rolls seen."""
        return self._rounds

    @property
    def level(self) -> float:
        """Chance of an alarm from fair dice."""
        return self._level

    @property
    def ordered(self) -> bool:
        """Whether the dice are told apart."""
        return self._ordered

    @property
    def last(self) -> Roll | None:
        """The roll that the next one follows."""
        return self._last[0] if self._last else None

    def counts(self, name: str) -> tuple[int, ...]:
        """The counts of a check."""
        for check, counts in zip(self._checks, self._counts, strict=True):
            if check.name == name:
                return tuple(counts)
        raise KeyError(name)

    def see(self, roll: Roll) -> Evidence:
        """Count a roll; the evidence after it."""
        self._count(roll)
        return self._look()

    def pause(self) -> None:
        """The dice were touched or thrown unseen: the next roll does not follow the last one."""
        self._last = ()

    def evidence(self) -> Evidence:
        """The evidence as it stands."""
        logs = logs_of(self._checks, [self._own(*each) for each in zip(self._checks, self._counts, strict=True)])
        together = combined_log_e(self._checks, logs)
        checks = tuple(
            CheckEvidence(check.name, check.title, check.weight, each, check.weight * exp(each - together))
            for check, each in zip(self._checks, logs, strict=True)
        )
        return Evidence(self._rounds, together, self._peak, self._level, self._alarm_round, checks)

    def state(self) -> dict[str, object]:
        """Everything the watch remembers, as JSON holds it."""
        return {
            "format": FORMAT,
            "level": self._level,
            "ordered": self._ordered,
            "rounds": self._rounds,
            "last": [roll.index for roll in self._last],
            "peak": self._peak,
            "alarm_round": self._alarm_round,
            "counts": {
                check.name: list(counts)
                for check, counts in zip(self._checks, self._counts, strict=True)
                if not check.parts
            },
            "carried": dict(self._carried),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, object]) -> Self:
        """The watch of a state; a fault that names the field for anything else."""
        if state.get("format") != FORMAT:
            raise InputFault("format", f"is {FORMAT}, got {shown(state.get('format'))}")
        ordered, level, peak = _truth(state, "ordered"), state.get("level"), state.get("peak")
        if not isinstance(level, float):
            raise InputFault("level", f"is a number between 0 and 1, got {shown(level)}")
        if not isinstance(peak, float | int) or isinstance(peak, bool) or not 0 <= peak < inf:
            raise InputFault("peak", f"is a number of at least 0, got {shown(peak)}")
        watch = cls(level, ordered=ordered)
        watch._peak = float(peak)
        watch._rounds = _whole(state, "rounds")
        watch._alarm_round = None if state.get("alarm_round") is None else _whole(state, "alarm_round")
        watch._last = _rolls(state, "last")
        given = state.get("counts")
        if not isinstance(given, Mapping):
            raise InputFault("counts", "needs the counts of every check")
        for check, counts in zip(watch._checks, watch._counts, strict=True):
            if check.parts:
                continue
            cells = given.get(check.name)
            if not isinstance(cells, list | tuple) or len(cells) != check.size:
                raise InputFault(f"counts.{check.name}", f"needs {check.size} counts")
            counts[:] = [
                _whole({f"counts.{check.name}[{place}]": count}, f"counts.{check.name}[{place}]")
                for place, count in enumerate(cells)
            ]
        before = state.get("carried")
        if not isinstance(before, Mapping):
            raise InputFault("carried", "needs the wealth of every check of a window")
        for name in watch._carried:
            wealth = before.get(name)
            if not isinstance(wealth, float | int) or isinstance(wealth, bool) or not isfinite(wealth):
                raise InputFault(f"carried.{name}", f"is a number, got {shown(wealth)}")
            watch._carried[name] = float(wealth)
        return watch

    def _own(self, check: Check, counts: list[int]) -> float:
        """Logarithm of the wealth of a check by its own counts; that of parts is made of theirs."""
        if check.parts:
            return 0.0
        if not check.window:
            return check.mixture.log_e(counts)
        # After the last round of a window this is still the window of that round. The first one gets nothing.
        place = max(0, self._rounds - 1) // check.window
        return self._carried[check.name] + carried(check.mixture.log_e(counts), place) if place else 0.0

    def _count(self, roll: Roll) -> None:
        for check, counts in zip(self._checks, self._counts, strict=True):
            if check.window and self._rounds and self._rounds % check.window == 0:
                self._carried[check.name] = self._own(check, counts)
                counts[:] = [0] * check.size
            before = seen_by(check.look, self._last, roll, self._rounds)
            if before is not None:
                for cell in check.cells_of(before, roll):
                    counts[cell] += 1
        self._last = (roll, *self._last)[:LAG_MOST]
        self._rounds += 1

    def _look(self) -> Evidence:
        found = self.evidence()
        self._peak = max(self._peak, found.log_e)
        if self._alarm_round is None and self._peak >= -log(self._level):
            self._alarm_round = self._rounds
        return found._replace(peak=self._peak, alarm_round=self._alarm_round)


def level_of(level: object, field: str = "level") -> float:
    """A level that can be: over 0, under 1."""
    if not isinstance(level, float) or not isfinite(level) or not 0 < level < 1:
        raise InputFault(field, f"is a number between 0 and 1, got {shown(level)}")
    return level


def _truth(state: Mapping[str, object], field: str) -> bool:
    value = state.get(field)
    if not isinstance(value, bool):
        raise InputFault(field, f"is true or false, got {shown(value)}")
    return value


def _whole(state: Mapping[str, object], field: str) -> int:
    value = state.get(field)
    if type(value) is not int or value < 0:
        raise InputFault(field, f"is a whole number of at least 0, got {shown(value)}")
    return value


def _rolls(state: Mapping[str, object], field: str) -> tuple[Roll, ...]:
    places = state.get(field)
    if not isinstance(places, list | tuple) or len(places) > LAG_MOST:
        raise InputFault(field, f"is a list of at most {LAG_MOST} rolls, got {shown(places)}")
    if any(type(place) is not int or not 0 <= place < len(ALL_ROLLS) for place in places):
        raise InputFault(field, f"holds places of rolls, 0 to 215, got {shown(places)}")
    return tuple(ALL_ROLLS[place] for place in places)
