"""`taisai session`: what a player takes home from so many rounds, computed and not sampled."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, bound, console, grid, print_json, shelf_of
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.money import chips_of
from taisai.core.odds import BetsOdds, bets_odds, percent_chance
from taisai.core.rulebook import Layout
from taisai.outside import CsvWriter
from taisai.protocol.books import exact

if TYPE_CHECKING:
    from taisai.analysis.session.exact import Game, Manner, SessionResult

_CURVE_POINTS = 200
"""Points of a curve over the rounds that JSON gives, at most."""


def session(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    bets: Annotated[str, Parameter(help="Bets of a round, as box=amount in minor units.")],
    rounds: Annotated[int, Parameter(help="Rounds to play, at most a million.")],
    bankroll: Annotated[int | None, Parameter(help="What the player has: ruined when a round cannot be paid.")] = None,
    stop_win: Annotated[int | None, Parameter(help="Stop when this much is won.")] = None,
    stop_loss: Annotated[int | None, Parameter(help="Stop when this much is lost.")] = None,
    plan: Annotated[Literal["flat", "martingale", "dalembert"], Parameter(help="How stakes follow results.")] = "flat",
    stake_max: Annotated[int | None, Parameter(help="Most that a round may stake, for plans that raise.")] = None,
    drawdown: Annotated[
        bool, Parameter(help="Also the largest drawdown: how far under the best so far.", negative=())
    ] = False,
    fractions: Annotated[
        bool, Parameter(name="--exact", help="Exact fractions, for up to 300 rounds.", negative=())
    ] = False,
    plot: Annotated[Path | None, Parameter(help="Draw into this file (.svg, .png or .pdf).")] = None,
    picture: Annotated[Literal["distribution", "paths", "ruin"], Parameter(help="What to draw.")] = "distribution",
    seed: Annotated[int, Parameter(help="Seed of the sample paths.")] = 7,
    csv: Annotated[bool, Parameter(help="Print every result with its chance as CSV.", negative=())] = False,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """What a player takes home from so many rounds: every result with its chance.

    Computed from all 216 rolls and not sampled; floats carry a bound on their error. A plan raises all bets together:
    martingale doubles after a lost round, dalembert adds one first stake, both as far as --stake-max.

    Examples:
      taisai session rws-tai-sai-v6/C --bets "small=1000" --rounds 300 --bankroll 50000
      taisai session rws-tai-sai-v6/C --bets "small=1000" --rounds 100 --exact --json
      taisai session rws-tai-sai-v6/C --bets "small=1000" --rounds 300 --bankroll 50000 --stop-win 20000
      taisai session rws-tai-sai-v6/C --bets "big=100" --rounds 200 --plan martingale --stake-max 6400 --bankroll 20000
      taisai session rws-tai-sai-v6/C --bets "small=1000" --rounds 300 --plot paths.svg --picture paths
    """
    if csv and json:
        raise InputFault("--csv", "choose --csv or --json, not both")
    chosen = shelf_of(book_dir).layout(layout)
    together = bets_odds(chosen, parse_bets(chosen, bets, field_name="--bets"))
    try:
        from taisai.analysis.session import exact as sessions  # noqa: PLC0415 - NumPy is an extra, and heavy
    except ImportError:
        raise InputFault("session", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    amounts = {"bankroll": bankroll, "stop-win": stop_win, "stop-loss": stop_loss, "stake-max": stake_max}
    for name, amount in amounts.items():
        if amount is not None:
            chips_of(amount, f"--{name}", at_least=1)
    game = sessions.game_of(together)
    manner = sessions.Manner(rounds, bankroll, stop_win, stop_loss, sessions.Plan(plan), stake_max)
    try:
        result = sessions.session(game, manner, exact=fractions)
        depths, depth_mean, unstopped = _drawdown(game, manner) if drawdown else ((), None, False)
        spread = sessions.bands(game, manner) if plot is not None and picture == "paths" else []
    except InputFault as fault:
        raise InputFault(f"--{fault.field}", fault.reason) from None
    if plot is not None:
        from taisai.analysis.session import plots as session_plots  # noqa: PLC0415 - matplotlib is heavy

        more = " …" if len(together.bets) > 4 else ""
        title = ", ".join(
            (
                f"{chosen.name}: {_staked(together, 4)}{more}",
                f"{rounds:,} rounds",
                *([plan] if plan != "flat" else []),
                *(
                    f"{name} {amount:,}"
                    for name, amount in (("bankroll", bankroll), ("stop-win", stop_win), ("stop-loss", stop_loss))
                    if amount is not None
                ),
            )
        )
        if picture == "distribution":
            session_plots.plot_distribution(title, result, plot)
        elif picture == "paths":
            session_plots.plot_paths(title, game, manner, spread, plot, seed=seed)
        else:
            session_plots.plot_ruin(title, result, plot)
        print(f"drawn: {plot}", file=sys.stderr)
    if json:
        besides = {"drawdown_mean": depth_mean, "drawdown_unstopped": unstopped, "bands": spread}
        print_json({**_plain(chosen, together, manner, result, depths), **besides})
    elif csv:
        _write_csv(result)
    else:
        _show(chosen, together, manner, result, depths, depth_mean=depth_mean, unstopped=unstopped)


def _drawdown(game: Game, manner: Manner) -> tuple[tuple[tuple[Fraction, int], ...], float | None, bool]:
    """Quantiles of the largest drawdown, the mean where it is computed, and whether they are of unstopped play.

    Where a session that ends is too much work, flat play is given as if nothing ended it: it never is less deep.
    """
    from taisai.analysis.session import exact as sessions  # noqa: PLC0415 - as above
    from taisai.analysis.session.drawdown import stopped_drawdown_quantiles  # noqa: PLC0415 - as above

    if not manner.is_free:
        try:
            return stopped_drawdown_quantiles(game, manner), None, False
        except InputFault:
            if manner.plan is not sessions.Plan.FLAT:
                raise
    mean = sessions.drawdown_mean(game, manner.rounds)
    return sessions.drawdown_quantiles(game, manner.rounds), mean, not manner.is_free


def _staked(odds: BetsOdds, most: int | None = None) -> str:
    return "  ".join(f"{bet.box} {bet.stake}" for bet in odds.bets[:most])


def _write_csv(result: SessionResult) -> None:
    writer = CsvWriter(sys.stdout)
    writer.writerow(["net", "chance"])
    writer.writerows(zip(result.nets, result.chances, strict=True))


def _show(
    layout: Layout,
    odds: BetsOdds,
    manner: Manner,
    result: SessionResult,
    depths: tuple[tuple[Fraction, int], ...],
    *,
    depth_mean: float | None,
    unstopped: bool,
) -> None:
    out = console()
    out.print(f"[bold]{layout.name}[/]  {_staked(odds)}  (staked {odds.staked} a round, {manner.plan})")
    facts = grid("", ("", "right"))
    facts.add_row("rounds", f"{manner.rounds:,}")
    facts.add_row("expected result", f"{float(result.mean):+,.2f}")
    facts.add_row("standard deviation", f"{float(result.variance) ** 0.5:,.2f}")
    facts.add_row("ahead", percent_chance(Fraction(result.ahead)))
    facts.add_row("even", percent_chance(Fraction(result.even)))
    if not manner.is_free:
        facts.add_row("expected rounds played", f"{float(result.expected_rounds):,.2f}")
    for name, limit, chance in (
        ("ruined (cannot pay a next round)", manner.bankroll, result.ruin),
        ("stopped at the stop-win", manner.stop_win, result.target),
        ("stopped at the stop-loss", manner.stop_loss, result.stopped),
    ):
        if limit is not None:
            facts.add_row(name, percent_chance(Fraction(chance)))
    if depth_mean is not None:
        facts.add_row("expected largest drawdown" + (", unstopped" if unstopped else ""), f"{depth_mean:,.2f}")
    out.print(facts)
    named = "drawdown at most" + (", unstopped" if unstopped else "")
    table = grid(("with this chance", "right"), ("result at most", "right"), (named if depths else "", "right"))
    by_level = {level: f"{depth:,d}" for level, depth in depths}
    for level, net in result.quantiles:
        table.add_row(f"{float(level) * 100:g} %", f"{net:+,d}", by_level.get(level, ""))
    out.print(table)
    note = f"in all of 216^{manner.rounds} ways" if not result.error_bound else f"to {bound(result.error_bound)}"
    out.print(f"computed, not sampled; every chance is exact {note}", style="dim")


def _number(value: Fraction | float) -> object:
    return exact(value) if isinstance(value, Fraction) else value


def _plain(
    layout: Layout,
    odds: BetsOdds,
    manner: Manner,
    result: SessionResult,
    depths: tuple[tuple[Fraction, int], ...],
) -> dict[str, object]:
    step = max(1, -(-manner.rounds // _CURVE_POINTS))
    marks = sorted({*range(0, manner.rounds + 1, step), manner.rounds})
    return {
        "layout": layout.name,
        "bets": [{"box": bet.box, "stake": bet.stake} for bet in odds.bets],
        "staked": odds.staked,
        "rounds": manner.rounds,
        "plan": manner.plan,
        "bankroll": manner.bankroll,
        "stop_win": manner.stop_win,
        "stop_loss": manner.stop_loss,
        "stake_max": manner.stake_max,
        "error_bound": result.error_bound,
        "mean": _number(result.mean),
        "variance": _number(result.variance),
        "standard_deviation": float(result.variance) ** 0.5,
        "ahead": _number(result.ahead),
        "even": _number(result.even),
        "ruin": _number(result.ruin),
        "target": _number(result.target),
        "stopped": _number(result.stopped),
        "playing": _number(result.playing),
        "expected_rounds": _number(result.expected_rounds),
        "quantiles": [{"level": float(level), "net": net} for level, net in result.quantiles],
        "drawdown": [{"level": float(level), "depth": depth} for level, depth in depths],
        "distribution": [
            {"net": net, "chance": _number(chance)} for net, chance in zip(result.nets, result.chances, strict=True)
        ],
        "by_round": [
            {
                "round": mark,
                "ruin": _number(result.ruin_by_round[mark]),
                "target": _number(result.target_by_round[mark]),
            }
            for mark in marks
        ],
    }
