"""Many small files merged into one, whatever crashes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from taisai.history.export import Exporter
from taisai.history.folder import MANIFESTS, Export, open_export
from taisai.history.merge import TOGETHER, merged
from taisai.journal import MemoryJournal
from tests.history.asked import exported
from tests.history.dealt import content
from tests.history.exporting import Crash, crashing


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
    assert [path.name for path in folder.glob("*/day=*/*.parquet") if f"-{10 * TOGETHER:012}" not in path.name] == []
