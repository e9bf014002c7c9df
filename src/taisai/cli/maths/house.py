"""`taisai house`: what a table wins in an hour and a shift, what it risks, and which limits hold the risk."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, bound, console, grid, print_json, shelf_of
from taisai.core.dice import ALL_ROLLS
from taisai.core.faults import InputFault, shown
from taisai.core.limits import BoxLimits, Limits, Per
from taisai.core.odds import percent, percent_chance
from taisai.core.rulebook import Layout
from taisai.outside import CsvWriter
from taisai.protocol.books import exact

if TYPE_CHECKING:
    from taisai.analysis.risk.advisor import Advice, Advised
    from taisai.analysis.risk.shift import ShiftResult
    from taisai.analysis.risk.traffic import Traffic


def house(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    traffic: Annotated[Path, Parameter(help="Who plays and how: a .toml, .json or .csv file.")],
    hours: Annotated[str, Parameter(help="Hours of the shift, as 8, 7.5 or 1/2.")] = "8",
    level: Annotated[str, Parameter(help="Level of value at risk and expected shortfall.")] = "0.99",
    float_level: Annotated[str, Parameter(help="Chance with which the float suffices.")] = "0.999",
    fractions: Annotated[
        bool, Parameter(name="--exact", help="Exact fractions, for up to 100 rounds.", negative=())
    ] = False,
    coarse: Annotated[
        int | None, Parameter(help="Round results down, against the house, to multiples of this.")
    ] = None,
    advise: Annotated[bool, Parameter(help="Also: limits that hold the loss of a shift.", negative=())] = False,
    risk: Annotated[int | None, Parameter(help="With --advise: the most that a shift may lose.")] = None,
    chance: Annotated[str, Parameter(help="With --advise: the chance with which it does not lose more.")] = "0.999",
    anytime: Annotated[
        bool, Parameter(help="With --advise: the loss at any moment of the shift, not at its end.", negative=())
    ] = False,
    plot: Annotated[Path | None, Parameter(help="Draw into this file (.svg, .png or .pdf).")] = None,
    picture: Annotated[Literal["win", "hours", "float", "exposure"], Parameter(help="What to draw.")] = "win",
    plot_data: Annotated[Path | None, Parameter(help="Write the figures of the picture to this file, as CSV.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """What a table wins in an hour and in a shift: average, quantiles, value at risk, the float that suffices, hold.

    Computed from all 216 rolls and not sampled; floats carry a bound on their error. Players bet on the same roll, and
    that is counted in. With --advise: the highest maximum of each kind of bet, and the differential, that keep the
    loss of a shift at or under --risk. How a traffic file is written: docs/mathematics.md. Players who leave are not
    computed but simulated: `taisai simulate`.

    Examples:
      taisai house rws-tai-sai-v6/C --traffic evening.toml --hours 8
      taisai house rws-tai-sai-v6/C --traffic evening.toml --hours 8 --plot float.svg --picture float
      taisai house rws-tai-sai-v6/C --traffic evening.toml --hours 2 --exact --json
      taisai house rws-tai-sai-v6/C --traffic evening.toml --hours 8 --advise --risk 500000 --chance 0.999
    """
    shelf = shelf_of(book_dir)
    chosen = shelf.layout(layout)
    if advise and risk is None:
        raise InputFault("--risk", "say what a shift may lose at most")
    if plot_data is not None and plot is None:
        raise InputFault("--plot-data", "goes with --plot")
    try:
        from taisai.analysis.risk import advisor as limits_advisor  # noqa: PLC0415 - as above
        from taisai.analysis.risk import shift as shifts  # noqa: PLC0415 - NumPy is an extra, and heavy
        from taisai.analysis.risk import traffic as table_traffic  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("house", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    book = shelf.book(chosen.book_id)
    people = table_traffic.read_traffic(chosen, traffic)
    rules = table_traffic.rules_of(book, people.limits, people.excess)
    length = chance_of(hours, "--hours")
    try:
        result = shifts.shift_result(
            chosen,
            rules,
            people,
            length,
            exact=fractions,
            level=chance_of(level, "--level"),
            float_level=chance_of(float_level, "--float-level"),
            coarse=coarse,
        )
        advice = None
        if advise and risk is not None:
            advice = limits_advisor.advise(
                book, chosen, people, length, risk=risk, chance=chance_of(chance, "--chance"), anytime=anytime
            )
    except InputFault as fault:
        known = {"hours", "level", "float-level", "coarse", "risk", "chance", "traffic"}
        raise (InputFault(f"--{fault.field}", fault.reason) if fault.field in known else fault) from None
    if plot is not None:
        from taisai.analysis.risk.plots import plot_picture  # noqa: PLC0415 - matplotlib is heavy

        title = f"{chosen.name}: {people.players} players, {float(length):g} hours, {result.rounds:,} rounds"
        names, rows = plot_picture(picture, title, result, plot)
        write_drawn(plot, plot_data, names, rows)
    if json:
        print_json({**_plain(chosen, people, result), "advice": None if advice is None else _plain_advice(advice)})
    else:
        _show(chosen, people, result)
        if advice is not None:
            _show_advice(advice)


def chance_of(text: str, field: str) -> Fraction:
    """A number as it is written: 0.999, 999/1000 or 8."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputFault(field, f"a number as 0.999 or 999/1000, got {shown(text)}") from None


