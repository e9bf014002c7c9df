"""`current`: plain readers see committed files only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from taisai.history.current import CURRENT, STATES, publish
from taisai.history.export import Exporter
from taisai.history.folder import Export
from taisai.history.merge import merged
from taisai.journal import MemoryJournal
from tests.history.asked import exported


def seen(export: Export) -> set[str]:
    """The files that a plain reader finds."""
    folder = export.folder / CURRENT
    return {path.relative_to(folder).as_posix() for path in folder.glob("*/*/*.parquet")}


def test_current_has_the_files_of_the_manifests_and_no_others(small: MemoryJournal, tmp_path: Path) -> None:
    """Neither a file of a step that has not ended nor one that was merged is seen; one state before is kept."""
    export = exported(small, tmp_path, step=60)
    stray = export.paths("events")[-1].with_name("000000999999-000001000000.parquet")
    stray.write_bytes(b"half a step")
    assert seen(export) == {file.name for file in export.files()}
    whole = merged(export, 1_000_000)
    assert len(whole.manifests) < len(export.manifests)
    publish(whole)
    assert seen(whole) == {file.name for file in whole.files()}
    assert len(list((tmp_path / STATES).iterdir())) == 2
    (tmp_path / CURRENT).unlink()
    with Exporter(small, tmp_path) as exporter:  # a crash before the last rename
        assert seen(exporter.export) == {file.name for file in whole.files()}


def test_a_disk_without_links_has_no_current(
    small: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The export itself is whole all the same."""

    def refuse(*_words: object, **_more: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    export = exported(small, tmp_path)
    assert export.position == small.position()
    assert publish(export) is None
    assert not (tmp_path / CURRENT).exists()
    assert publish(Export(tmp_path, ())) is None
