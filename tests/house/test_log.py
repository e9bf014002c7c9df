"""The house's stream: events that read back, a log that is durable, and an audit and reports that know what it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from taisai.audit.pages import to_csv
from taisai.audit.reports import ReportRequest, Span, make_report
from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.cli import main
from taisai.house.log import HouseLog, MemoryDrawer, append_house, in_a_thread
from taisai.journal import Batch, Head, JournalDamaged, MemoryJournal, NewRecord, SequenceConflict, open_journal
from taisai.streams import house_events as h
from taisai.streams.upcast import Upcasts
from taisai.table.commands import Name
from taisai.table.people import Role
from tests.audit.bot import Bot, deal
from tests.house.people import START, HandClock
from tests.streams.keeper import TableKeeper

SHEET = h.StaffSheet(login="dan", name="Dan", posts=(h.Post(Role.DEALER, ("T1",)),))
SAMPLES: dict[type, tuple[h.Notice, str]] = {
    type(what): (what, told)
    for what, told in (
        (h.HouseStarted(version="1.2", program="ab" * 32, settings="cd" * 32, books={"b": "ef" * 32}),
         "taisai 1.2 started, program abababababababab, settings cdcdcdcdcdcdcdcd"),
        (h.HouseStopped("asked to"), "stopped: asked to"),
        (h.DigestDiffers("program", "ab" * 32, ""), "program differs: was abababababababab, is none"),
        (h.ClockChanged(START, START + 60_000_000), "clock set from 2027-01-15 08:00:00 to 2027-01-15 08:01:00"),
        (h.SignInFailed("", "nobody has this login", "10.0.0.1"),
         "an unknown login not let in from 10.0.0.1: nobody has this login"),
        (h.SignedIn("dan", "dealer", "10.0.0.1"), "dan signed in as dealer from 10.0.0.1"),
        (h.SignedOut("dan", "dealer", "disabled"), "dan signed out as dealer: disabled"),
        (h.SessionExpired("dan", "dealer"), "the session of dan as dealer expired"),
        (h.LoginLocked("dan", 3, ""), "dan locked after 3 failures, the last from somewhere"),
        (h.LoginUnlocked("dan", "by kim"), "dan unlocked: by kim"),
        (h.StaffAdded(SHEET), "dan added: Dan, dealer at T1"),
        (h.StaffChanged(SHEET, msgspec.structs.replace(SHEET, posts=(), administrator=True)),
         "dan changed: was Dan, dealer at T1; is Dan, administrator"),
        (h.StaffDisabled("dan"), "dan disabled"),
        (h.StaffEnabled("dan"), "dan enabled"),
        (h.PasswordSet("dan", "one-time link", "10.0.0.1"), "dan chose a password (one-time link) from 10.0.0.1"),
        (h.OneTimeLinkMade("dan", START), "one-time link for dan, good until 2027-01-15 08:00:00"),
        (h.SeatCodeMade("T1", "", 5000, START), "seat code for any player at T1, 5000 to buy in"),
        (h.SeatCodeUsed("T1", "ann", ""), "ann took a seat at T1 from somewhere"),
        (h.GuessingStopped(""), "too many wrong seat codes from everywhere together"),
        (h.TableDisabled("T1"), "table T1 disabled"),
        (h.TableEnabled("T1"), "table T1 enabled"),
        (h.HouseDisabled(), "the whole house disabled"),
        (h.HouseEnabled(), "the whole house enabled"),
        (h.LargeWin("T1", 7, "ann", 180_000), "ann won 180000 in round 7 at T1"),
        (h.Overridden("T1", "betting time", "36 s", "60 s"), "betting time at T1: was 36 s, is 60 s"),
        (h.AlertCleared("T1", "suspended", "lights", START), "alert at T1 of 2027-01-15 08:00:00 cleared: lights"),
    )
}  # fmt: skip


def event(what: h.Notice, at: int = START) -> h.HouseEvent:
    """Something that the house says."""
    return h.HouseEvent(at, "kim", what, "lee", "because")


@pytest.mark.parametrize("kind", get_args(h.Notice))
def test_every_event_reads_back_and_is_told(kind: type) -> None:
    """Each kind of event comes back from the journal as it went in, under a stable name, and has its words."""
    what, told = SAMPLES[kind]
    journal = MemoryJournal()
    append_house(journal, [event(what)])
    assert list(h.read_house(journal)) == [(1, event(what))]
    (record,) = journal.read(h.HOUSE)
    assert record.kind == h.HOUSE_KINDS[kind]
    assert record.kind.startswith("house.")
    assert (record.by, record.at) == ("kim", START)
    assert h.house_told(what) == told


def test_no_table_has_the_name_of_the_house() -> None:
    """The stream's name is no name that people may give."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(h.HOUSE, Name)


