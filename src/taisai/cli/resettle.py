"""`taisai resettle`: every bet of a Parquet file settled again; what differs from what was paid."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.faults import InputFault

if TYPE_CHECKING:
    from taisai.analysis.bulk_compare import Comparison
    from taisai.analysis.bulk_parquet import Progress, Resettled

EXIT_DIFFERS: Final = 1


def resettle(
    bets: Annotated[Path, Parameter(help="Bets: layout, round, player, box, stake, and at_risk if pro rata.")],
    rounds: Annotated[Path, Parameter(help="Rounds: layout, round, d1, d2, d3 (or a list, dice), and void.")],
    /,
    *,
    output: Annotated[Path, Parameter(name=("--output", "-o"), help="Where the bets go with their results.")],
    against: Annotated[Path | None, Parameter(help="What was paid: returned, in the same order or with keys.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Settle every bet of a Parquet file again, and tell what differs from what was paid.

    The bets are written with two columns more, winnings and returned. Files of any size pass through in batches. With
    --against, the exit code is 1 when something differs; a paid file in another order is matched by layout, round,
    player and box, in memory.

    Examples:
      taisai resettle bets.parquet rounds.parquet -o settled.parquet
      taisai resettle bets.parquet rounds.parquet -o settled.parquet --against paid.parquet
      taisai resettle bets.parquet rounds.parquet -o settled.parquet --against paid.parquet --json
    """
    try:
        from taisai.analysis.bulk_parquet import resettle as settle_again  # noqa: PLC0415 - NumPy and Arrow are heavy
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
    out.print(f"{comparison.different:,} of {comparison.compared:,} {what} differ: {wrong}", soft_wrap=True)
    table = grid(("row", "right"), "layout", ("round", "right"), "player", "box", ("due", "right"), ("paid", "right"))
    from rich.markup import escape  # noqa: PLC0415 - lazily, as in `console`

    for each in comparison.first:
        row = "" if each.row is None else f"{each.row:,}"
        names = [escape(str(name)) for name in (each.layout, each.round, each.player, each.box)]
        amounts = ["no bet" if each.due is None else f"{each.due:,}", "none" if each.paid is None else f"{each.paid:,}"]
        table.add_row(row, *names, *amounts)
    out.print(table)
    if comparison.different > len(comparison.first):
        out.print(f"and {comparison.different - len(comparison.first):,} more")
