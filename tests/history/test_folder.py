"""The folder: what belongs there, and what is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from taisai.core.faults import InputFault
from taisai.history.export import Exporter, day_name
from taisai.history.folder import MANIFESTS, Export, open_export, read_manifests
from taisai.journal import MemoryJournal
from tests.history.asked import exported
from tests.history.dealt import content
from tests.history.exporting import refusal

DAY_US = 86_400_000_000


def test_rows_lie_in_the_folder_of_their_day(house_export: Export) -> None:
    """A file holds the rows of one day, in UTC, and of its own range of positions."""
    assert len(house_export.days) > 3
    for file in house_export.files():
        part = Export(house_export.folder, [_only(house_export, file.name)])
        rows = content(part)[file.dataset]
        assert len(rows) == file.rows > 0
        assert {day_name(row["at_us"] // DAY_US) for row in rows} == {file.day}
        first, last = Path(file.name).stem.split("-")
        assert all(int(first) <= row["position"] <= int(last) for row in rows)


def _only(export: Export, name: str) -> Any:
    manifest = next(each for each in export.manifests if any(file.name == name for file in each.files))
    return msgspec.structs.replace(manifest, files=tuple(file for file in manifest.files if file.name == name))


def unreadable(folder: Path) -> str:
    """Why a folder is no export."""
    with pytest.raises(InputFault) as fault:
        open_export(folder)
    assert fault.value.field == "FOLDER"
    return fault.value.reason


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
    second.write_bytes(text.replace(b'"form": 2', b'"form": 3'))
    assert f"{second} is of form 3" in unreadable(tmp_path / "one")
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
