"""`taisai explain`: a player's bets, each with why it came out so."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from taisai.cli.show import AsJson, BookDirs, console, print_json, shelf_of
from taisai.core.faults import InputFault, shown
from taisai.core.rulebook import RuleBook
from taisai.house.persons import Persons
from taisai.journal import Journal, open_journal
from taisai.streams.codec import event_of
from taisai.streams.house_events import game_tables
from taisai.streams.loading import load
from taisai.table import events as e
from taisai.table.explanations import RecalledRound, currency_of, explain_line, recall
from taisai.table.refusals import cite
from taisai.table.state import TableState


def explain(
    journal: Annotated[str, Parameter(help="The journal: a file, or its address.")],
    /,
    *,
    table: Annotated[str, Parameter(help="The table.")],
    player: Annotated[str, Parameter(help="The player: a name, or the id that stands for it in records.")],
    round: Annotated[int | None, Parameter(help="Only this round; the last ones when left out.")] = None,  # noqa: A002 - the word of the table
    last: Annotated[int, Parameter(help="How many of the last rounds.")] = 10,
    json: AsJson = False,
    book_dir: BookDirs = (),
) -> None:
    """One player's bets: what they were, what the dice showed, what was paid, by which clauses, funds before and after.

    Examples:
      taisai explain floor.db --table T1 --player ann
      taisai explain floor.db --table T1 --player ann --round 12
    """
    with open_journal(journal, read_only=True) as opened:
        state = table_at(opened, table, round)
        people = {player, *Persons(opened, lambda: 0).find(player)}
        rounds = [
            each
            for person in sorted(people)
            for each in recall(state, person, last)
            if round is None or each.past.number == round
        ]
        placed = _placed(opened, table, people, {each.past.number for each in rounds})
    if state.set_up is None:
        raise InputFault("--table", f"table {shown(table)} was never set up")
    shelf = shelf_of(book_dir)
    if not rounds:
        raise InputFault("--player", f"{shown(player)} has no settled bet there")
    told = [_told(shelf.book(each.past.book), each, placed, currency_of(state)) for each in rounds]
    if json:
        print_json({"table": table, "player": player, "rounds": told})
        return
    for each, one in zip(told, rounds, strict=True):
        console().print(f"[bold]Round {one.past.number}[/] (replay)  {'void' if one.past.void else one.past.call}")
        for line in each["bets"]:
            hands = "; ".join(f"{each['amount']} {each['how']} by {each['by']}" for each in line["placed"])
            console().print(f"  {line['box']} ({hands})", markup=False, soft_wrap=True)
            console().print(f"    {line['why']} ({cite(line['clauses'])})", markup=False, soft_wrap=True)
        console().print(f"  funds before {one.funds_before}, after {one.funds_after}")


Placed = dict[tuple[int, str], list[dict[str, Any]]]
"""By round and box: who put down how much, and how."""


def _placed(journal: Journal, table: str, people: set[str], numbers: set[int]) -> Placed:
    found: Placed = {}
    number = 0
    for record in journal.read(table):
        if record.kind not in ("bets-opened", "bet-placed"):
            continue
        event = event_of(record)
        if isinstance(event.what, e.BetsOpened):
            number = event.what.round
        elif isinstance(event.what, e.BetPlaced) and number in numbers and event.what.player in people:
            hand = {"by": event.by.id, "how": event.what.how, "amount": event.what.amount, "at": event.at}
            found.setdefault((number, event.what.box), []).append(hand)
    return found


def _told(book: RuleBook, each: RecalledRound, placed: Placed, currency: str) -> dict[str, Any]:
    bets: list[dict[str, Any]] = []
    for line in each.lines:
        found = explain_line(book, each.past, line, currency)
        bets.append(
            {
                "box": line.box,
                "placed": placed.get((each.past.number, line.box), []),
                "stake": line.stake,
                "at_risk": line.at_risk,
                "pays": line.pays,
                "winnings": line.winnings,
                "returned": line.returned,
                "why": found.why,
                "clauses": found.clauses,
            }
        )
    past = each.past
    return {
        "round": past.number,
        "replay": True,
        "dice": past.dice,
        "call": past.call,
        "void": past.void or None,
        "reversed": past.reversed,
        "void_clauses": past.clauses,
        "undone": [line for line in past.undone if each.lines and line.player == each.lines[0].player],
        "bets": bets,
        "funds_before": each.funds_before,
        "funds_after": each.funds_after,
        "digest": past.digest,
    }


def table_at(journal: Journal, table: str, number: int | None) -> TableState:
    """A table's state now, or at the end of a round."""
    tables = game_tables(journal)
    if table not in tables:
        raise InputFault("--table", f"no table {shown(table)}; there are {', '.join(tables) or 'none'}")
    if number is None:
        return load(journal, table)[0]
    for record in journal.read(table):
        if record.kind in ("round-concluded", "round-voided"):
            what = event_of(record).what
            if isinstance(what, e.RoundConcluded | e.RoundVoided) and what.round == number:
                return load(journal, table, record.seq)[0]
    raise InputFault("--round", f"table {shown(table)} has no finished round {number}")
