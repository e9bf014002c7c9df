"""`taisai bank`: ruin in the long run, and the bank for a given risk, for the house and for a player."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from cyclopts import Parameter

from taisai.cli.maths.house import chance_of
from taisai.cli.show import AsJson, BookDirs, console, grid, print_json, shelf_of
from taisai.core.bets import parse_bets
from taisai.core.faults import InputFault
from taisai.core.money import chips_of
from taisai.core.odds import bets_odds, percent_chance

_RISKS = ("0.05", "0.01", "0.001", "0.0001", "0.000001")


def bank(
    layout: Annotated[str, Parameter(help="Layout, as BOOK/LAYOUT.")],
    /,
    *,
    bets: Annotated[str, Parameter(help="Bets of every round, as box=amount in minor units.")],
    risk: Annotated[tuple[str, ...], Parameter(help="Chance of ruin; may be given several times.")] = (),
    bankroll: Annotated[int | None, Parameter(help="A player's bank, for the player's side.")] = None,
    goal: Annotated[int | None, Parameter(help="What the player wants to win; the bank once more if left out.")] = None,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """Ruin in the long run: the bank that the house needs for these bets, for ever; how long a player's bank lasts.

    The house has the edge and is ruined early or never: for each risk the least bank that is ever gone with at most
    that chance. A player is ruined in the end with certainty: the chance to win a goal first, and how many rounds a
    bank lasts on average. Computed from all 216 rolls, not sampled.

    Examples:
      taisai bank rws-tai-sai-v6/C --bets "small=1000"
      taisai bank rws-tai-sai-v6/C --bets "triple:6=100 small=1000" --risk 0.001 --risk 1/1000000
      taisai bank rws-tai-sai-v6/C --bets "small=1000" --bankroll 50000 --goal 50000
    """
    if goal is not None and bankroll is None:
        raise InputFault("--goal", "goes with --bankroll")
    chosen = shelf_of(book_dir).layout(layout)
    together = bets_odds(chosen, parse_bets(chosen, bets, field_name="--bets"))
    try:
        from taisai.analysis.risk import bank as banks  # noqa: PLC0415 - SciPy is an extra, and heavy
        from taisai.analysis.session.exact import game_of  # noqa: PLC0415 - as above
    except ImportError:
        raise InputFault("bank", "needs the extra `analysis`: pip install 'taisai[analysis]'") from None
    risks = [chance_of(each, "--risk") for each in risk or _RISKS]
    for each in risks:
        if not Fraction(1, 10**12) <= each < 1:
            raise InputFault("--risk", f"at least 1e-12 and less than 1, got {each}")
    player = game_of(together)
    house = banks.turned(player)
    favoured, side = (house, "house") if house.mean > 0 else (player, "player")
    try:
        ruin = banks.ruin(favoured)
        first = None
        if bankroll is not None:
            chips_of(bankroll, "bankroll", at_least=player.staked)
            wanted = bankroll if goal is None else int(chips_of(goal, "goal", at_least=1))
            first = wanted, banks.goal_first(player, bankroll, wanted)
    except InputFault as fault:
        raise InputFault(f"--{fault.field}", fault.reason) from None
    needed = [(each, ruin.bank(float(each))) for each in risks]
    lasts = float(bankroll / -player.mean) if bankroll is not None and player.mean < 0 else None
    if json:
        print_json(
            {
                "layout": chosen.name,
                "bets": [{"box": bet.box, "stake": bet.stake} for bet in together.bets],
                "edge_of": side,
                "lundberg": ruin.lundberg,
                "banks": [{"risk": float(each), "bank": amount} for each, amount in needed],
                "player": None
                if first is None
                else {"bankroll": bankroll, "goal": first[0], "goal_first": first[1], "rounds_on_average": lasts},
            }
        )
        return
    out = console()
    out.print(f"[bold]{chosen.name}[/]  {bets}  (staked {together.staked} a round); the {side} has the edge")
    table = grid(("chance of ruin, ever", "right"), (f"bank of the {side}", "right"))
    for each, amount in needed:
        table.add_row(percent_chance(each), f"{amount:,d}")
    out.print(table)
    if first is not None:
        out.print(f"a player with {bankroll:,d} wins {first[0]:,d} before ruin: {percent_chance(Fraction(first[1]))}")
    if lasts is not None:
        out.print(f"without a goal the bank is gone in the end; it lasts {lasts:,.0f} rounds on average, about")
