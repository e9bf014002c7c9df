"""The export of a journal: every record once, the same in whatever steps, whole after a crash at any place."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.core.faults import InputFault
from taisai.history.export import Exporter, day_name
from taisai.history.folder import MANIFESTS, Export, open_export, read_manifests
from taisai.history.merge import TOGETHER, merged
from taisai.journal import Batch, JournalDamaged, MemoryJournal, NewRecord
from taisai.journal.record import Row
from taisai.streams.codec import event_of
from taisai.streams.house_events import HOUSE
from taisai.table import events as e
from taisai.table.evolve import evolve
from taisai.table.ledger import postings_of
from taisai.table.state import TableState
from tests.history.dealt import content, deal_bots, deal_house, tell_house

DAY_US = 86_400_000_000


@pytest.fixture(scope="module")
def house() -> MemoryJournal:
    """A whole house."""
    journal = MemoryJournal()
    deal_house(journal)
    return journal


@pytest.fixture(scope="module")
def small() -> MemoryJournal:
    """Three tables, for a while."""
    journal = MemoryJournal()
    deal_bots(journal, 150)
    tell_house(journal, 1_775_000_000_000_000)
    return journal


def exported(journal: MemoryJournal, folder: Path, *, step: int = 100_000, upto: int | None = None) -> Export:
    """The journal exported in one go."""
    with Exporter(journal, folder, step=step) as exporter:
        exporter.run(upto)
    return open_export(folder)


@pytest.fixture(scope="module")
def export(house: MemoryJournal, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """The house's export, in a few steps."""
    return exported(house, tmp_path_factory.mktemp("history") / "export", step=400)


def test_every_record_is_an_event_once(house: MemoryJournal, export: Export) -> None:
    """The events are the records of the journal, each once, with what it says and its hash."""
    events = content(export)["events"]
    assert [(row["position"], row["table_name"], row["seq"], row["body"].encode(), row["hash"]) for row in events] == [
        (each.position, each.table, each.seq, each.body, each.hash) for each in house.read_all()
    ]
    assert {row["table_name"] for row in events} == set(house.tables())
    kept = {table: (each.seq, bytes.fromhex(each.hash)) for table, each in export.tables.items()}
    assert kept == {table: tuple(house.head(table)) for table in house.tables()}


def test_postings_are_those_of_the_ledger(house: MemoryJournal, export: Export) -> None:
    """Every cent that an event moves is a posting, and those of an event add up to nothing."""
    found = defaultdict(list)
    for row in content(export)["postings"]:
        found[row["position"]].append((row["account"], row["amount"]))
    should = {
        each.position: [tuple(posting) for posting in postings_of(event_of(each).what)]
        for each in house.read_all()
        if each.table != HOUSE
    }
    assert found == {position: postings for position, postings in should.items() if postings}
    assert all(sum(amount for _, amount in postings) == 0 for postings in found.values())


def test_bets_and_rounds_are_those_of_the_table(house: MemoryJournal, export: Export) -> None:
    """The rounds and bets are what replaying the table gives, voids, corrections and pro rata included."""
    rows = content(export)
    bets, rounds = defaultdict(list), {(row["position"], row["outcome"]): row for row in rows["rounds"]}
    for row in rows["bets"]:
        names = ("player", "box", "stake", "at_risk", "pays", "winnings", "returned")
        bets[row["position"]].append(tuple(row[name] for name in names))
    seen = 0
    for table in house.tables():
        if table == HOUSE:
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


