"""A house whose history is exported: every written shift, tables dealt by bots over some weeks, the house's own events.

`deal_house(journal)` puts all of it on a journal, the tables mixed as they would be; `content` reads an export back.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec
import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own

from taisai.books import open_shelf
from taisai.history.folder import Export
from taisai.journal import Batch, Journal
from taisai.streams.codec import records_of
from taisai.streams.house_events import (
    HOUSE_STREAM,
    HouseEvent,
    HouseStarted,
    LargeWin,
    SignedIn,
    TableDisabled,
    house_records_of,
)
from taisai.table import commands as c
from taisai.table.events import Event
from taisai.table.notation.run import run_shift
from taisai.table.notation.script import parse_shift
from taisai.table.state import TableState
from tests import ROOT
from tests.audit.bot import Bot
from tests.streams.keeper import TableKeeper

SHELF = open_shelf(environment={})
SHIFTS = ROOT / "tests" / "shifts"
MINUTE_US = 60_000_000
BOTS = (("NZ", "nz-division-9", "1", 4), ("SG<1>", "rws-tai-sai-v6", "C", 5), ("mini 'd'", "rws-mini-dice-v3", "A", 6))


class SlowBot(Bot):
    """A bot that takes its time, so that a shift lasts some weeks."""

    def command(self, state: TableState) -> c.Command:
        """The next command, half an hour after the last."""
        return msgspec.structs.replace(
            super().command(state), at=max(state.at, 1_772_000_000_000_000) + 31 * MINUTE_US + 1
        )


def shifts(book: str = "*") -> Iterator[tuple[str, str, tuple[Event, ...]]]:
    """The events of every written shift, command by command, all shifts by turns: table, command, events."""
    dealt = []
    for file in sorted(SHIFTS.glob(f"{book}/*.shift")):
        if file.parent.name not in SHELF.ids:
            continue  # of a book in examples/, which an engine's readers of pays do not have at hand
        table = f"{file.parent.name} {file.stem}"
        entries = run_shift(SHELF.book, parse_shift(file.read_text(encoding="utf-8"), file.name)).entries
        dealt.append([(table, entry.command.id, entry.events) for entry in entries if entry.events])
    for turn in zip_longest(*dealt):
        yield from (each for each in turn if each is not None)


def deal_shifts(journal: Journal, book: str = "*") -> None:
    """Put every written shift on a journal, or those of one book."""
    for table, command, events in shifts(book):
        journal.append([Batch(table, journal.head(table).seq, records_of(command, events))])


def deal_bots(journal: Journal, commands: int, *, trouble: float = 0.1) -> None:
    """Let bots deal some tables by turns."""
    keepers = [
        (TableKeeper(journal, SHELF.book, table), SlowBot(SHELF.book(book), layout, seed, trouble=trouble))
        for table, book, layout, seed in BOTS
    ]
    for _ in range(commands):
        for keeper, bot in keepers:
            keeper.do(bot.command(keeper.state))


def tell_house(journal: Journal, at: int) -> None:
    """Put some events of the house on a journal."""
    events = [
        HouseEvent(at, "house", HouseStarted(version="1", program="ab" * 32, settings="cd" * 32, books={})),
        HouseEvent(at + 1, "lee", SignedIn("lee", "supervisor", "")),
        HouseEvent(at + 2, "lee", TableDisabled("NZ"), "pat", "a broken light"),
        HouseEvent(at + 3, "house", LargeWin("SG<1>", 3, "p1", 20_000_000)),
    ]
    head = journal.head(HOUSE_STREAM)
    journal.append([Batch(HOUSE_STREAM, head.seq, house_records_of(f"house-{head.seq}", events))])


def deal_house(journal: Journal, commands: int = 250) -> None:
    """Put a whole house on a journal."""
    tell_house(journal, 1_771_000_000_000_000)
    deal_bots(journal, commands)
    deal_shifts(journal)
    tell_house(journal, 1_775_000_000_000_000)


def content(export: Export) -> dict[str, list[dict[str, Any]]]:
    """All rows of an export, by dataset, in the order of positions."""
    found = {}
    for dataset in ("rounds", "bets", "placements", "postings", "events"):
        rows = [row for path in export.paths(dataset) for row in pq.read_table(path, partitioning=None).to_pylist()]
        found[dataset] = sorted(rows, key=lambda row: (row["position"], row.get("line", 0)))
    return found
