"""`taisai fairness`: the dice and the returns of all tables of an export."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from taisai.cli.history.engine import EngineChoice, opened_export
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.odds import percent

if TYPE_CHECKING:
    from taisai.history.fairness import Faces, Fairness, Returns

EXIT_ALARM = 1


def fairness(
    folder: Annotated[Path, Parameter(help="The folder of an export.")],
    /,
    *,
    table: Annotated[tuple[str, ...], Parameter(help="Only this table; may be given several times.", negative=())] = (),
    level: Annotated[float, Parameter(help="Chance of any alarm when all dice are fair.")] = 0.001,
    engine: EngineChoice = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> int:
    """Judge all tables of an export at once: faces by chi-square, and the actual against the theoretical return.

    Returns are judged by the variance that the bets themselves have under fair dice; that may be looked at any time.
    The chi-square of the faces is for one look; `taisai dice` gives evidence that may be looked at after every round.
    Exit code 1 for an alarm.

    Examples:
      taisai fairness history/
      taisai fairness history/ --table T1 --table T2 --json
      taisai fairness history/ --engine spark:spark://master:7077
    """
    with opened_export(folder, engine, "counting") as (export, asked):
        from taisai.history.fairness import fairness as judge  # noqa: PLC0415 - an extra, and heavy

        found = judge(export, shelf_of(book_dir), asked, tables=table, level=level)
    alarms = found.alarms()
    if json:
        print_json(
            {
                "level": found.level,
                "bound": found.bound,
                "alarm": bool(alarms),
                "faces": [_plain_faces(each, found) for each in found.judged_faces],
                "returns": [_plain_returns(each, found) for each in found.judged_returns],
                "missing": found.missing,
            }
        )
    else:
        _show(found)
    return EXIT_ALARM if alarms else 0


def _plain_faces(each: Faces, found: Fairness) -> dict[str, object]:
    chance = each.chance
    return {
        **each._asdict(),
        "chi_square": float(each.chi_square),
        "chance": chance,
        "alarm": found.is_out(chance),
    }


def _plain_returns(each: Returns, found: Fairness) -> dict[str, object]:
    chance = each.chance
    return {
        **{name: value for name, value in each._asdict().items() if name != "spreads"},
        "judged": each.judged,
        "actual_return": each.actual,
        "theoretical_return": each.theoretical,
        "deviation": each.deviation,
        "log10_evidence": each.log_evidence / log(10),
        "chance": chance,
        "recount_agrees": each.is_recounted,
        "alarm": found.is_out(chance) or not each.is_recounted,
    }


def _show(found: Fairness) -> None:
    out = console()
    returns = grid(
        "table", ("rounds", "right"), ("staked", "right"), ("returned", "right"), ("actual", "right"),
        ("theoretical", "right"), ("deviation", "right"), ("chance", "right"), "", title="Returns",
    )  # fmt: skip
    for one in found.judged_returns:
        shares = ["" if share is None else percent(share) for share in (one.actual, one.theoretical)]
        deviation = "" if one.deviation is None else f"{one.deviation:+.2f}"
        amounts = (f"{one.rounds:,}", f"{one.staked:,}", f"{one.returned:,}")
        books = "" if one.is_recounted else "[bold red]the books expect another return[/]"
        returns.add_row(
            one.table or "all", *amounts, *shares, deviation, *_verdict(one.chance, found, books, "no rules at hand")
        )
    out.print(returns)
    faces = grid(
        "table", "dice", ("rounds", "right"), *((str(face), "right") for face in range(1, 7)), ("chi-square", "right"),
        ("chance", "right"), "", title="Faces",
    )  # fmt: skip
    for each in found.judged_faces:
        times = (f"{count:,}" for count in each.times)
        cells = (f"{each.rounds:,}", *times, f"{float(each.chi_square):.2f}", *_verdict(each.chance, found))
        faces.add_row(each.table or "all", each.dice_set, *cells)
    out.print(faces)
    for rules in found.missing:
        out.print(f"no book at hand has the rules {rules}: what its bets return was not recounted", soft_wrap=True)
    out.print(f"An alarm is a chance below {found.bound:.2g}: {found.level:g} shared among all that were judged.")


def _verdict(chance: float | None, found: Fairness, more: str = "", missing: str = "too few rounds") -> tuple[str, str]:
    if chance is None:
        return "", more or missing
    return f"{chance:.2g}", more or ("[bold red]ALARM[/]" if found.is_out(chance) else "")
