"""The export of a journal: every record once, the same in whatever steps, whole after a crash at any place."""

from __future__ import annotations

from pathlib import Path

import pytest

from taisai.core.faults import InputFault
from taisai.history.export import Exporter, day_name
from taisai.history.folder import MANIFESTS, open_export
from taisai.journal import JournalDamaged, MemoryJournal
from tests.history.asked import exported
from tests.history.dealt import content, tell_house
from tests.history.exporting import Crash, _copy, crashing, refusal


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


def test_one_exporter_at_a_time(small: MemoryJournal, tmp_path: Path) -> None:
    """A second exporter on a folder is refused until the first is closed."""
    with Exporter(small, tmp_path):
        assert "is exporting into" in refusal(small, tmp_path)
    Exporter(small, tmp_path).close()


def test_a_step_has_records() -> None:
    """A step of nothing would never end."""
    with pytest.raises(InputFault, match="step"):
        Exporter(MemoryJournal(), Path("nowhere"), step=0)
    with pytest.raises(JournalDamaged, match="calendar"):
        day_name(10**9)