def test_rows_lie_in_the_folder_of_their_day(export: Export) -> None:
    """A file holds the rows of one day, in UTC, and of its own range of positions."""
    assert len(export.days) > 3
    for file in export.files():
        part = Export(export.folder, [_only(export, file.name)])
        rows = content(part)[file.dataset]
        assert len(rows) == file.rows > 0
        assert {day_name(row["at_us"] // DAY_US) for row in rows} == {file.day}
        first, last = Path(file.name).stem.split("-")
        assert all(int(first) <= row["position"] <= int(last) for row in rows)


def _only(export: Export, name: str) -> Any:
    manifest = next(each for each in export.manifests if any(file.name == name for file in each.files))
    return msgspec.structs.replace(manifest, files=tuple(file for file in manifest.files if file.name == name))


@pytest.mark.parametrize("step", [37, 333])
def test_steps_of_any_size_give_the_same(small: MemoryJournal, tmp_path: Path, step: int) -> None:
    """Begun anew after every step, in the middle of rounds, the rows are those of one go."""
    whole = content(exported(small, tmp_path / "whole"))
    for upto in range(step, small.position() + step, step):
        exported(small, tmp_path / "steps", upto=upto)
    export = open_export(tmp_path / "steps")
    assert export.position == small.position()
    assert len(export.manifests) == -(-small.position() // step)
    assert content(export) == whole


def test_a_second_export_has_nothing_to_do(small: MemoryJournal, tmp_path: Path) -> None:
    """Nothing is written when nothing is new; more records go on where the last export ended."""
    folder = tmp_path / "export"
    exported(small, folder, upto=100)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*") if path.name != "_export.lock"}
    with Exporter(small, folder) as exporter:
        assert exporter.run(100) == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with Exporter(small, folder) as exporter:
        assert exporter.run() == small.position() - 100


class Crash(BaseException):
    """The power is gone."""


def crashing(monkeypatch: pytest.MonkeyPatch, at: int) -> list[str]:
    """Have the power fail at the step of that number of those that reach the disk; the steps as they were made."""
    made: list[str] = []

    def step(name: str, real: Any) -> Any:
        def stepped(*words: Any, **more: Any) -> Any:
            if len(made) == at:
                raise Crash
            made.append(name)
            return real(*words, **more)

        return stepped

    monkeypatch.setattr(os, "fsync", step("flush", os.fsync))
    monkeypatch.setattr(Path, "replace", step("rename", Path.replace))
    monkeypatch.setattr(Path, "unlink", step("remove", Path.unlink))
    monkeypatch.setattr(pq, "write_table", step("write", pq.write_table))
    return made


def test_a_crash_at_any_step_leaves_the_old_or_the_new(
    small: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever step the power fails at, the folder is as it was or as it should be, and the next export goes on."""
    upto = 240
    whole = content(exported(small, tmp_path / "whole", upto=upto))
    folder, crashes = tmp_path / "export", 0
    exported(small, folder, upto=80)
    while True:
        with monkeypatch.context() as patched, Exporter(small, folder, step=80) as exporter:
            crashing(patched, crashes)
            try:
                exporter.run(upto)
            except Crash:
                crashes += 1
            else:
                break
        export = open_export(folder)
        assert export.position in (80, 160, upto)
        rows = content(export)
        assert rows == {name: [row for row in whole[name] if row["position"] <= export.position] for name in whole}
        for manifest in export.manifests[1:]:  # back to where it began, so that every step is failed at
            (folder / MANIFESTS / f"{manifest.name}.json").unlink()
    assert crashes > 30
    assert content(open_export(folder)) == whole
    with Exporter(small, folder):
        assert [path.name for path in folder.rglob(".*.part")] == []


def test_small_steps_are_merged(small: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A continuing export merges its small steps, loses no row by it, and survives a crash in the middle of it."""
    folder = tmp_path / "export"
    position = iter(range(5, 400, 5))
    at = [0]
    monkeypatch.setattr(MemoryJournal, "position", lambda _self: at[0])
    lists: list[Export] = []

    def wait(_seconds: float) -> bool:
        at[0] = next(position, 400)
        return at[0] < 400

    with Exporter(small, folder, step=300) as exporter:
        exporter.follow(wait, every_s=0, told=lists.append, clock=lambda: 0.0)
    export = open_export(folder)
    assert max(each.merged for each in export.manifests) == TOGETHER
    assert len(export.manifests) < 20
    monkeypatch.undo()
    whole = content(exported(small, tmp_path / "whole", upto=export.position))
    assert content(export) == whole
    # Who began to read before the last merge can still read to the end.
    assert content(lists[-2])["bets"] == [row for row in whole["bets"] if row["position"] <= lists[-2].position]
    # A merge that did not come to its end: the manifests that it covers are there again.
    merged = next(each for each in export.manifests if each.merged > 1)
    left = folder / MANIFESTS / f"{merged.after + 1:012}-{merged.after + 5:012}.json"
    left.write_bytes(b"what a crash has left")
    assert content(open_export(folder)) == whole
    with Exporter(small, folder) as exporter:
        assert not left.exists()
        exporter.run()
    assert content(open_export(folder)) == content(exported(small, tmp_path / "all"))


def test_a_crash_at_any_step_of_a_merge_loses_nothing(
    small: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever step of a merge the power fails at, every row is there once, and the merge can be made again."""
    folder, crashes = tmp_path / "export", 0
    whole = content(exported(small, folder, step=10, upto=10 * TOGETHER))
    while len(open_export(folder).manifests) > 1:
        with monkeypatch.context() as patched:
            crashing(patched, crashes)
            with suppress(Crash):
                merged(open_export(folder), 100)
        crashes += 1
        assert content(open_export(folder)) == whole
        Exporter(small, folder).close()
        assert content(open_export(folder)) == whole
    assert crashes > 10
    assert [path.name for path in folder.rglob("*.parquet") if f"-{10 * TOGETHER:012}" not in path.name] == []


# ------------------------------------------------------------------ what is refused


def refusal(journal: MemoryJournal, folder: Path) -> str:
    """Why an export into a folder is refused."""
    with pytest.raises(InputFault) as fault:
        Exporter(journal, folder)
    assert fault.value.field == "FOLDER"
    return fault.value.reason


def unreadable(folder: Path) -> str:
    """Why a folder is no export."""
    with pytest.raises(InputFault) as fault:
        open_export(folder)
    assert fault.value.field == "FOLDER"
    return fault.value.reason


def test_the_folder_of_another_journal_is_refused(small: MemoryJournal, house: MemoryJournal, tmp_path: Path) -> None:
    """A folder belongs to one journal."""
    exported(small, tmp_path, upto=50)
    assert "of another journal" in refusal(house, tmp_path)
    assert "of another journal" in refusal(MemoryJournal(), tmp_path)


def test_a_journal_that_was_set_back_is_refused(small: MemoryJournal, tmp_path: Path) -> None:
    """A journal shorter than its export, or with another record in its place, is not exported on top."""
    exported(small, tmp_path, upto=100)
    shorter, other = MemoryJournal(), MemoryJournal()
    _copy(small, shorter, 60)
    assert "the journal only 60" in refusal(shorter, tmp_path)
    _copy(small, other, 60)
    tell_house(other, 1)
    _copy(small, other, 160, after=60)
    assert "another record 100" in refusal(other, tmp_path)


def _copy(source: MemoryJournal, target: MemoryJournal, upto: int, after: int = 0) -> None:
    for each in source.read_all(after, upto):
        new = NewRecord(each.kind, each.version, each.at, each.command_id, each.part, each.by, each.body)
        target.append([Batch(each.table, each.seq - 1, [new])])


def test_one_exporter_at_a_time(small: MemoryJournal, tmp_path: Path) -> None:
    """A second exporter on a folder is refused until the first is closed."""
    with Exporter(small, tmp_path):
        assert "is exporting into" in refusal(small, tmp_path)
    Exporter(small, tmp_path).close()


def test_a_folder_that_holds_something_else_is_refused(small: MemoryJournal, tmp_path: Path) -> None:
    """Neither a file nor a folder with other things becomes an export, and neither is read as one."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "not an export: choose an empty folder" in refusal(small, tmp_path)
    assert "is a file" in refusal(small, tmp_path / "notes.txt")
    assert "it has no _manifest" in unreadable(tmp_path)
    assert "there is no folder" in unreadable(tmp_path / "nothing")
    Exporter(MemoryJournal(), tmp_path / "empty").close()
    assert "without any record" in unreadable(tmp_path / "empty")


def test_missing_and_foreign_files_are_named(small: MemoryJournal, tmp_path: Path) -> None:
    """A file that is gone, cut or foreign is named, by who reads and by who would go on."""
    export = exported(small, tmp_path, step=100)
    path = export.paths("bets")[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert f"{path} has {len(whole) - 1} bytes" in unreadable(tmp_path)
    path.unlink()
    assert f"{path} is missing" in unreadable(tmp_path)
    assert f"{path} is missing" in refusal(small, tmp_path)
    path.write_bytes(whole)
    for name in (
        "theirs.parquet",
        "../day=2020-01-01/000000000001-000000000100.parquet",
        "000000000003-000000000150.parquet",
    ):
        foreign = path.parent / name
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_bytes(whole)
        assert "is not a file of this export" in unreadable(tmp_path)
        assert "is not a file of this export" in refusal(small, tmp_path)
        foreign.unlink()
    assert open_export(tmp_path).position == small.position()


def test_a_changed_file_is_found_by_its_digest(small: MemoryJournal, tmp_path: Path) -> None:
    """A byte that was changed is found when the files are read again, and by nothing less."""
    export = exported(small, tmp_path)
    assert list(export.faults()) == []
    path = export.paths("events")[0]
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    export.paths("bets")[0].unlink()
    told: list[tuple[int, int]] = []
    assert [(each.name.partition("/")[0], each.sentence.partition(":")[0]) for each in export.faults(_tell(told))] == [
        ("bets", "is missing"),
        ("events", "is not what was written"),
    ]
    assert told[-1] == (len(export.files()),) * 2


def _tell(told: list[tuple[int, int]]) -> Any:
    return lambda done, whole: told.append((done, whole))


def test_changed_manifests_are_named(small: MemoryJournal, tmp_path: Path) -> None:
    """A manifest that is changed, missing, foreign or of another form is named."""
    export = exported(small, tmp_path / "one", step=100)
    exported(small, tmp_path / "two", step=50)
    first, second = sorted((tmp_path / "one" / MANIFESTS).iterdir())[:2]
    text = second.read_bytes()
    second.write_bytes(text.replace(b'"rows": 1', b'"rows": 2', 1))
    assert f"{second} was changed" in unreadable(tmp_path / "one")
    second.write_bytes(b"{")
    assert f"{second} cannot be read" in unreadable(tmp_path / "one")
    second.write_bytes(text.replace(b'"form": 1', b'"form": 2'))
    assert f"{second} is of form 2" in unreadable(tmp_path / "one")
    second.unlink()
    assert "follows a gap: positions 101 to 200 are missing" in unreadable(tmp_path / "one")
    for each in sorted((tmp_path / "two" / MANIFESTS).iterdir())[2:4]:
        (second.parent / each.name).write_bytes(each.read_bytes())
    assert "of another export" in unreadable(tmp_path / "one")
    (second.parent / "list.txt").write_text("", encoding="utf-8")
    assert "list.txt is not a manifest" in unreadable(tmp_path / "one")
    assert export.manifests[0] == read_manifests_of(first)


def read_manifests_of(path: Path) -> Any:
    """A manifest by itself."""
    for other in path.parent.iterdir():
        if other != path:
            other.unlink()
    return read_manifests(path.parent.parent).manifests[0]


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


def test_a_step_has_records() -> None:
    """A step of nothing would never end."""
    with pytest.raises(InputFault, match="step"):
        Exporter(MemoryJournal(), Path("nowhere"), step=0)
    with pytest.raises(JournalDamaged, match="calendar"):
        day_name(10**9)
