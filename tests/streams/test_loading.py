"""The keeper of a table: durable before told, repeats harmless, restarts from snapshots; and events as records."""

from __future__ import annotations

from itertools import islice

import msgspec
import pytest
from msgspec.structs import replace

from taisai.books import open_shelf
from taisai.core.faults import InputFault
from taisai.journal import Batch, JournalDamaged, MemoryJournal, Record
from taisai.streams.codec import KIND_OF, VERSION_OF, event_of, events_of, records_of
from taisai.streams.loading import load
from taisai.streams.upcast import UPCASTS, UnknownEvent, Upcasts
from taisai.table import commands as c
from taisai.table import events as e
from taisai.table.people import Person, Role
from taisai.table.state import TableState
from tests.audit.bot import Bot, deal
from tests.streams.keeper import TableKeeper

SHELF = open_shelf(environment={})
LEE = Person("lee", Role.SUPERVISOR)


def kept(journal: MemoryJournal, commands: int = 0, *, snapshot_every: int = 1000) -> TableKeeper:
    """A keeper of one table, dealt for a while."""
    keeper = TableKeeper(journal, SHELF.book, "T1", snapshot_every=snapshot_every)
    for _ in islice(deal(keeper, Bot(SHELF.book("rws-tai-sai-v6"), "A", 6)), commands):
        pass
    return keeper


def test_a_repeat_gets_its_first_answer() -> None:
    """A command sent again, at once or after a restart, is not carried out twice."""
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    command = c.Command(id="again", at=1, by=LEE, do=c.ReceiveDice("D9"))
    first = keeper.do(command)
    seq = keeper.state.seq
    for each in (keeper, kept(journal)):
        again = each.do(replace(command, do=c.ReceiveDice("D10")))
        assert (again.events, again.repeated, again.refusal) == (first.events, True, None)
        assert each.state.seq == seq


def test_a_repeat_long_forgotten_is_caught_by_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids that the keeper no longer holds in memory are still unique in the journal."""
    monkeypatch.setattr("tests.streams.keeper.COMMANDS_KEPT", 2)
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    first = keeper.do(c.Command(id="old", at=1, by=LEE, do=c.ReceiveDice("D9")))
    for number in range(3):
        keeper.do(c.Command(id=f"new{number}", at=1, by=LEE, do=c.ReceiveDice(f"E{number}")))
    again = keeper.do(c.Command(id="old", at=1, by=LEE, do=c.ReceiveDice("D11")))
    assert (again.events, again.repeated) == (first.events, True)
    assert "D11" not in keeper.state.dice_sets


def test_a_refused_command_leaves_no_record() -> None:
    """What is refused is not in the journal, and may be asked again."""
    journal = MemoryJournal()
    keeper = kept(journal, 60)
    before = journal.head("T1")
    command = c.Command(id="no", at=1, by=Person("ann", Role.AUDITOR), do=c.OpenBets())
    for _ in range(2):
        refusal = keeper.do(command).refusal
        assert refusal is not None
        assert refusal.code == "not-yours-to-do"
    assert journal.head("T1") == before
    assert keeper.state.seq == before.seq


def test_a_table_that_is_not_set_up_says_so() -> None:
    """Before the set-up everything is refused; a set-up under a book that is not there too."""
    keeper = kept(MemoryJournal())
    refusal = keeper.do(c.Command(id="1", at=1, by=LEE, do=c.OpenTable())).refusal
    assert refusal is not None
    assert refusal.code == "not-set-up"
    assert keeper.rules() is None
    limits = c.TableLimits(1, c.BoxLimit(1, 10))
    do = c.SetUp("no-such-book", "A", "0" * 64, limits, "SGD", (1,))

    def no_book(book_id: str) -> None:
        raise InputFault("book", f"there is no rule book {book_id}")

    refusal = TableKeeper(MemoryJournal(), no_book, "T1").do(c.Command(id="2", at=1, by=LEE, do=do)).refusal  # type: ignore[arg-type] # it never gives one
    assert refusal is not None
    assert refusal.code == "wrong-book"


def test_a_restart_stands_where_the_journal_says() -> None:
    """From the newest snapshot and what followed, the state is the same; a snapshot of another form is passed over."""
    journal = MemoryJournal()
    keeper = kept(journal, 250, snapshot_every=40)
    state, seq = load(journal, "T1")
    assert state == keeper.state
    assert keeper.state.seq - 40 <= seq
    assert [checkpoint.position for checkpoint in journal.checkpoints()][-1] == seq
    journal.save_snapshot("T1", keeper.state.seq, 999, b"of the future")
    assert load(journal, "T1") == (keeper.state, 0)
    assert load(journal, "T1", 10)[0].seq == 10


def test_every_event_has_a_name_and_comes_back() -> None:
    """Events survive the journal, and their names are the tags that are written."""
    journal = MemoryJournal()
    kept(journal, 200)
    records = list(journal.read("T1"))
    events = events_of(records)
    assert {record.kind for record in records} <= set(VERSION_OF)
    assert [KIND_OF[type(event.what)] for event in events] == [record.kind for record in records]
    assert len(set(KIND_OF.values())) == len(KIND_OF)


def record(kind: str, version: int, body: bytes) -> Record:
    """A record as a journal would give it."""
    return Record("T1", 1, 1, kind, version, 1, "c", 0, "lee", body, b"", b"")


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
