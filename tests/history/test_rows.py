"""Records as rows: nothing lost, nothing doubled, the chain checked."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from taisai.history.export import Exporter
from taisai.history.folder import Export, open_export
from taisai.journal import JournalDamaged, MemoryJournal
from taisai.journal.record import Row
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE_STREAM
from taisai.table import events as e
from taisai.table.evolve import evolve
from taisai.table.ledger import postings_of
from taisai.table.state import TableState
from tests.history.dealt import content
from tests.history.exporting import _copy


def test_every_record_is_an_event_once(house: MemoryJournal, house_export: Export) -> None:
    """The events are the records of the journal, each once, with what it says and its hash."""
    events = content(house_export)["events"]
    assert [(row["position"], row["table_name"], row["seq"], row["body"].encode(), row["hash"]) for row in events] == [
        (each.position, each.table, each.seq, each.body, each.hash) for each in house.read_all()
    ]
    assert {row["table_name"] for row in events} == set(house.tables())
    kept = {table: (each.seq, bytes.fromhex(each.hash)) for table, each in house_export.tables.items()}
    assert kept == {table: tuple(house.head(table)) for table in house.tables()}


def test_postings_are_those_of_the_ledger(house: MemoryJournal, house_export: Export) -> None:
    """Every cent that an event moves is a posting, and those of an event add up to nothing."""
    found = defaultdict(list)
    for row in content(house_export)["postings"]:
        found[row["position"]].append((row["account"], row["amount"]))
    should = {
        each.position: [tuple(posting) for posting in postings_of(event_of(each).what)]
        for each in house.read_all()
        if each.table != HOUSE_STREAM
    }
    assert found == {position: postings for position, postings in should.items() if postings}
    assert all(sum(amount for _, amount in postings) == 0 for postings in found.values())


def test_bets_and_rounds_are_those_of_the_table(house: MemoryJournal, house_export: Export) -> None:
    """The rounds and bets are what replaying the table gives, voids, corrections and pro rata included."""
    rows = content(house_export)
    bets, rounds = defaultdict(list), {(row["position"], row["outcome"]): row for row in rows["rounds"]}
    for row in rows["bets"]:
        names = ("player", "box", "stake", "at_risk", "pays", "winnings", "returned")
        bets[row["position"]].append(tuple(row[name] for name in names))
    seen = 0
    for table in house.tables():
        if table == HOUSE_STREAM:
            continue
        state = TableState(table)
        for record in house.read(table):
            event = event_of(record)
            state = evolve(state, event)
            if isinstance(event.what, e.RoundConcluded | e.RoundVoided):
                seen += 1
                past = state.history[-1]
                lines = [(each.player, each.box, each.stake, each.at_risk, each.pays, each.winnings, each.returned)
                         for each in past.lines]  # fmt: skip
                assert bets.pop(record.position, []) == lines
                row = rounds.pop((record.position, "voided" if past.void else "concluded"))
                dice = None if past.dice is None else tuple(past.dice)
                assert ((row["d1"], row["d2"], row["d3"]) if row["d1"] else None) == dice
                assert (row["round"], row["digest"], row["void"]) == (past.number, past.digest, past.void)
                assert row["opened_us"] == (past.opened_at or None)
                assert (row["bets"], row["staked"]) == (len(lines), sum(line[2] for line in lines))
                assert row["returned"] == sum(line[6] for line in lines)
    assert seen > 80
    assert bets == {}
    assert {outcome for _, outcome in rounds} == {"reversed"}


def test_a_damaged_journal_is_not_exported(small: MemoryJournal, tmp_path: Path) -> None:
    """A record that was altered, is missing, or does not follow stops the export; what was whole before is there."""

    def altered(rows: list[Row]) -> list[Row]:
        return [(*row[:9], row[9] + b" ", *row[10:]) if row[2] == 150 else row for row in rows]

    def gap(rows: list[Row]) -> list[Row]:
        return [row for row in rows if row[2] != 150]

    for number, change in enumerate((altered, gap)):

        class Damaged(MemoryJournal):
            """Gives some rows wrongly."""

            def rows(self, after_position: int, upto: int, count: int, change: Any = change) -> list[Row]:
                return list(change(super().rows(after_position, upto, count)))

        journal = Damaged()
        _copy(small, journal, 200)
        folder = tmp_path / str(number)
        with Exporter(journal, folder, step=100) as exporter, pytest.raises(JournalDamaged, match="audit"):
            exporter.run()
        assert open_export(folder).position == 100
