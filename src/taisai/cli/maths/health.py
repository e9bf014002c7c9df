"""What `taisai dice` says of a set of dice: on the terminal, as JSON, as CSV.

Enters: a set of dice and everything that was computed of it. Leaves: text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from math import exp, inf, log
from typing import TYPE_CHECKING, Final, NamedTuple

from taisai.cli.show import bound, console, grid
from taisai.core.dice import ALL_ROLLS
from taisai.core.odds import percent
from taisai.outside import CsvWriter
from taisai.protocol.books import exact

if TYPE_CHECKING:
    from taisai.analysis.dice.battery import Battery
    from taisai.analysis.dice.estimates import Estimates
    from taisai.analysis.dice.gain import BestBet, Gain
    from taisai.analysis.dice.gathering import Thrown
    from taisai.analysis.dice.paths import Watched

_LN10: Final = log(10)
_MOVES_SHOWN: Final = 6
"""How many of the faces that follow each other are shown; JSON has all."""


class JudgedDice(NamedTuple):
    """A set of dice, and all that is said of it."""

    thrown: Thrown
    watched: Watched
    known: Estimates
    by_size: bool
    """The rolls are written by size, so the dice are not told apart."""
    gains: tuple[tuple[str, Gain], ...]
    break_even: Fraction
    """Retention from which on some bet is worth while; 0 without a layout."""
    battery: Battery | None

    @property
    def is_bad(self) -> bool:
        """Whether the dice raised an alarm, or fail the battery."""
        return self.watched.watch.evidence().alarm or (self.battery is not None and self.battery.passed is False)


def write_csv(judged: Sequence[JudgedDice]) -> None:
    """The evidence after every round, check by check."""
    writer = CsvWriter(sys.stdout)
    names = list(dict.fromkeys(check.name for each in judged for check in each.watched.watch.evidence().checks))
    writer.writerow(["dice_set", "round", "dice", "log10_evidence", *names])
    for each in judged:
        watched = each.watched
        place_of = {check.name: place for place, check in enumerate(watched.watch.evidence().checks)}
        for number, (index, log_e) in enumerate(zip(each.thrown.rolls.tolist(), watched.path.tolist(), strict=True)):
            logs = [watched.by_check[place_of[name], number] / _LN10 if name in place_of else "" for name in names]
            writer.writerow([each.thrown.name, number + 1, ALL_ROLLS[index], log_e / _LN10, *logs])


def _power(log_e: float) -> str:
    """An e-value for people."""
    value = exp(log_e) if log_e < 600 else inf
    return f"{value:,.3g}" if 0.001 <= value < 1e6 else f"10^{log_e / _LN10:.1f}"


def show_dice(judged: JudgedDice) -> None:
    """Evidence, estimates, what they are worth, and the battery."""
    out = console()
    evidence = judged.watched.watch.evidence()
    title = judged.thrown.title
    name = f"{title[0].upper()}{title[1:]}: " if title else ""
    out.print(f"{name}{evidence.rounds:,} rounds", markup=False, style="bold")
    if judged.by_size:
        out.print(
            "So many rolls are written by size that the order means nothing (as with --unordered).", soft_wrap=True
        )
    elif judged.thrown.ordered is False:
        out.print("A dealer read the dice, which look alike: they are not told apart.", soft_wrap=True)
    if evidence.alarm:
        out.print(
            f"[bold red]ALARM[/] in round {evidence.alarm_round:,}: {evidence.leader.title}. "
            f"Fair dice ever come so far with a chance of {bound(max(evidence.chance, 1e-300))} at most.",
            soft_wrap=True,
        )
    else:
        out.print(f"[bold green]no alarm[/] at level {evidence.level:g}", soft_wrap=True)
    out.print(
        f"evidence {_power(evidence.log_e)}, highest {_power(evidence.peak)}, alarm from {1 / evidence.level:,.6g} on",
        soft_wrap=True,
    )
    checks = grid("check", ("weight", "right"), ("evidence", "right"), ("share", "right"))
    for check in evidence.checks:
        checks.add_row(check.title, f"{check.weight:g}", _power(check.log_e), f"{check.share * 100:.1f} %")
    out.print(checks)
    _show_known(judged.known)
    if judged.gains:
        _show_gains(judged)
    if judged.battery is not None:
        _show_battery(judged.battery)


def _of(die: int | None) -> str:
    return "all" if die is None else str(die)


def _show_known(known: Estimates) -> None:
    title = f"Estimates, with bounds that hold at all times with {known.confidence * 100:g} % confidence"
    table = grid("die", *((f"{face}", "right") for face in range(1, 7)), ("keeps its face", "right"), title=title)
    for kept in known.retention:
        cells = [
            f"{each.share * 100:.2f} %\n{each.low * 100:.1f} to {each.high * 100:.1f}"
            for each in known.faces_of(kept.die)
        ]
        keeps = f"{kept.retention * 100:+.2f} %\n{kept.low * 100:+.1f} to {kept.high * 100:+.1f}"
        table.add_row(_of(kept.die), *cells, keeps)
    console().print(table)
    _show_moves(known)


def _show_moves(known: Estimates) -> None:
    """The faces that follow each other furthest from evenly, where there is more evidence for that than against it."""
    held = [each for each in known.moves if each.log_e > 0]
    if not held:
        return
    most = max(held, key=lambda each: each.log_e)
    pairs = [(share, before, now) for before, row in enumerate(most.shares, 1) for now, share in enumerate(row, 1)]
    pairs.sort(key=lambda pair: -abs(pair[0] - 1 / 6))
    told = ", ".join(f"{now} after {before} {share * 100:.1f} %" for share, before, now in pairs[:_MOVES_SHOWN])
    whose = "all dice" if most.die is None else f"die {most.die}"
    when = "the last roll" if most.lag == 1 else "the roll before the last"
    console().print(f"Faces follow those of {when} ({whose}; 16.7 % if fair): {told}", soft_wrap=True)


def _show_gains(judged: JudgedDice) -> None:
    layout = judged.gains[0][1].layout
    title = f"What a player gains for each 1 staked who saw the last roll ({layout})"
    table = grid("if", ("retention", "right"), "best after", "box", ("gain", "right"),
                 ("worth a bet in", "right"), ("gain a round", "right"), title=title)  # fmt: skip
    for name, gain in judged.gains:
        best = gain.best
        table.add_row(
            name, "" if gain.retention is None else percent(gain.retention), str(best.last), best.box,
            percent(best.gain), percent(gain.often),
            percent(gain.mean),
        )  # fmt: skip
    console().print(table)
    if judged.known.retention_of(None).low <= 0:
        console().print("The bounds of the retention hold 0: the dice may keep nothing at all.")
    if all(each.low <= 1 / 6 <= each.high for each in judged.known.faces_of(None)):
        console().print("The bounds of every face hold 1/6: what the faces seem to bring may be chance.")
    console().print(f"Some bet is worth while from a retention of {percent(judged.break_even)} on.")


def _show_battery(battery: Battery) -> None:
    table = grid(
        "test", ("statistic", "right"), ("freedom", "right"), ("chance", "right"), "result", title="Classical battery"
    )
    for test in battery.tests:
        if test.chance is None or test.statistic is None:
            table.add_row(test.title, "", "", "", f"needs {test.rounds_min:,} rounds")
        else:
            freedom = "" if test.freedom is None else str(test.freedom)
            result = "[bold red]fails[/]" if battery.failed(test) else "passes"
            table.add_row(test.title, f"{test.statistic:.2f}", freedom, f"{test.chance:.3g}", result)
    console().print(table)
    verdict = {True: "passed", False: "failed", None: "not made: too few rounds"}[battery.passed]
    console().print(f"Battery at 99 %: {verdict} (a test fails below {battery.bound:.5f})")


def plain_dice(judged: JudgedDice) -> dict[str, object]:
    """Every number, for JSON."""
    from taisai.analysis.dice.plots import marked_rounds  # noqa: PLC0415 - NumPy is heavy

    watched = judged.watched
    evidence = watched.watch.evidence()
    marks = marked_rounds(watched)
    return {
        "dice_set": judged.thrown.name or None,
        "tumbler": judged.thrown.tumbler or None,
        "rounds": evidence.rounds,
        "ordered": watched.watch.ordered,
        "written_by_size": judged.by_size,
        "alarm": evidence.alarm,
        "alarm_round": evidence.alarm_round,
        "leader": evidence.leader.name,
        "log10_evidence": evidence.log_e / _LN10,
        "log10_peak": evidence.peak / _LN10,
        "log10_bound": -log(evidence.level) / _LN10,
        "chance": evidence.chance,
        "checks": [
            {
                "name": check.name,
                "title": check.title,
                "weight": check.weight,
                "log10_evidence": check.log_e / _LN10,
                "share": check.share,
            }
            for check in evidence.checks
        ],
        "confidence": judged.known.confidence,
        "faces": [each._asdict() for each in judged.known.faces],
        "retention": [each._asdict() for each in judged.known.retention],
        "moves": [
            {"die": each.die, "lag": each.lag, "log10_evidence": each.log_e / _LN10, "shares": each.shares}
            for each in judged.known.moves
        ],
        "gains": [
            {
                "if": name,
                "layout": gain.layout,
                "retention": None if gain.retention is None else exact(gain.retention),
                "best": _plain_bet(gain.best),
                "often": exact(gain.often),
                "mean": exact(gain.mean),
                "after": [_plain_bet(bet) for bet in gain.after],
            }
            for name, gain in judged.gains
        ],
        "break_even": exact(judged.break_even) if judged.gains else None,
        "battery": None if judged.battery is None else _plain_battery(judged.battery),
        "path": [
            {
                "round": mark,
                "log10_evidence": float(watched.path[mark - 1]) / _LN10,
                "checks": {
                    check.name: float(row[mark - 1]) / _LN10
                    for check, row in zip(evidence.checks, watched.by_check, strict=True)
                },
            }
            for mark in marks
        ],
        "state": watched.watch.state(),
    }


def _plain_bet(bet: BestBet) -> dict[str, object]:
    return {"last": bet.last.faces, "box": bet.box, "gain": exact(bet.gain)}


def _plain_battery(battery: Battery) -> dict[str, object]:
    return {
        "passed": battery.passed,
        "bound": battery.bound,
        "tests": [{**test._asdict(), "failed": battery.failed(test)} for test in battery.tests],
    }