@pytest.mark.parametrize(
    ("kind", "version", "body", "told"),
    [
        ("house.staff-disabled", 1, b"{", "the body is not an event house.staff-disabled: Input data was truncated"),
        ("house.staff-disabled", 1, b'{"at":1,"by":"x","what":{"event":"staff-enabled","login":"dan"}}',
         "the body is not an event house.staff-disabled"),
        ("house.staff-disabled", 2, b'{"at":1,"by":"x","what":{"event":"staff-disabled","login":"dan"}}',
         "has version 2, and this taisai knows up to 1"),
        ("house.moved", 1, b'{"at":1,"by":"x","what":{"event":"moved"}}', "'house.moved' (version 1) is not known"),
        ("bets-closed", 1, b"{}", "the body is not an event bets-closed"),
    ],
)  # fmt: skip
def test_what_is_no_event_of_the_house(kind: str, version: int, body: bytes, told: str) -> None:
    """A body that cannot be read, is of another kind or of the future is a damaged journal, and a finding."""
    journal = MemoryJournal()
    journal.append([Batch(h.HOUSE, 0, [NewRecord(kind, version, START, "c", 0, "x", body)])])
    with pytest.raises(JournalDamaged) as error:
        list(h.read_house(journal))
    assert told in str(error.value)
    (finding,) = Audit(lambda _: None).findings(journal)
    assert (finding.code, finding.table, finding.seq) == ("not-an-event", "@house", 1)
    assert told in finding.sentence


def test_an_older_form_is_read_as_todays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that was once written otherwise goes through its steps, as those of tables do."""
    upcasts = Upcasts({"house.staff-disabled": 2})
    upcasts.step("house.staff-disabled", 1)(lambda body: {"login": body["who"]})
    monkeypatch.setattr(h, "UPCASTS", upcasts)
    monkeypatch.setitem(h._VERSIONS, "house.staff-disabled", 2)
    journal = MemoryJournal()
    old = b'{"at":1,"by":"x","what":{"event":"staff-disabled","who":"dan"}}'
    journal.append([Batch(h.HOUSE, 0, [NewRecord("house.staff-disabled", 1, 1, "c", 0, "x", old)])])
    assert list(h.read_house(journal)) == [(1, h.HouseEvent(1, "x", h.StaffDisabled("dan")))]


def test_a_table_cannot_speak_for_the_house() -> None:
    """An event of the house in a table's stream is not taken for one."""
    journal = MemoryJournal()
    journal.append([Batch("T1", 0, h.house_records_of("c", [event(h.HouseEnabled())]))])
    (record,) = journal.read("T1")
    with pytest.raises(JournalDamaged, match="not a record of the house"):
        h.house_event_of(record)
    assert [finding.code for finding in Audit(lambda _: None).findings(journal)] == ["not-an-event"]


class Contested(MemoryJournal):
    """A journal in which another node writes to the house's stream just before we do, a few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Write, unless somebody was quicker."""
        if self.times:
            self.times -= 1
            raise SequenceConflict(h.HOUSE, batches[0].expected_seq, batches[0].expected_seq + 1)
        return super().append(batches)


def test_two_nodes_may_write_at_once() -> None:
    """Who finds the number taken takes the next; who never gets a turn says so."""
    journal = Contested(3)
    append_house(journal, [event(h.HouseEnabled())])
    assert journal.head(h.HOUSE).seq == 1
    with pytest.raises(SequenceConflict):
        append_house(Contested(1000), [event(h.HouseEnabled())])


def test_the_log_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    """What many tasks say at once is in the file, all of it, each once, with the time of the clock."""
    clock = HandClock()

    async def speak() -> None:
        with open_journal(tmp_path / "floor.db") as journal:
            log = HouseLog(in_a_thread(journal), clock)
            await asyncio.gather(*(log.note(h.StaffDisabled(f"s{number}"), by="ada") for number in range(50)))
            with open_journal(tmp_path / "floor.db", read_only=True) as other:
                assert other.head(h.HOUSE).seq == 50

    asyncio.run(speak())
    with open_journal(tmp_path / "floor.db", read_only=True) as journal:
        events = [each for _, each in h.read_house(journal)]
        assert [seq for seq, _ in h.read_house(journal, after=48)] == [49, 50]
    assert {each.what for each in events} == {h.StaffDisabled(f"s{number}") for number in range(50)}
    assert {(each.at, each.by) for each in events} == {(START, "ada")}


