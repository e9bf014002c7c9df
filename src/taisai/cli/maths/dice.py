"""`taisai dice`: whether a tumbler is fair, from a file of rolls or a journal."""

from __future__ import annotations

import csv
import sys
from fractions import Fraction
from math import exp, inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from cyclopts import Parameter

from taisai.cli.history.engine import EngineChoice, is_folder, opened_export, require_no_engine
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.dice import ALL_ROLLS, roll_of
from taisai.core.faults import InputFault, shown
from taisai.core.odds import percent
from taisai.protocol.books import exact

if TYPE_CHECKING:
    from taisai.analysis.dice.battery import Battery
    from taisai.analysis.dice.estimates import Estimates
    from taisai.analysis.dice.files import Gathering, Thrown
    from taisai.analysis.dice.gain import BestBet, Gain
    from taisai.analysis.dice.paths import Watched
    from taisai.core.rulebook import Layout
    from taisai.journal import Journal

EXIT_ALARM: Final = 1
_SQLITE_MARK: Final = b"SQLite format 3\0"
_LN10: Final = log(10)
_PARTS: Final = 1_000_000
"""Bounds of a retention are rounded to this before exact arithmetic."""


class _Found(NamedTuple):
    """A set of dice, and all that is said of it."""

    thrown: Thrown
    watched: Watched
    known: Estimates
    sorted_rolls: bool
    """The rolls are written by size, so the dice are not told apart."""
    gains: tuple[tuple[str, Gain], ...]
    break_even: Fraction
    """Retention from which on some bet is worth while; 0 without a layout."""
    battery: Battery | None


