"""Journals with events that did not happen, in a chain that is whole: what an audit has to find."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from msgspec.structs import replace

from taisai.audit.findings import AuditFinding
from taisai.audit.run import Audit
from taisai.books import Shelf
from taisai.core.rulebook import RuleBook
from taisai.journal import Batch, MemoryJournal
from taisai.streams.codec import event_of, records_of
from taisai.table import events as e
from taisai.table.people import Person, Role
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

Change = Callable[[Any], Any]


def dealt(shelf: Shelf, layout: str, commands: int = 400, seed: int = 3) -> list[e.Event]:
    """The events of a shift that the bot deals, up to the end of its last round."""
    book_id, _, layout_id = layout.partition("/")
    journal = MemoryJournal()
    keeper = TableKeeper(journal, shelf.book, "T1")
    for _ in islice(deal(keeper, Bot(shelf.book(book_id), layout_id, seed)), commands):
        pass
    events = [event_of(record) for record in journal.read("T1")]
    last = max(place for place, event in enumerate(events) if isinstance(event.what, e.RoundConcluded))
    return events[: last + 1]


def journal_of(events: list[e.Event]) -> MemoryJournal:
    """A journal whose chain is whole, with these events, whatever they say."""
    journal = MemoryJournal()
    for seq, event in enumerate(events):
        journal.append([Batch("T1", seq, records_of(f"c{seq}", [event]))])
    return journal


def found_in(
    shelf: Shelf, events: list[e.Event], book_of: Callable[[str], RuleBook | None] | None = None
) -> list[AuditFinding]:
    """What the audit finds in these events."""
    return list(Audit(book_of or shelf.book).findings(journal_of(events)))


def altered(events: list[e.Event], kind: type, change: Change, whole: Change = lambda event: event) -> list[e.Event]:
    """The events with the last one of a kind changed."""
    place = max(place for place, event in enumerate(events) if isinstance(event.what, kind))
    event = events[place]
    return [*events[:place], whole(replace(event, what=change(event.what))), *events[place + 1 :]]


def event(what: e.EventBody, by: Person | None = None, **rest: Any) -> e.Event:
    """An event of its own."""
    return e.Event(at=1_800_000_000_000_000, by=by or Person("dan", Role.DEALER), what=what, **rest)
