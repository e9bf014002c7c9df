"""`taisai odds`: the exact mathematics of a layout, or of a set of bets on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.money import odds_number
from taisai.core.odds import BetsOdds, BoxOdds, bets_odds, layout_odds, percent
from taisai.core.rulebook import Layout
from taisai.outside import CsvWriter
from taisai.protocol.books import bets_sheet, box_sheet


def odds(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    bets: Annotated[str | None, Parameter(help="Bets to judge together, as box=amount in minor units.")] = None,
    csv: Annotated[bool, Parameter(help="Print CSV.", negative=())] = False,
    plot: Annotated[Path | None, Parameter(help="Draw into this file (.svg, .png or .pdf).")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Odds of every box of a layout, or of a set of bets.

    Exact fractions from all 216 rolls. Bets that return less than 75 % are marked with *.

    Examples:
      taisai odds rws-tai-sai-v6/C
      taisai odds rws-tai-sai-v6/C --bets "small=100 total:9=50"
      taisai odds nz-division-9/2 --csv > odds.csv
      taisai odds nz-division-9/1 --plot edges.svg
    """
    if csv and json:
        raise InputFault("--csv", "choose --csv or --json, not both")
    chosen = shelf_of(book_dir).layout(layout)
    if bets is None:
        boxes = layout_odds(chosen)
        if plot is not None:
            from taisai.analysis.plots import plot_edges  # noqa: PLC0415 - matplotlib is heavy

            plot_edges(chosen, boxes, plot)
        _show_boxes(chosen, boxes, as_csv=csv, as_json=json)
    else:
        together = bets_odds(chosen, parse_bets(chosen, bets, field_name="--bets"))
        if plot is not None:
            from taisai.analysis.plots import plot_results  # noqa: PLC0415 - matplotlib is heavy

            plot_results(chosen, together, plot)
        _show_bets(chosen, together, as_csv=csv, as_json=json)
    if plot is not None:
        print(f"drawn: {plot}", file=sys.stderr)


def _pays(box: BoxOdds) -> str:
    return "/".join(str(odds_number(each.pays) or "push") for each in box.pay_ways)


def _show_boxes(layout: Layout, boxes: tuple[BoxOdds, ...], *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        print_json({"layout": layout.name, "boxes": [box_sheet(box) for box in boxes]})
    elif as_csv:
        _write_csv(boxes)
    else:
        table = grid(
            "box", "bet", ("pays", "right"), ("ways", "right"), ("wins", "right"), ("return", "right"),
            ("house edge", "right"), ("exactly", "right"), ("variance", "right"),
            title=f"{layout.name}: {layout.title}",
        )  # fmt: skip
        for box in boxes:
            mark = " *" if box.is_below_floor else ""
            table.add_row(
                box.box.name,
                box.bet,
                _pays(box),
                f"{box.ways}{box.of_rolls}",
                percent(box.probability),
                percent(box.returned) + mark,
                percent(box.edge),
                str(box.edge),
                f"{float(box.variance):.3f}",
            )
        console().print(table)
        console().print("pays: to 1 (by dice for singles); ways: of 216 rolls; * returns under 75 %", style="dim")


def _write_csv(boxes: tuple[BoxOdds, ...]) -> None:
    writer = CsvWriter(sys.stdout)
    writer.writerow(
        [
            "box",
            "bet",
            "pays",
            "ways",
            "probability",
            "return",
            "edge",
            "edge_percent",
            "variance",
            "below_75",
            "clauses",
        ]
    )
    for box in boxes:
        writer.writerow(
            [
                box.box.name,
                box.bet,
                _pays(box),
                box.ways,
                box.probability,
                box.returned,
                box.edge,
                f"{float(box.edge * 100):.6f}",
                box.variance,
                "yes" if box.is_below_floor else "no",
                " ".join(box.clauses),
            ]
        )


def _show_bets(layout: Layout, odds: BetsOdds, *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        print_json(bets_sheet(layout, odds))
        return
    if as_csv:
        writer = CsvWriter(sys.stdout)
        writer.writerow(["roll", "net", "draw"] if layout.draws else ["roll", "net"])
        for roll, net, draw in odds.results:
            writer.writerow([" ".join(map(str, roll.faces)), net, *([draw] if layout.draws else [])])
        return
    out = console()
    staked = "  ".join(f"{bet.box} {bet.stake}" for bet in odds.bets)
    out.print(f"[bold]{layout.name}[/]  {staked}  (staked {odds.staked})")
    facts = grid("", ("", "right"), ("exactly", "right"))
    mark = " *" if odds.is_below_floor else ""
    for name, value in (
        ("some bet wins", odds.hit_frequency),
        ("ahead on the round", odds.ahead),
        ("return", odds.returned),
        ("house edge", odds.edge),
    ):
        facts.add_row(name, percent(value) + (mark if name == "return" else ""), str(value))
    facts.add_row("expected result", f"{float(odds.expected_net):.2f}", str(odds.expected_net))
    facts.add_row("standard deviation", f"{float(odds.variance) ** 0.5:.2f}", f"√({odds.variance})")
    out.print(facts)
    table = grid(("result", "right"), (f"ways of {odds.out_of}", "right"), ("chance", "right"))
    for net, ways in odds.distribution:
        table.add_row(f"{net:+d}", str(ways), f"{100 * ways / odds.out_of:.2f} %")
    out.print(table)
    worst = odds.house_worst
    if odds.exposure:
        out.print(f"Worst for the house: {worst.roll} pays out {worst.net} net (exposure {odds.exposure}).")
    else:
        out.print("The house cannot lose on these bets.")
