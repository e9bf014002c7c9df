"""`taisai dice`: whether a tumbler is fair, from a file of rolls or a journal."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from taisai.cli.history.engine import EngineChoice
from taisai.cli.maths.health import JudgedDice, plain_dice, show_dice, write_csv
from taisai.cli.maths.rolls import read_source
from taisai.cli.show import AsJson, BookDirs, print_json, shelf_of
from taisai.core.faults import InputFault, shown

if TYPE_CHECKING:
    from taisai.analysis.dice.battery import Battery
    from taisai.analysis.dice.estimates import Estimates
    from taisai.analysis.dice.gain import Gain
    from taisai.analysis.dice.gathering import Thrown
    from taisai.core.rulebook import Layout

EXIT_ALARM: Final = 1


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
        from taisai.analysis.dice import paths as dice_paths  # noqa: PLC0415 - NumPy is an extra
    except ImportError:
        raise InputFault("dice", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    from taisai.analysis.dice.watch import level_of  # noqa: PLC0415 - with the others

    level_of(level, "--level")
    dice_estimates.confidence_of(confidence, "--confidence")
    shelf = shelf_of(book_dir)
    table, thrown, where = read_source(source, table, engine)
    if dice_set is not None:
        names = ", ".join(dict.fromkeys(each.name or "(not named)" for each in thrown))
        thrown = tuple(each for each in thrown if each.name == dice_set)
        if not thrown:
            raise InputFault("--dice-set", f"no rolls of a set {shown(dice_set)}; there are {names}")
    name = layout or where
    # A journal may be of a book that is not at hand; its dice can be judged all the same.
    at_hand = name is not None and (layout is not None or name.partition("/")[0] in shelf.ids)
    felt = shelf.layout(name, "--layout") if name is not None and at_hand else None
    judged = []
    for each in thrown:
        by_size = not unordered and each.ordered is None and dice_paths.is_sorted(each.rolls)
        ordered = not (unordered or by_size or each.ordered is False)
        watched = dice_paths.watch_rolls(each.rolls, each.follows, level=level, ordered=ordered)
        known = dice_estimates.estimates(watched.watch, confidence)
        gains, least = _gains(felt, known) if felt is not None else ((), Fraction(0))
        tests = _battery_of(each, ordered=ordered) if battery else None
        judged.append(JudgedDice(each, watched, known, by_size, gains, least, tests))
    if plot is not None:
        _draw(source, table, judged[-1], plot)
    if json:
        print_json({"source": source, "table": table, "level": level, "sets": [plain_dice(each) for each in judged]})
    elif csv:
        write_csv(judged)
    else:
        for one in judged:
            show_dice(one)
    return EXIT_ALARM if any(one.is_bad for one in judged) else 0


def _battery_of(thrown: Thrown, *, ordered: bool) -> Battery:
    from taisai.analysis.dice.battery import battery  # noqa: PLC0415 - only when asked for

    return battery(thrown.rolls, ordered=ordered)


def _gains(layout: Layout, known: Estimates) -> tuple[tuple[tuple[str, Gain], ...], Fraction]:
    from taisai.analysis.dice.gain import PARTS, break_even, gain, moves_gain  # noqa: PLC0415 - only with a layout

    kept = known.retention_of(None)

    def rounded(value: float) -> Fraction:
        return Fraction(round(min(1.0, max(0.0, value)) * PARTS), PARTS)

    shares = [Fraction(each.times, each.throws) for each in known.faces_of(None)]
    one, two = ([each.shares for each in known.moves_of(lag)] for lag in (1, 2))
    gains = (
        ("retention as estimated", gain(layout, rounded(kept.retention))),
        ("retention at its lower bound", gain(layout, rounded(kept.low))),
        ("retention at its upper bound", gain(layout, rounded(kept.high))),
        ("faces as they came", gain(layout, Fraction(0), shares)),
        ("both as estimated", gain(layout, rounded(kept.retention), shares)),
        ("faces follow the last roll", moves_gain(layout, one)),
        ("faces follow the one before", moves_gain(layout, two)),
    )
    return gains, break_even(layout)


def _draw(source: str, table: str | None, judged: JudgedDice, file: Path) -> None:
    from taisai.analysis.dice.plots import plot_health  # noqa: PLC0415 - matplotlib is heavy

    parts = [Path(source).name if "://" not in source else "journal", f"table {table}" if table else ""]
    parts += [judged.thrown.title, f"{judged.watched.watch.rounds:,} rounds"]
    plot_health(", ".join(part for part in parts if part), judged.watched, judged.known, file)
    print(f"drawn: {file}", file=sys.stderr)