def test_a_drawer_in_memory() -> None:
    """The drawer of tests keeps, gives by prefix in order, and lets go."""
    drawer = MemoryDrawer()
    for name in ("b/2", "a/1", "b/1"):
        drawer.keep(name, name.encode())
    assert list(drawer.kept("b/")) == ["b/1", "b/2"]
    drawer.keep("b/1", None)
    drawer.keep("b/1", None)
    assert drawer.kept() == {"a/1": b"a/1", "b/2": b"b/2"}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with a table that was dealt for a while, and a house that had something to say in between."""
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as journal:
        append_house(journal, [event(SAMPLES[h.HouseStarted][0])])
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=60)
        for _ in islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "A", 3, trouble=0.1)), 200):
            pass
        append_house(journal, [event(what, keeper.state.at) for what, _ in SAMPLES.values()])
    return file


def test_the_audit_reads_the_house_and_replays_the_tables(floor: Path) -> None:
    """A sound journal with the house in it has no finding, and the house is no table."""
    shelf = open_shelf(environment={})
    audit = Audit(shelf.book)
    assert list(audit.findings_of_file(floor)) == []
    assert list(audit.states) == ["T1"]
    with open_journal(floor, read_only=True) as journal:
        assert audit.records == journal.position()
        assert journal.tables() == ["@house", "T1"]
        assert h.game_tables(journal) == ["T1"]


def test_reports_merge_the_house_with_the_tables(floor: Path) -> None:
    """Significant events of both are listed; the comings and goings of a day are not, and the house has no meters."""
    made = datetime(2026, 3, 1, tzinfo=UTC)
    with open_journal(floor, read_only=True) as journal:
        report = make_report(journal, ReportRequest(span=Span.LIFE, made_at=made, large_win=100_000))
        asked = ReportRequest(span=Span.LIFE, made_at=made, tables=frozenset({"T1"}), large_win=100_000)
        of_table = make_report(journal, asked)
        higher = make_report(journal, ReportRequest(span=Span.LIFE, made_at=made, large_win=10**12))
    assert [row.table for row in report.rows] == ["T1"]
    kinds = [each.what for each in report.significant if each.table == "@house"]
    assert kinds[0] == "house.house-started"
    everyday = (h.SignedIn, h.SignedOut, h.SessionExpired, h.SeatCodeMade, h.SeatCodeUsed)
    wanted = {h.HOUSE_KINDS[kind] for kind in SAMPLES if kind not in everyday}
    assert set(kinds) == wanted
    assert {each.table for each in report.significant} == {"@house", "T1"}
    win = next(each for each in report.significant if each.what == "house.large-win")
    assert (win.by, win.authorised_by) == ("kim", "lee")
    assert win.detail == "ann won 180000 in round 7 at T1 (because)"
    assert "house.large-win" not in [each.what for each in higher.significant]
    assert {each.what for each in of_table.significant if each.table == "@house"} == {
        "house.table-disabled", "house.table-enabled", "house.large-win", "house.overridden",
        "house.alert-cleared",
    }  # fmt: skip
    assert "house.login-locked" in to_csv(report)


def test_a_house_without_rounds_still_reports() -> None:
    """Where nothing was dealt the report says so, and lists what the house had to say."""
    journal = MemoryJournal()
    append_house(journal, [event(h.HouseDisabled())])
    report = make_report(journal, ReportRequest(span=Span.DAY, made_at=datetime(2026, 3, 1, tzinfo=UTC)))
    assert report.rows == ()
    assert report.interval == "2027-01-15 08:00 to 2027-01-15 08:00 UTC"
    assert [each.what for each in report.significant] == ["house.house-disabled"]


def test_commands_know_the_house(capfd: pytest.CaptureFixture[str], floor: Path, tmp_path: Path) -> None:
    """Audit and report take the journal as it is; replay and explain neither offer nor take the house as a table."""
    assert main(("audit", str(floor), "--json")) == 0
    assert list(json.loads(capfd.readouterr().out)["tables"]) == ["T1"]
    assert main(("report", str(floor))) == 0
    assert "house.login-locked" in capfd.readouterr().out
    for command in (("replay",), ("explain", "--player", "ann")):
        words = (command[0], str(floor), "--table", "@house", *command[1:])
        assert main(words) == 2
        assert capfd.readouterr().err == "taisai: --table: no table '@house'; there are T1\n"
    empty = tmp_path / "house.db"
    with open_journal(empty) as journal:
        append_house(journal, [event(h.HouseDisabled())])
    assert main(("report", str(empty))) == 0
    shown = capfd.readouterr().out
    assert "No Activity" in shown
    assert "house.house-disabled" in shown
