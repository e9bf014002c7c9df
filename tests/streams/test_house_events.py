"""The house's stream: events that read back, and bodies that are refused."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from taisai.audit.run import Audit
from taisai.house.log import append_house
from taisai.journal import Batch, JournalDamaged, MemoryJournal, NewRecord
from taisai.streams import house_events as h
from taisai.streams.upcast import Upcasts
from taisai.table.commands import Name
from tests.house.people import START
from tests.streams.house_samples import SAMPLES, event


@pytest.mark.parametrize("kind", get_args(h.HouseEventBody))
def test_every_event_reads_back(kind: type) -> None:
    """Each kind of event comes back from the journal as it went in, under a stable kind."""
    what, _ = SAMPLES[kind]
    journal = MemoryJournal()
    append_house(journal, [event(what)])
    assert list(h.read_house(journal)) == [(1, event(what))]
    (record,) = journal.read(h.HOUSE_STREAM)
    assert record.kind == h.HOUSE_KINDS[kind]
    assert record.kind.startswith("house.")
    assert (record.by, record.at) == ("kim", START)


def test_no_table_has_the_name_of_the_house() -> None:
    """No table can be given the stream's name."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(h.HOUSE_STREAM, Name)


@pytest.mark.parametrize(
    ("kind", "version", "body", "words"),
    [
        ("house.staff-disabled", 1, b"{", "the body is not an event house.staff-disabled: Input data was truncated"),
        ("house.staff-disabled", 1, b'{"at":1,"by":"x","what":{"event":"staff-enabled","login":"dan"}}',
         "the body is not an event house.staff-disabled"),
        ("house.staff-disabled", 2, b'{"at":1,"by":"x","what":{"event":"staff-disabled","login":"dan"}}',
         "has version 2, and this taisai knows up to 1"),
        ("house.moved", 1, b'{"at":1,"by":"x","what":{"event":"moved"}}',
         "does not know the event 'house.moved' (version 1)"),
        ("bets-closed", 1, b"{}", "the body is not an event bets-closed"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_an_event(kind: str, version: int, body: bytes, words: str) -> None:
    """A body that is unreadable, of another kind or of a newer version is a damaged journal, and a finding."""
    journal = MemoryJournal()
    journal.append([Batch(h.HOUSE_STREAM, 0, [NewRecord(kind, version, START, "c", 0, "x", body)])])
    with pytest.raises(JournalDamaged) as error:
        list(h.read_house(journal))
    assert words in str(error.value)
    (finding,) = Audit(lambda _: None).findings(journal)
    assert (finding.code, finding.table, finding.seq) == ("not-an-event", "@house", 1)
    assert words in finding.sentence


def test_an_older_version_is_upcast(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of an older version goes through its upcasts."""
    upcasts = Upcasts({"house.staff-disabled": 2})
    upcasts.step("house.staff-disabled", 1)(lambda body: {"login": body["who"]})
    monkeypatch.setattr("taisai.streams.codec.UPCASTS", upcasts)
    monkeypatch.setitem(h._VERSIONS, "house.staff-disabled", 2)
    journal = MemoryJournal()
    old = b'{"at":1,"by":"x","what":{"event":"staff-disabled","who":"dan"}}'
    journal.append([Batch(h.HOUSE_STREAM, 0, [NewRecord("house.staff-disabled", 1, 1, "c", 0, "x", old)])])
    assert list(h.read_house(journal)) == [(1, h.HouseEvent(1, "x", h.StaffDisabled("dan")))]


def test_a_house_event_in_a_table_is_refused() -> None:
    """A house event in a table's stream is refused."""
    journal = MemoryJournal()
    journal.append([Batch("T1", 0, h.house_records_of("c", [event(h.HouseEnabled())]))])
    (record,) = journal.read("T1")
    with pytest.raises(JournalDamaged, match="not a record of the house"):
        h.house_event_of(record)
    assert [finding.code for finding in Audit(lambda _: None).findings(journal)] == ["not-an-event"]
