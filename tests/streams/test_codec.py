"""Events as records, and back: names, versions, and what is not an event."""

from __future__ import annotations

from collections import deque
from itertools import islice

import msgspec
import pytest

from taisai.books import open_shelf
from taisai.journal import Batch, JournalDamaged, MemoryJournal, Record
from taisai.streams.codec import KIND_OF, VERSION_OF, event_of, events_of, records_of
from taisai.streams.loading import load
from taisai.streams.upcast import UPCASTS, UnknownEvent, Upcasts
from taisai.table import events as e
from taisai.table.people import Person, Role
from taisai.table.state import TableState
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

LEE = Person("lee", Role.SUPERVISOR)


def record(kind: str, version: int, body: bytes) -> Record:
    """A record as a journal would give it."""
    return Record("T1", 1, 1, kind, version, 1, "c", 0, "lee", body, b"", b"")


def test_every_event_has_a_name_and_comes_back() -> None:
    """Events survive the journal, and their names are the tags that are written."""
    journal = MemoryJournal()
    keeper = TableKeeper(journal, open_shelf(environment={}).book, "T1")
    deque(islice(deal(keeper, Bot(open_shelf(environment={}).book("rws-tai-sai-v6"), "A", 6)), 200), maxlen=0)
    records = list(journal.read("T1"))
    events = events_of(records)
    assert {record.kind for record in records} <= set(VERSION_OF)
    assert [KIND_OF[type(event.what)] for event in events] == [record.kind for record in records]
    assert len(set(KIND_OF.values())) == len(KIND_OF)


def test_a_body_that_is_no_event_is_damage() -> None:
    """A broken body, or one of another event than its record says, is named with its place."""
    event = e.Event(1, LEE, e.DiceReceived("D1"))
    body = msgspec.json.encode(event)
    assert event_of(record("dice-received", 1, body)) == event
    for kind, content in (("dice-received", b"{"), ("dice-sealed", body), ("dice-received", b"{}")):
        with pytest.raises(JournalDamaged, match="record 1"):
            event_of(record(kind, 1, content))
    with pytest.raises(UnknownEvent):
        event_of(record("dice-received", 99, body))


def test_an_old_version_is_read_as_todays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of an older form goes through its steps; what is on disk stays as it is."""
    upcasts = Upcasts(VERSION_OF)
    upcasts.declare("dice-received", 2)
    monkeypatch.setattr("taisai.streams.codec.UPCASTS", upcasts)
    monkeypatch.setitem(VERSION_OF, "dice-received", 2)

    @upcasts.step("dice-received", 1)
    def named(body: dict[str, object]) -> dict[str, object]:
        return {"dice_set": body["set"]}

    old = b'{"at":1,"by":{"id":"lee","role":"supervisor"},"what":{"event":"dice-received","set":"D1"}}'
    assert event_of(record("dice-received", 1, old)).what == e.DiceReceived("D1")
    assert UPCASTS is not upcasts


def test_records_carry_command_and_part() -> None:
    """The events of one command are parts of it, in order."""
    events = [e.Event(1, LEE, e.DiceReceived("D1")), e.Event(1, LEE, e.DiceSealed("D1", "S1"))]
    records = records_of("c1", events)
    assert [(each.kind, each.command_id, each.part, each.by) for each in records] == [
        ("dice-received", "c1", 0, "lee"),
        ("dice-sealed", "c1", 1, "lee"),
    ]
    journal = MemoryJournal()
    journal.append([Batch("T1", 0, records)])
    assert load(journal, "T1")[0] == TableState(
        "T1", seq=2, at=1, dice_sets=load(journal, "T1")[0].dice_sets, dice_in="D1"
    )
