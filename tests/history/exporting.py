"""Exports that crash at any step, and what is said of a folder that is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped] # has no types of its own
import pytest

from taisai.core.faults import InputFault
from taisai.history.export import Exporter
from taisai.journal import Batch, MemoryJournal, NewRecord


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


def refusal(journal: MemoryJournal, folder: Path) -> str:
    """Why an export into a folder is refused."""
    with pytest.raises(InputFault) as fault:
        Exporter(journal, folder)
    assert fault.value.field == "FOLDER"
    return fault.value.reason


def _copy(source: MemoryJournal, target: MemoryJournal, upto: int, after: int = 0) -> None:
    for each in source.read_all(after, upto):
        new = NewRecord(each.kind, each.version, each.at, each.command_id, each.part, each.by, each.body)
        target.append([Batch(each.table, each.seq - 1, [new])])
