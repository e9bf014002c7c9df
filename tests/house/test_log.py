"""The house's log: durable, safe among several writers, and known to audit, reports and commands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pytest

from taisai.audit.pages import events_to_csv
from taisai.audit.reports import ReportRequest, Span, make_report
from taisai.audit.run import Audit
from taisai.books import open_shelf
from taisai.cli import main
from taisai.house.keys import ROTATION, change_key, restart_log
from taisai.house.log import HouseLog, append_house
from taisai.house.proof import Prover
from taisai.journal import Batch, Head, Journal, MemoryJournal, SequenceConflict, open_journal
from taisai.streams import house_events as h
from tests.audit.bot import DAN, LEE, PAT, Bot, deal
from tests.house.people import START, HandClock
from tests.house.test_proof import prover_of, signed
from tests.streams.house_samples import SAMPLES, event
from tests.streams.keeper import TableKeeper

T = TypeVar("T")
OF_THE_LOG = (h.LogBegan, h.KeyChanged, h.LogRestarted)
"""Events whose keys an audit reads: a sample of one is no sound journal's."""


class Contested(MemoryJournal):
    """A journal in which another node is quicker to write to the house's stream, a few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def append(self, batches: Sequence[Batch]) -> dict[str, Head]:
        """Write, unless another node was quicker."""
        if self.times:
            self.times -= 1
            raise SequenceConflict(h.HOUSE_STREAM, batches[0].expected_seq, batches[0].expected_seq + 1)
        return super().append(batches)


def test_two_nodes_may_write_at_once() -> None:
    """A write whose number is taken is tried again; after too many tries it raises."""
    journal = Contested(3)
    append_house(journal, [event(h.HouseEnabled())])
    assert journal.head(h.HOUSE_STREAM).seq == 1
    with pytest.raises(SequenceConflict):
        append_house(Contested(1000), [event(h.HouseEnabled())])


def test_the_log_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    """Events of many tasks at once are all in the file, each once, with the clock's time."""
    clock = HandClock()

    async def write() -> None:
        with open_journal(tmp_path / "floor.db") as journal:

            def run(work: Callable[[Journal], T], /) -> Awaitable[T]:
                return asyncio.to_thread(work, journal)

            log = HouseLog(run, clock)
            await asyncio.gather(*(log.note(h.StaffDisabled(f"s{number}"), by="ada") for number in range(50)))
            with open_journal(tmp_path / "floor.db", read_only=True) as other:
                assert other.head(h.HOUSE_STREAM).seq == 50

    asyncio.run(write())
    with open_journal(tmp_path / "floor.db", read_only=True) as journal:
        events = [each for _, each in h.read_house(journal)]
        assert [seq for seq, _ in h.read_house(journal, after=48)] == [49, 50]
    assert {each.what for each in events} == {h.StaffDisabled(f"s{number}") for number in range(50)}
    assert {(each.at, each.by) for each in events} == {(START, "ada")}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with a table that was dealt for a while by staff of the house, and an event of every kind of the house.

    Its log began, was given another key and another name, all as the program does it, and goes on being signed.
    """
    file = tmp_path_factory.mktemp("floor") / "floor.db"
    shelf = open_shelf(environment={})
    with open_journal(file) as journal:
        append_house(journal, [event(SAMPLES[h.HouseStarted][0])])
        signed(prover_of(journal))
        change_key(journal, ROTATION, by="kim", reason="every year", now=lambda: START)
        restart_log(journal, by="kim", reason="the disk was lost", now=lambda: START)
        for person in (LEE, DAN, PAT):
            sheet = h.StaffSheet(login=person.id, name="", posts=(h.Post(person.role, ("T1",)),))
            append_house(journal, [event(h.StaffAdded(sheet)), event(h.SignedIn(person.id, person.role, ""))])
        keeper = TableKeeper(journal, shelf.book, "T1", snapshot_every=60)
        prover = Prover(lambda: journal, lambda: keeper.state.at)
        for step, _ in enumerate(islice(deal(keeper, Bot(shelf.book("rws-tai-sai-v6"), "A", 3, trouble=0.1)), 200)):
            if step % 5 == 0:
                signed(prover)
        others = [what for kind, (what, _) in SAMPLES.items() if kind not in OF_THE_LOG]
        append_house(journal, [event(what, keeper.state.at) for what in others])
        signed(prover)
        assert {type(each.what) for _, each in h.read_house(journal)} == set(SAMPLES)
    return file


def test_the_audit_reads_the_house_and_replays_the_tables(floor: Path) -> None:
    """A sound journal with house events has no finding, and the house's stream is not a table."""
    shelf = open_shelf(environment={})
    audit = Audit(shelf.book)
    assert list(audit.findings_of_file(floor)) == []
    assert list(audit.states) == ["T1"]
    with open_journal(floor, read_only=True) as journal:
        assert audit.records == journal.position()
        assert journal.tables() == ["@house", "T1"]
        assert h.game_tables(journal) == ["T1"]


def test_reports_merge_the_house_with_the_tables(floor: Path) -> None:
    """Significant events of both are listed; routine ones are not, and the house has no meters."""
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
        "house.alert-cleared", "house.attempted", "house.request-answered",
    }  # fmt: skip
    assert "house.login-locked" in events_to_csv(report)


def test_a_house_without_rounds_still_reports() -> None:
    """Where nothing was dealt the report says so, and lists the house's events."""
    journal = MemoryJournal()
    append_house(journal, [event(h.HouseDisabled())])
    report = make_report(journal, ReportRequest(span=Span.DAY, made_at=datetime(2026, 3, 1, tzinfo=UTC)))
    assert report.rows == ()
    assert report.interval == "2027-01-15 08:00 to 2027-01-15 08:00 UTC"
    assert [each.what for each in report.significant] == ["house.house-disabled"]


def test_commands_know_the_house(capfd: pytest.CaptureFixture[str], floor: Path, tmp_path: Path) -> None:
    """Audit and report accept the journal as it is; replay and explain do not treat the house as a table."""
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