def write_drawn(plot: Path, data: Path | None, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Say where the picture went, and write its figures where that is asked for."""
    print(f"drawn: {plot}", file=sys.stderr)
    if data is not None:
        with data.open("w", encoding="utf-8", newline="") as stream:
            writer = CsvWriter(stream)
            writer.writerow(names)
            writer.writerows(rows)
        print(f"figures: {data}", file=sys.stderr)


def _show(layout: Layout, traffic: Traffic, result: ShiftResult) -> None:
    out = console()
    out.print(
        f"[bold]{layout.name}[/]  {traffic.players} players, {traffic.rounds_per_hour} rounds an hour, "
        f"{float(result.hours):g} hours: {result.rounds:,} rounds"
    )
    hour = result.marks[0]
    facts = grid("the house", ("first hour", "right"), ("shift", "right"))
    facts.add_row("expected win", f"{float(hour.mean):+,.2f}", f"{float(result.mean):+,.2f}")
    facts.add_row("standard deviation", f"{hour.deviation:,.2f}", f"{float(result.variance) ** 0.5:,.2f}")
    facts.add_row("turnover (at risk)", f"{float(hour.turnover):,.0f}", f"{float(result.turnover):,.0f}")
    hour_hold = float(hour.mean) / float(hour.turnover) if hour.turnover else 0.0
    facts.add_row(
        "hold: win of turnover, both expected", f"{hour_hold * 100:.3f} %", f"{float(result.hold) * 100:.3f} %"
    )
    if result.hold_of_drop is not None:
        facts.add_row(f"hold of drop ({result.drop:,})", "", f"{result.hold_of_drop * 100:.3f} %")
    facts.add_row("chance of a loss", percent_chance(Fraction(hour.loss)), percent_chance(Fraction(result.loss)))
    level = f"{float(result.level) * 100:g} %"
    facts.add_row(f"value at risk, {level}", f"{hour.value_at_risk:,d}", f"{result.value_at_risk:,d}")
    facts.add_row(f"expected shortfall, {level}", "", f"{float(result.shortfall):,.2f}")
    facts.add_row(
        f"float that suffices, {float(result.float_level) * 100:g} %", "", f"[bold]{result.float_needed:,d}[/]"
    )
    worst = min(zip(result.nets_by_roll, ALL_ROLLS, strict=True), key=lambda pair: pair[0])
    facts.add_row(f"worst roll, everybody there ({worst[1]})", "", f"{worst[0]:+,d}")
    out.print(facts)
    columns = ("with this chance", "win at most, first hour", "shift", "hold at most" if result.holds else "")
    table = grid(*((column, "right") for column in columns))
    holds = dict(result.holds.holds) if result.holds else {}
    for (each, net), (_, first) in zip(result.quantiles, hour.quantiles, strict=True):
        hold = percent(Fraction(holds[each])) if each in holds else ""
        table.add_row(f"{float(each) * 100:g} %", f"{first:+,d}", f"{net:+,d}", hold)
    out.print(table)
    if result.holds is None:
        out.print("hold by level: not computed, because plans make what is at risk depend on luck", style="dim")
    else:
        within = f", to {bound(result.holds.within * 100)} %" if result.holds.within else ""
        out.print(f"hold at most: win of the turnover that there was{within}", style="dim")
    note = "in fractions" if not result.error_bound else f"to {bound(result.error_bound)}"
    out.print(f"computed, not sampled; every chance is exact {note}", style="dim")


def _show_advice(advice: Advice) -> None:
    out = console()
    when = "at any moment of the shift" if advice.anytime else "in the shift"
    aim = f"a loss of at most {advice.risk:,d} {when} with a chance of {float(advice.chance) * 100:g} %"
    out.print(f"\n[bold]Limits[/] for {aim}")
    if not advice.is_needed:
        out.print(f"No limit is needed: without maximum and differential the loss is {advice.unlimited.loss:,d}.")
        return
    if advice.best is None:
        out.print("No limits hold it, not even every box at its minimum.", style="bold red")
        return
    limits = grid("kind", ("minimum", "right"), ("maximum", "right"))
    for kind, (least, most, _) in advice.best.limits.kinds.items():
        limits.add_row(kind, f"{least:,d}", "none" if most is None else f"{most:,d}")
    out.print(limits)
    for pair, amount in advice.best.limits.differential.items():
        out.print(f"differential {pair}: {amount:,d}")
    rows = grid(
        "under", ("loss", "right"), ("win a round", "right"), ("turnover a round", "right"), ("of it kept", "right")
    )
    named = {"no limits": advice.unlimited, "these limits": advice.best, "the next higher": advice.next_higher}
    for name, each in named.items():
        if each is not None:
            rows.add_row(name, _loss(each), f"{each.mean:+,.2f}", f"{each.turnover:,.0f}", f"{each.kept * 100:.1f} %")
    out.print(rows)
    rounded = f"; results rounded, down and up, to multiples of {advice.rounded}" if advice.rounded > 1 else ""
    out.print(f"stakes over the limits: {advice.excess}; computed, not sampled{rounded}", style="dim")


def _loss(advised: Advised) -> str:
    """The loss, or between what it lies where results were rounded."""
    return (
        f"{advised.loss:,d}" if advised.loss == advised.loss_least else f"{advised.loss_least:,d} to {advised.loss:,d}"
    )


def _number(value: Fraction | float) -> object:
    return exact(value) if isinstance(value, Fraction) else value


def _plain(layout: Layout, traffic: Traffic, result: ShiftResult) -> dict[str, object]:
    return {
        "layout": layout.name,
        "players": traffic.players,
        "groups": [
            {
                "name": group.name,
                "count": group.count,
                "bets": dict(group.bets),
                "attendance": exact(group.attendance),
                "plan": group.plan,
                "stake_max": group.stake_max,
                "buy_in": group.buy_in,
            }
            for group in traffic.groups
        ],
        "hours": float(result.hours),
        "rounds_per_hour": result.rounds_per_hour,
        "rounds": result.rounds,
        "void": exact(traffic.void),
        "limits": None if traffic.limits is None else _plain_limits(traffic.limits),
        "turnover": _number(result.turnover),
        "mean": _number(result.mean),
        "variance": _number(result.variance),
        "standard_deviation": float(result.variance) ** 0.5,
        "hold": _number(result.hold),
        "drop": result.drop,
        "hold_of_drop": result.hold_of_drop,
        "loss": _number(result.loss),
        "level": float(result.level),
        "value_at_risk": result.value_at_risk,
        "expected_shortfall": _number(result.shortfall),
        "float_level": float(result.float_level),
        "float": result.float_needed,
        "error_bound": result.error_bound,
        "quantiles": [{"level": float(level), "win": net} for level, net in result.quantiles],
        "holds": None
        if result.holds is None
        else {
            "within": result.holds.within,
            "quantiles": [{"level": float(level), "hold": hold} for level, hold in result.holds.holds],
        },
        "hourly": [
            {
                "hours": float(mark.hours),
                "rounds": mark.rounds,
                "mean": _number(mark.mean),
                "standard_deviation": mark.deviation,
                "turnover": _number(mark.turnover),
                "loss": _number(mark.loss),
                "value_at_risk": mark.value_at_risk,
                "quantiles": [{"level": float(level), "win": net} for level, net in mark.quantiles],
            }
            for mark in result.marks
        ],
        "by_roll": [{"dice": roll.faces, "win": result.nets_by_roll[roll.index]} for roll in ALL_ROLLS],
        "distribution": [
            {"win": net, "chance": _number(chance)} for net, chance in zip(result.nets, result.chances, strict=True)
        ],
        "largest_loss": [
            {"behind": behind, "chance": _number(chance)}
            for behind, chance in zip(result.worst, result.worst_chances, strict=True)
        ],
    }


def _plain_limits(limits: Limits) -> dict[str, object]:
    """Limits as a settle case and a traffic file write them."""
    kinds = {kind: _plain_limit(each) for kind, each in limits.kinds.items()}
    default = _plain_limit(limits.default)
    return {"unit": limits.unit, "default": default, "kinds": kinds, "differential": dict(limits.differential)}


def _plain_limit(limit: BoxLimits) -> dict[str, object]:
    most = {} if limit.stake_max is None else {"max": limit.stake_max}
    per = {"per": str(limit.per)} if limit.per is Per.PLAYER else {}
    return {"min": limit.stake_min, **most, **per}


def _plain_advised(advised: Advised | None) -> dict[str, object] | None:
    return None if advised is None else {**advised._asdict(), "limits": _plain_limits(advised.limits)}


def _plain_advice(advice: Advice) -> dict[str, object]:
    return {
        "risk": advice.risk,
        "chance": float(advice.chance),
        "anytime": advice.anytime,
        "rounds": advice.rounds,
        "excess": advice.excess,
        "needed": advice.is_needed,
        "unlimited": _plain_advised(advice.unlimited),
        "best": _plain_advised(advice.best),
        "next_higher": _plain_advised(advice.next_higher),
        "rounded": advice.rounded,
    }
