"""The reckoning after a run: what was acknowledged against what is in the journal, and the journal against itself.

    python -m tests.torture.reckoning JOURNAL acknowledged.jsonl

Enters: a journal, and what bots were told (`tests.torture.load` writes it). Leaves: sentences, one for each thing that
is not right; none when every acknowledged command is there once with its content, no command is there twice, every
table's records follow one another, every balance is what the events add up to, and the audit has no finding.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.journal import Journal, open_journal
from taisai.streams.codec import event_of
from taisai.streams.house_events import game_tables
from taisai.streams.loading import load
from taisai.table import events as e
from tests.torture.load import Acknowledged, read_acknowledged

Key = tuple[str, str]


def reckon(journal: Journal, acknowledged: Iterable[Acknowledged]) -> list[str]:
    """Everything that is not right."""
    found: list[str] = []
    kept: dict[Key, list[e.EventBody]] = defaultdict(list)
    for table in game_tables(journal):
        found += _table(journal, table, kept)
    found += _lost_or_doubled(kept, acknowledged)
    shelf = open_shelf(environment={})
    found += [f"audit: {finding}" for finding in Audit(shelf.book).findings(journal)]
    return found


def _table(journal: Journal, table: str, kept: dict[Key, list[e.EventBody]]) -> Iterator[str]:
    """One table: its numbers, its balances; its bets are added to those kept."""
    funds: dict[str, int] = defaultdict(int)
    seq = 0
    for record in journal.read(table):
        seq += 1
        if record.seq != seq:
            yield f"{table}: record {record.seq} stands where {seq} should"
            seq = record.seq
        what = event_of(record).what
        if isinstance(what, (e.BetPlaced, e.BetWithdrawn)):
            kept[table, record.command_id].append(what)
        for player, amount in _moved(what):
            funds[player] += amount
    state, _ = load(journal, table)
    for player, amount in funds.items():
        if state.funds(player) != amount:
            yield f"{table}: {player} has {state.funds(player)}, and the events add up to {amount}"


def _moved(what: e.EventBody) -> Iterator[tuple[str, int]]:
    """Chips into a player's hand by an event, or out of it."""
    match what:
        case e.BoughtIn(player=player, amount=amount):
            yield player, amount
        case e.BetPlaced(player=player, amount=amount):
            yield player, -amount
        case e.BetWithdrawn(handed=handed):
            yield handed.player, handed.amount
        case e.BetPaid(player=player, returned=returned):
            yield player, returned
        case e.ExcessRejected(handed=several) | e.RoundVoided(handed=several):
            for each in several:
                yield each.player, each.amount


def _lost_or_doubled(kept: dict[Key, list[e.EventBody]], acknowledged: Iterable[Acknowledged]) -> Iterator[str]:
    for (table, command_id), happenings in kept.items():
        if len(happenings) != 1:
            yield f"{table}: {command_id} is there {len(happenings)} times"
    twice: Counter[Key] = Counter()
    for each in acknowledged:
        twice[each.table, each.id] += 1
        happenings = kept.get((each.table, each.id), [])
        if not happenings:
            yield f"{each.table}: {each.id} was acknowledged and is lost"
        elif not _is(each, happenings[0]):
            yield f"{each.table}: {each.id} was acknowledged as {each} and is there as {happenings[0]}"
    for (table, command_id), count in twice.items():
        if count > 1:
            yield f"{table}: {command_id} was acknowledged to {count} people"


def _is(each: Acknowledged, what: e.EventBody) -> bool:
    """Whether a record is what was acknowledged."""
    match what:
        case e.BetPlaced(player=player, box=box, amount=amount):
            return ("place-bet", player, box, amount) == (each.do, each.player, each.box, each.amount)
        case e.BetWithdrawn(handed=handed):
            return ("withdraw-bet", handed.player, handed.box) == (each.do, each.player, each.box)
    return False


def main(words: list[str]) -> int:
    """The command line."""
    with open_journal(words[0], read_only=True) as journal:
        found = reckon(journal, read_acknowledged(Path(words[1])))
    print("\n".join(found) or "everything is there, once, and adds up")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