def dice(
    source: Annotated[str, Parameter(help="Rolls as text, CSV or Parquet; a journal, its file or address; an export.")],
    /,
    *,
    table: Annotated[str | None, Parameter(help="The table, for a journal or an export of several.")] = None,
    dice_set: Annotated[str | None, Parameter(help="Only this set of dice.")] = None,
    level: Annotated[float, Parameter(help="Chance of an alarm from fair dice, ever.")] = 0.001,
    confidence: Annotated[float, Parameter(help="Confidence of the bounds.")] = 0.95,
    unordered: Annotated[bool, Parameter(help="The order of the three numbers means nothing.", negative=())] = False,
    layout: Annotated[str | None, Parameter(help="Also what a player could gain there, as BOOK/LAYOUT.")] = None,
    battery: Annotated[bool, Parameter(help="Also the classical battery at 99 %.", negative=())] = False,
    plot: Annotated[Path | None, Parameter(help="Draw the last set into this file (.svg, .png or .pdf).")] = None,
    csv: Annotated[bool, Parameter(help="Print the evidence after every round as CSV.", negative=())] = False,
    engine: EngineChoice = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Whether the dice of a tumbler are fair: evidence that may be looked at after every round.

    Faces, totals, dice that keep their faces through a shake, dice that hang together: all checks share one level, and
    each set of dice is judged by itself. A file has a roll a line (1 2 3, or 1,2,3, or 123) or columns d1, d2, d3 (or
    dice; void and dice_set if you like). From a journal, or an export of one (see `taisai export`), come the
    rounds that were concluded, and the table's layout. Exit code 1 for an alarm, or when the battery fails.

    Examples:
      taisai dice rolls.txt
      taisai dice rolls.csv --layout rws-tai-sai-v6/C --plot health.svg
      taisai dice floor.db --table T1 --level 0.0001 --json
      taisai dice tumbler.parquet --battery
      taisai dice history/ --table T1 --engine duckdb
    """
    if csv and json:
        raise InputFault("--csv", "choose --csv or --json, not both")
    try:
        from taisai.analysis.dice import estimates as dice_estimates  # noqa: PLC0415 - NumPy is an extra
        from taisai.analysis.dice import files as dice_files  # noqa: PLC0415 - NumPy is an extra
        from taisai.analysis.dice import paths as dice_paths  # noqa: PLC0415 - NumPy is an extra
    except ImportError:
        raise InputFault("dice", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    from taisai.analysis.dice.watch import level_of  # noqa: PLC0415 - with the others

    level_of(level, "--level")
    dice_estimates.confidence_of(confidence, "--confidence")
    shelf = shelf_of(book_dir)
    where: str | None = None
    if is_folder(source):
        table, thrown, where = _from_export(source, table, engine)
    elif _is_journal(source):
        require_no_engine(engine, source)
        table, thrown, where = _from_journal(source, table, dice_files.Gathering())
    elif table is not None:
        raise InputFault("--table", f"is for journals, and {source} is a file of rolls")
    else:
        require_no_engine(engine, source)
        thrown = dice_files.read_rolls(Path(source))
    if dice_set is not None:
        names = ", ".join(each.name or "(not named)" for each in thrown)
        thrown = tuple(each for each in thrown if each.name == dice_set)
        if not thrown:
            raise InputFault("--dice-set", f"no rolls of a set {shown(dice_set)}; there are {names}")
    name = layout or where
    # A journal may be of a book that is not at hand; its dice can be judged all the same.
    at_hand = name is not None and (layout is not None or name.partition("/")[0] in shelf.ids)
    felt = shelf.layout(name, "--layout") if name is not None and at_hand else None
    found = []
    for each in thrown:
        by_size = not unordered and dice_paths.is_sorted(each.rolls)
        watched = dice_paths.watch_rolls(each.rolls, each.follows, level=level, ordered=not (unordered or by_size))
        known = dice_estimates.estimates(watched.watch, confidence)
        gains, least = _gains(felt, known) if felt is not None else ((), Fraction(0))
        found.append(
            _Found(
                each,
                watched,
                known,
                by_size,
                gains,
                least,
                _battery_of(each, ordered=watched.watch.ordered) if battery else None,
            )
        )
    if plot is not None:
        _draw(source, table, found[-1], plot)
    if json:
        print_json({"source": source, "table": table, "level": level, "sets": [_plain(each) for each in found]})
    elif csv:
        _write_csv(found)
    else:
        for one in found:
            _show(one)
    bad = any(
        one.watched.watch.evidence().alarm or (one.battery is not None and one.battery.passed is False) for one in found
    )
    return EXIT_ALARM if bad else 0


def _is_journal(source: str) -> bool:
    if "://" in source:
        return True
    with Path(source).open("rb") as file:
        return file.read(len(_SQLITE_MARK)) == _SQLITE_MARK


def _from_journal(source: str, table: str | None, gathering: Gathering) -> tuple[str, tuple[Thrown, ...], str | None]:
    """The table, its rolls by set of dice, and the layout it has now."""
    from taisai.journal import open_journal  # noqa: PLC0415 - not for files of rolls
    from taisai.streams.house_events import game_tables  # noqa: PLC0415 - as above

    with open_journal(source, read_only=True) as opened:
        table = _chosen(table, game_tables(opened))
        layout = _gather(opened, table, gathering)
    return table, _some(gathering.sets(), table), layout


def _from_export(source: str, table: str | None, engine: str | None) -> tuple[str, tuple[Thrown, ...], str | None]:
    """The same of an export."""
    with opened_export(source, engine, "gathering") as (export, asked):
        from taisai.history.fairness import layout_of, thrown  # noqa: PLC0415 - an extra, and heavy

        table = _chosen(table, export.game_tables)
        return table, _some(thrown(export, asked, table), table), layout_of(export, table)


def _chosen(table: str | None, tables: list[str]) -> str:
    if table is None and len(tables) == 1:
        return tables[0]
    if table is None:
        raise InputFault("--table", f"which one: {', '.join(tables) or 'the journal is empty'}")
    if table not in tables:
        raise InputFault("--table", f"no table {shown(table)}; there are {', '.join(tables) or 'none'}")
    return table


def _some(thrown: tuple[Thrown, ...], table: str) -> tuple[Thrown, ...]:
    if not thrown:
        raise InputFault("--table", f"table {shown(table)} has no concluded round")
    return thrown


def _gather(journal: Journal, table: str, gathering: Gathering) -> str | None:
    """Gather the dice of every round that was concluded. A throw follows the one before if nothing came between."""
    from taisai.streams.codec import event_of  # noqa: PLC0415 - as in `_from_journal`
    from taisai.table import events as e  # noqa: PLC0415 - as above

    layout = None
    for record in journal.read(table):
        match event_of(record).what:
            case e.TableSetUp(book=book, layout=name):
                layout = f"{book}/{name}"
            case e.DiceSealed(dice_set=dice_set):
                gathering.put_in(dice_set)
                gathering.gap()
            case e.RoundConcluded(dice=faces):
                gathering.add(roll_of(faces))
            case e.DiceInspected() | e.DiceRetired() | e.RoundVoided():
                gathering.gap()
            case _:
                pass
    return layout


def _battery_of(thrown: Thrown, *, ordered: bool) -> Battery:
    from taisai.analysis.dice.battery import battery  # noqa: PLC0415 - only when asked for

    return battery(thrown.rolls, ordered=ordered)


def _gains(layout: Layout, known: Estimates) -> tuple[tuple[tuple[str, Gain], ...], Fraction]:
    from taisai.analysis.dice.gain import break_even, gain  # noqa: PLC0415 - only with a layout

    kept = known.retention_of(None)

    def rounded(value: float) -> Fraction:
        return Fraction(round(min(1.0, max(0.0, value)) * _PARTS), _PARTS)

    faces = known.faces_of(None)
    shares = [Fraction(each.times, each.throws) for each in faces]
    gains = (
        ("retention as estimated", gain(layout, rounded(kept.retention))),
        ("retention at its lower bound", gain(layout, rounded(kept.low))),
        ("retention at its upper bound", gain(layout, rounded(kept.high))),
        ("faces as they came", gain(layout, Fraction(0), shares)),
        ("both as estimated", gain(layout, rounded(kept.retention), shares)),
    )
    return gains, break_even(layout)


def _title(found: _Found, source: str, table: str | None) -> str:
    parts = [Path(source).name if "://" not in source else "journal", f"table {table}" if table else ""]
    parts.append(f"dice {found.thrown.name}" if found.thrown.name else "")
    return ", ".join(part for part in (*parts, f"{found.watched.watch.rounds:,} rounds") if part)


def _draw(source: str, table: str | None, found: _Found, file: Path) -> None:
    from taisai.analysis.dice.plots import plot_health  # noqa: PLC0415 - matplotlib is heavy

    plot_health(_title(found, source, table), found.watched, found.known, file)
    print(f"drawn: {file}", file=sys.stderr)


def _write_csv(found: list[_Found]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = list(dict.fromkeys(check.name for each in found for check in each.watched.watch.evidence().checks))
    writer.writerow(["dice_set", "round", "dice", "log10_evidence", *names])
    for each in found:
        watched = each.watched
        place_of = {check.name: place for place, check in enumerate(watched.watch.evidence().checks)}
        for number, (index, log_e) in enumerate(zip(each.thrown.rolls.tolist(), watched.path.tolist(), strict=True)):
            logs = [watched.by_check[place_of[name], number] / _LN10 if name in place_of else "" for name in names]
            writer.writerow([each.thrown.name, number + 1, ALL_ROLLS[index], log_e / _LN10, *logs])


def _power(log_e: float) -> str:
    """An e-value for people."""
    value = exp(log_e) if log_e < 600 else inf
    return f"{value:,.3g}" if 0.001 <= value < 1e6 else f"10^{log_e / _LN10:.1f}"


def _show(found: _Found) -> None:
    out = console()
    evidence = found.watched.watch.evidence()
    name = f"Dice {found.thrown.name}: " if found.thrown.name else ""
    out.print(f"{name}{evidence.rounds:,} rounds", markup=False, style="bold")
    if found.sorted_rolls:
        out.print(
            "The rolls are written by size, so the dice are not told apart (as with --unordered).", soft_wrap=True
        )
    if evidence.alarm:
        out.print(
            f"[bold red]ALARM[/] in round {evidence.alarm_round:,}: {evidence.leader.title}. "
            f"Fair dice ever come so far with a chance of {evidence.chance:.2g} at most.",
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
    _show_known(found.known)
    if found.gains:
        _show_gains(found)
    if found.battery is not None:
        _show_battery(found.battery)


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


def _show_gains(found: _Found) -> None:
    layout = found.gains[0][1].layout
    title = f"What a player gains for each 1 staked who saw the last roll ({layout})"
    table = grid("if", ("retention", "right"), "best after", "box", ("gain", "right"),
                 ("worth a bet in", "right"), ("gain a round", "right"), title=title)  # fmt: skip
    for name, gain in found.gains:
        best = gain.best
        table.add_row(
            name, percent(gain.retention), str(best.last), best.box, percent(best.gain), percent(gain.often),
            percent(gain.mean),
        )  # fmt: skip
    console().print(table)
    if found.known.retention_of(None).low <= 0:
        console().print("The bounds of the retention hold 0: the dice may keep nothing at all.")
    if all(each.low <= 1 / 6 <= each.high for each in found.known.faces_of(None)):
        console().print("The bounds of every face hold 1/6: what the faces seem to bring may be chance.")
    console().print(f"Some bet is worth while from a retention of {percent(found.break_even)} on.")


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
            table.add_row(test.title, f"{test.statistic:.2f}", freedom, f"{test.chance:.4f}", result)
    console().print(table)
    verdict = {True: "passed", False: "failed", None: "not made: too few rounds"}[battery.passed]
    console().print(f"Battery at 99 %: {verdict} (a test fails below {battery.bound:.5f})")


def _plain(found: _Found) -> dict[str, object]:
    from taisai.analysis.dice.plots import marked_rounds  # noqa: PLC0415 - NumPy is heavy

    watched = found.watched
    evidence = watched.watch.evidence()
    marks = marked_rounds(watched)
    return {
        "dice_set": found.thrown.name or None,
        "rounds": evidence.rounds,
        "ordered": watched.watch.ordered,
        "written_by_size": found.sorted_rolls,
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
        "confidence": found.known.confidence,
        "faces": [each._asdict() for each in found.known.faces],
        "retention": [each._asdict() for each in found.known.retention],
        "gains": [
            {
                "if": name,
                "layout": gain.layout,
                "retention": exact(gain.retention),
                "best": _plain_bet(gain.best),
                "often": exact(gain.often),
                "mean": exact(gain.mean),
                "after": [_plain_bet(bet) for bet in gain.after],
            }
            for name, gain in found.gains
        ],
        "break_even": exact(found.break_even) if found.gains else None,
        "battery": None if found.battery is None else _plain_battery(found.battery),
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
