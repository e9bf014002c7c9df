"""`taisai simulate`: a table played many shifts long, where no formula reaches."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from taisai.cli.maths.house import chance_of, write_drawn
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault
from taisai.core.odds import percent, percent_chance
from taisai.core.rulebook import Layout

if TYPE_CHECKING:
    from taisai.analysis.simulate.report import Estimate, QuantileEstimate, Report
    from taisai.analysis.simulate.tally import Tally


def simulate(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    rounds: Annotated[int, Parameter(help="Rounds to play, in whole shifts.")],
    seed: Annotated[int, Parameter(help="The same seed gives the same result to the last bit.")],
    players: Annotated[int | None, Parameter(help="So many players of different habits (8 without --traffic).")] = None,
    traffic: Annotated[Path | None, Parameter(help="Who plays and how: a .toml, .json or .csv file.")] = None,
    shift_rounds: Annotated[int | None, Parameter(help="Rounds of a shift (8 hours of the table's pace).")] = None,
    workers: Annotated[int, Parameter(help="Processes that play; the result is the same.")] = 1,
    confidence: Annotated[str, Parameter(help="Confidence of the bounds.")] = "0.99",
    float_level: Annotated[str, Parameter(help="Chance with which the float suffices.")] = "0.999",
    plot: Annotated[Path | None, Parameter(help="Draw the shifts into this file (.svg, .png or .pdf).")] = None,
    plot_data: Annotated[Path | None, Parameter(help="Write the figures of the picture to this file, as CSV.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Play a table shift after shift: many players, mixed plans, people who come and go, pro rata, voids.

    Seeded: however many workers play, the result is the same to the last bit. Every figure has its confidence bounds.
    How a traffic file is written: docs/mathematics.md. Where players stay and bet the same, `taisai house` computes the
    same figures exactly.

    Examples:
      taisai simulate rws-tai-sai-v6/C --players 8 --rounds 1000000 --seed 7
      taisai simulate rws-tai-sai-v6/C --traffic evening.toml --rounds 10000000 --seed 7 --workers 2 --json
      taisai simulate rws-tai-sai-v6/C --players 3 --rounds 1000000 --seed 7 --plot shifts.svg
    """
    shelf = shelf_of(book_dir)
    chosen = shelf.layout(layout)
    if players is not None and traffic is not None:
        raise InputFault("--players", "give --players or --traffic, not both")
    if plot_data is not None and plot is None:
        raise InputFault("--plot-data", "goes with --plot")
    try:
        from taisai.analysis.risk import traffic as table_traffic  # noqa: PLC0415 - NumPy is an extra, and heavy
        from taisai.analysis.simulate import report as simulate_report  # noqa: PLC0415 - NumPy is an extra, and heavy
        from taisai.analysis.simulate import run as simulations  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("simulate", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    from taisai.cli.journal.audit import progress_bar  # noqa: PLC0415 - brings the journal along

    done = 0
    try:
        if traffic is not None:
            people = table_traffic.read_traffic(chosen, traffic)
        else:
            people = simulations.usual_traffic(chosen, 8 if players is None else players)
        rules = table_traffic.rules_of(shelf.book(chosen.book_id), people.limits, people.excess)
        job = simulations.job_of(chosen, rules, people, rounds=rounds, seed=seed, shift_rounds=shift_rounds)
        with progress_bar("simulating") as bar:

            def progress(played: int, whole: int) -> None:
                nonlocal done
                done = played
                if bar is not None:
                    bar(played, whole)

            tally = simulations.simulate(job, workers=workers, progress=progress)
        report = simulate_report.report_of(
            job,
            tally,
            confidence=chance_of(confidence, "--confidence"),
            float_level=chance_of(float_level, "--float-level"),
        )
    except KeyboardInterrupt:
        print(f"taisai: interrupted after {done:,} rounds; nothing is given of a part", file=sys.stderr)
        raise
    except InputFault as fault:
        known = {"rounds", "seed", "players", "workers", "shift-rounds", "confidence", "float-level"}
        raise (InputFault(f"--{fault.field}", fault.reason) if fault.field in known else fault) from None
    if plot is not None:
        from taisai.analysis.risk.plots import plot_shifts  # noqa: PLC0415 - matplotlib is heavy

        names, rows = plot_shifts(f"{chosen.name}: {people.players} players", report, tally, plot)
        write_drawn(plot, plot_data, names, rows)
    if json:
        print_json(_plain(chosen, report, tally))
    else:
        _show(chosen, report)


def _show(layout: Layout, report: Report) -> None:
    out = console()
    out.print(
        f"[bold]{layout.name}[/]  {report.rounds:,} rounds in {report.shifts:,} shifts of {report.shift_rounds:,}, "
        f"seed {report.seed}"
    )
    bounds = f"{float(report.confidence) * 100:g} % bounds"
    facts = grid("the house", ("", "right"), (bounds, "right"))
    for name, each, form in (
        ("win in a shift", report.win, "{:+,.0f}"),
        ("win in a round", report.win_per_round, "{:+,.3f}"),
        ("turnover in a shift", report.turnover, "{:,.0f}"),
    ):
        facts.add_row(name, form.format(each.value), f"{form.format(each.low)} to {form.format(each.high)}")
    for name, part, text in (
        ("hold of turnover", report.hold, percent),
        ("chance to lose a shift", report.loss, percent_chance),
    ):
        value, low, high = (text(Fraction(each), 3) for each in part)
        facts.add_row(name, value, f"{low} to {high}")
    facts.add_row("standard deviation of a shift", f"{report.deviation:,.0f}", "")
    need = report.float_needed
    facts.add_row(f"float that suffices, {float(need.level):.4g}", f"{need.value:,d}", _range(need, "{:,d}"))
    facts.add_row("void rounds", f"{report.voids:,d}", "")
    facts.add_row("rounds with stakes over the limits", f"{report.cut:,d}", "")
    out.print(facts)
    table = grid(("with this chance", "right"), ("a shift wins at most", "right"), (bounds, "right"))
    for one in report.quantiles:
        table.add_row(f"{float(one.level) * 100:g} %", f"{one.value:+,d}", _range(one, "{:+,d}"))
    out.print(table)
    people = grid(
        "players",
        ("", "right"),
        ("visits", "right"),
        ("rounds", "right"),
        ("result in a shift", "right"),
        ("ahead", "right"),
        ("ruined", "right"),
        ("target", "right"),
    )
    for group in report.groups:
        ends = dict(group.ends)
        people.add_row(
            group.name,
            f"{group.players:,d}",
            f"{group.visits:,d}",
            f"{group.rounds:,.1f}",
            f"{group.result.value:+,.0f} ± {group.result.high - group.result.value:,.0f}",
            _part(group.ahead),
            _part(ends["ruin"]),
            _part(ends["target"]),
        )
    out.print(people)
    out.print(f"fair dice are as uneven as these, or more, with a chance of {report.fairness:.3f}", style="dim")


def _part(estimate: Estimate) -> str:
    reach = max(estimate.high - estimate.value, estimate.value - estimate.low)
    return f"{estimate.value * 100:.2f} ± {reach * 100:.2f} %"


def _range(quantile: QuantileEstimate, form: str) -> str:
    low, high = ("-" if each is None else form.format(each) for each in (quantile.low, quantile.high))
    return f"{low} to {high}"


def _plain(layout: Layout, report: Report, tally: Tally) -> dict[str, object]:
    def estimate(each: Estimate) -> dict[str, float]:
        return each._asdict()

    def quantile(each: QuantileEstimate) -> dict[str, object]:
        return {**each._asdict(), "level": float(each.level)}

    return {
        "layout": layout.name,
        "seed": report.seed,
        "confidence": float(report.confidence),
        "shifts": report.shifts,
        "shift_rounds": report.shift_rounds,
        "rounds": report.rounds,
        "voids": report.voids,
        "cut": report.cut,
        "win": estimate(report.win),
        "standard_deviation": report.deviation,
        "win_per_round": estimate(report.win_per_round),
        "turnover": estimate(report.turnover),
        "hold": estimate(report.hold),
        "loss": estimate(report.loss),
        "quantiles": [quantile(each) for each in report.quantiles],
        "float": quantile(report.float_needed),
        "groups": [
            {
                "name": group.name,
                "players": group.players,
                "visits": group.visits,
                "result": estimate(group.result),
                "turnover": group.turnover,
                "rounds": group.rounds,
                "ahead": estimate(group.ahead),
                "ends": {name: estimate(each) for name, each in group.ends},
            }
            for group in report.groups
        ],
        "fairness": report.fairness,
        "sums": {
            "win": tally.hold.part.total,
            "win_squares": str(tally.hold.part.squares),
            "turnover": tally.hold.whole.total,
            "losses": tally.losses,
        },
        "by_roll": [{"dice": roll.faces, "count": count} for roll, count in zip(ALL_ROLLS, tally.rolls, strict=True)],
        "distribution": [{"win": win, "shifts": count} for win, count in sorted(tally.wins.items())],
        "largest_loss": [{"behind": loss, "shifts": count} for loss, count in sorted(tally.worst.items())],
    }
