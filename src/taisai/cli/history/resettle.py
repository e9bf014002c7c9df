"""`taisai resettle`: every bet of a Parquet file settled again; what differs from what was paid."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from taisai.cli.history.engine import EngineChoice, is_folder, opened_export, require_no_engine
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault

if TYPE_CHECKING:
    from taisai.analysis.bulk.compare import Comparison
    from taisai.analysis.bulk.parquet import Progress, Resettled
    from taisai.books import Shelf
    from taisai.history.resettled import HistoryResettled

EXIT_DIFFERS: Final = 1
_FIRST: Final = 10
"""How many differences of an export are told one by one; JSON has more."""


def resettle(
    bets: Annotated[
        Path, Parameter(help="Bets: layout, round, player, box, stake, and at_risk if pro rata; or an export's folder.")
    ],
    rounds: Annotated[
        Path | None, Parameter(help="Rounds: layout, round, d1, d2, d3 (or a list, dice), and void. Not for an export.")
    ] = None,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(name=("--output", "-o"), help="Where the bets go with their results. Not for an export.")
    ] = None,
    against: Annotated[Path | None, Parameter(help="What was paid: returned, in the same order or with keys.")] = None,
    engine: EngineChoice = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Settle every bet of a Parquet file again, and tell what differs from what was paid.

    The bets are written with two columns more, winnings and returned. Files of any size pass through in batches. With
    --against, the exit code is 1 when something differs; a paid file in another order is matched by layout, round,
    player and box, in memory.

    Of an export (see `taisai export`) every bet is settled again by DuckDB or Spark and compared with what the journal
    says was paid: nothing is written, and the exit code is 1 when something differs or cannot be settled.

    Examples:
      taisai resettle bets.parquet rounds.parquet -o settled.parquet
      taisai resettle bets.parquet rounds.parquet -o settled.parquet --against paid.parquet
      taisai resettle bets.parquet rounds.parquet -o settled.parquet --against paid.parquet --json
      taisai resettle history/
      taisai resettle history/ --engine spark:spark://master:7077 --json
    """
    if is_folder(bets):
        for field, value in (("ROUNDS", rounds), ("--output", output), ("--against", against)):
            if value is not None:
                raise InputFault(field, f"{bets} is an export, which has everything: leave this out")
        return _resettle_export(bets, engine, shelf_of(book_dir), json=json)
    require_no_engine(engine, bets)
    if rounds is None:
        raise InputFault("ROUNDS", "a file of rounds is needed beside the bets")
    if output is None:
        raise InputFault("--output", "say where the bets go with their results")
    try:
        from taisai.analysis.bulk.parquet import resettle as settle_again  # noqa: PLC0415 - NumPy and Arrow are heavy
    except ImportError:
        raise InputFault("", "resettle needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    progress = _progress() if sys.stderr.isatty() else None
    try:
        done = settle_again(bets, rounds, output, against, progress, shelf=shelf_of(book_dir))
    finally:
        if progress is not None:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if json:
        print_json(_plain(done, output))
    else:
        _show(done, output)
    return EXIT_DIFFERS if done.comparison is not None and done.comparison.different else 0


def _resettle_export(folder: Path, engine: str | None, shelf: Shelf, *, json: bool) -> int:
    with opened_export(folder, engine, "settling") as (export, asked):
        from taisai.history.resettled import resettle_history  # noqa: PLC0415 - an extra, and heavy

        done = resettle_history(export, shelf, asked)
    if json:
        print_json(
            {
                "folder": str(folder),
                "records": done.records,
                "right": done.is_right,
                "total": {name: value for name, value in done.total._asdict().items() if name != "table"},
                "tables": [each._asdict() for each in done.tables],
                "first": [each._asdict() for each in done.first],
                "unlike_rounds": [each._asdict() for each in done.unlike_rounds],
                "missing": done.missing,
            }
        )
    else:
        _show_export(done)
    return 0 if done.is_right else EXIT_DIFFERS


def _show_export(done: HistoryResettled) -> None:
    out = console()
    total = done.total
    amounts = f"staked {total.staked:,}, due {total.due:,}, returned {total.returned:,}"
    out.print(f"{total.bets:,} bets of {len(done.tables):,} tables settled: {amounts}", soft_wrap=True)
    for rules in done.missing:
        out.print(f"no book at hand has the rules {rules}: its bets could not be settled", markup=False, soft_wrap=True)
    for each in done.unlike_rounds:
        out.print(
            f"{each.table}: its bets return {each.returned:,} and its rounds {each.returned_of_rounds:,}: rows are "
            "missing or too many",
            markup=False,
            soft_wrap=True,
        )
    if done.is_right:
        out.print("Every bet was paid what was due.")
    if done.first:
        unknown = f", {total.bets - total.known:,} not settled" if total.bets != total.known else ""
        _show_differences(
            f"{total.different:,} of {total.bets:,} bets differ: underpaid {total.underpaid:,}, "
            f"overpaid {total.overpaid:,}{unknown}",
            ("position", "table", "no rules"),
            [
                (bet.position, bet.table, bet.round, bet.player, bet.box, bet.due, bet.paid)
                for bet in done.first[:_FIRST]
            ],
        )


def _show_differences(
    summary: str,
    heads: tuple[str, str, str],
    rows: Iterable[tuple[int | None, str, int, object, str, int | None, int | None]],
) -> None:
    """A summary and the first differences; `heads` names the place of a bet, its owner, and a bet without a due."""
    from rich.markup import escape  # noqa: PLC0415 - lazily, as in `console`

    out = console()
    out.print(summary, soft_wrap=True)
    place, owner, not_due = heads
    table = grid((place, "right"), owner, ("round", "right"), "player", "box", ("due", "right"), ("paid", "right"))
    for at, of, number, player, box, due, paid in rows:
        table.add_row(
            "" if at is None else f"{at:,}",
            *(escape(str(name)) for name in (of, number, player, box)),
            not_due if due is None else f"{due:,}",
            "none" if paid is None else f"{paid:,}",
        )
    out.print(table)


def _progress() -> Progress:
    def tell(settled: int, total: int) -> None:
        print(f"\r{settled:,} of {total:,} bets", end="", file=sys.stderr, flush=True)

    return tell


def _plain(done: Resettled, output: Path) -> dict[str, object]:
    plain: dict[str, object] = {"output": str(output), **done.sums._asdict()}
    if done.comparison is not None:
        first = [each._asdict() for each in done.comparison.first]
        plain["against"] = {**done.comparison._asdict(), "first": first}
    return plain


def _show(done: Resettled, output: Path) -> None:
    sums = done.sums
    amounts = f"staked {sums.staked:,}, won {sums.winnings:,}, returned {sums.returned:,}"
    console().print(f"{sums.bets:,} bets settled: {amounts}", markup=False, soft_wrap=True)
    if done.comparison is not None:
        _show_comparison(done.comparison)
    print(f"written: {output}", file=sys.stderr)


def _show_comparison(comparison: Comparison) -> None:
    out = console()
    what = "keys" if comparison.by_key else "bets"
    if not comparison.different:
        out.print(f"All {comparison.compared:,} {what} were paid what was due.")
        return
    wrong = f"underpaid {comparison.underpaid:,}, overpaid {comparison.overpaid:,}"
    _show_differences(
        f"{comparison.different:,} of {comparison.compared:,} {what} differ: {wrong}",
        ("row", "layout", "no bet"),
        comparison.first,
    )
    if comparison.different > len(comparison.first):
        out.print(f"and {comparison.different - len(comparison.first):,} more")
