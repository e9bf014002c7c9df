"""The folder of an export: what is in it, and what vouches for it.

Enters: Arrow tables of rows and the manifest that names them; or a folder that somebody made. Leaves: files that are
whole, a manifest that appears last, and an `Export` for those who ask; an `InputFault` for a folder that is not an
export, lacks a file, or was changed.

    FOLDER/_manifest/000000000001-000000100000.json      what was written of these positions: the truth
    FOLDER/bets/day=2026-03-01/000000000001-000000100000.parquet

A file is written under a hidden name, flushed to the disk and renamed; when all files of a step are there, its
manifest is, in the same way. So a crash leaves the export as it was before the step or after it. A file that no
manifest names is not part of the export: the next export removes it. Each manifest holds the digest of the one before.
A manifest whose positions lie within those of another was merged into that one, and does not count any more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own
import pyarrow.parquet as pq  # type: ignore[import-untyped] # as above
from msgspec import Struct

from taisai.core.faults import InputFault
from taisai.history.rows import Kept
from taisai.history.schema import DATASETS, FORM
from taisai.journal.contract import Progress
from taisai.outside import Unreadable, json_of, read_bytes
from taisai.streams.house_events import HOUSE_STREAM

MANIFEST_BYTES_MAX: Final = 64 * 1024 * 1024
FIELD: Final = "FOLDER"
MANIFESTS: Final = "_manifest"
_RANGE: Final = r"(?P<first>\d{12,})-(?P<last>\d{12,})"
_MANIFEST_NAME: Final = re.compile(_RANGE + r"\.json")
_FILE_NAME: Final = re.compile(_RANGE + r"\.parquet")
_DAY_NAME: Final = re.compile(r"day=(?P<day>-?\d{4,}-\d\d-\d\d)")
_PART: Final = ".part"
_ROW_GROUP: Final = 122_880
"""Rows of a row group: what DuckDB hands to one thread."""


class DataFile(Struct, frozen=True):
    """One Parquet file of an export."""

    dataset: str
    day: str
    name: str
    """Its path within the folder."""
    rows: int
    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of an export: the positions from `after` + 1 to `upto`."""

    form: int = FORM
    genesis: str
    """The hash of the journal's first record: which journal this is."""
    after: int
    upto: int
    before: str
    """The digest of the manifest before; empty in the first."""
    last: str
    """The hash of the record at `upto`."""
    tables: dict[str, Kept]
    """The tables that have records in this step, as they stand after it."""
    rules: tuple[str, ...]
    """The rules that bets of this step stood under."""
    files: tuple[DataFile, ...]
    zone: str = "UTC"
    """The time zone whose days the files are of."""
    merged: int = 1
    """How many steps were merged into this one."""
    digest: str = ""
    """SHA-256 over all the rest."""

    @property
    def name(self) -> str:
        """The range of positions as files bear it."""
        return range_name(self.after, self.upto)

    def sealed(self) -> Manifest:
        """The same with its digest."""
        return msgspec.structs.replace(self, digest=self.own_digest())

    def own_digest(self) -> str:
        """What the digest has to be."""
        plain = msgspec.structs.replace(self, digest="")
        return sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()


def range_name(after: int, upto: int) -> str:
    """A range of positions as files bear it: from its first to its last position."""
    return f"{after + 1:012}-{upto:012}"


class Fault(NamedTuple):
    """A file of an export that is not as it was written."""

    name: str
    sentence: str


class Export:
    """What a folder holds at one moment: manifests that follow each other without a gap."""

    def __init__(self, folder: Path, manifests: Iterable[Manifest]) -> None:
        self.folder = folder
        self.manifests = tuple(manifests)
        self.tables: dict[str, Kept] = {}
        for each in self.manifests:
            self.tables.update(each.tables)

    @property
    def position(self) -> int:
        """The last position that is in it, 0 when nothing is."""
        return self.manifests[-1].upto if self.manifests else 0

    @property
    def genesis(self) -> str:
        """Which journal it is of; empty when nothing is in it."""
        return self.manifests[0].genesis if self.manifests else ""

    @property
    def zone(self) -> str:
        """The time zone of its days; empty when nothing is in it."""
        return self.manifests[0].zone if self.manifests else ""

    @property
    def game_tables(self) -> list[str]:
        """The names of the tables, without the house's own stream."""
        return sorted(table for table in self.tables if table != HOUSE_STREAM)

    @property
    def rules(self) -> list[str]:
        """All rules that bets stood under."""
        return sorted({rules for each in self.manifests for rules in each.rules})

    @property
    def days(self) -> list[str]:
        """The days that have events, in order."""
        return sorted({file.day for file in self.files("events")})

    def files(self, dataset: str | None = None) -> list[DataFile]:
        """The files of a dataset, or all, in the order of positions."""
        return [file for each in self.manifests for file in each.files if dataset in (None, file.dataset)]

    def paths(self, dataset: str) -> list[Path]:
        """Where the files of a dataset are."""
        return [self.folder / file.name for file in self.files(dataset)]

    def rows(self, dataset: str) -> int:
        """How many rows a dataset has."""
        return sum(file.rows for file in self.files(dataset))

    def require_files(self) -> None:
        """Refuse the folder when a file is missing or has another size, or when a foreign one lies there."""
        for file in self.files():
            try:
                size = (self.folder / file.name).stat().st_size
            except FileNotFoundError:
                raise InputFault(FIELD, f"{self.folder / file.name} is missing: export into an empty folder") from None
            if size != file.bytes:
                raise InputFault(
                    FIELD, f"{self.folder / file.name} has {size} bytes, not the {file.bytes} that were written"
                )
        named = {file.name for file in self.files()}
        for path in _found(self.folder):
            if path.relative_to(self.folder).as_posix() not in named and not self.is_leftover(path):
                raise InputFault(FIELD, f"{path} is not a file of this export: take it away")

    def is_leftover(self, path: Path) -> bool:
        """Whether a file that no manifest names is what a step leaves that has not ended, or what was merged."""
        if path.name.startswith(".") and path.name.endswith(_PART):
            return True
        place = _place_of(self.folder, path)
        if place is None:
            return False
        first, last = place
        if first > self.position:
            return True
        within = [each for each in self.manifests if each.after < first and last <= each.upto]
        if within:
            return within[0].merged > 1 and place != (within[0].after + 1, within[0].upto)
        # A merge that has not ended goes from the beginning of one step to the end of another.
        return first in {each.after + 1 for each in self.manifests} and last in {each.upto for each in self.manifests}

    def faults(self, progress: Progress | None = None) -> Iterator[Fault]:
        """Read every file, and tell of those that are not as they were written."""
        files = self.files()
        for number, file in enumerate(files, start=1):
            path = self.folder / file.name
            if not path.is_file():
                yield Fault(file.name, "is missing")
            elif digest_of(path) != file.sha256:
                yield Fault(file.name, "is not what was written: its digest is another")
            if progress is not None:
                progress(number, len(files))


def open_export(folder: Path) -> Export:
    """The export in a folder, complete, or a fault that says what is wrong."""
    if not folder.is_dir():
        raise InputFault(FIELD, f"there is no folder {folder}")
    if not (folder / MANIFESTS).is_dir():
        raise InputFault(FIELD, f"{folder} is not an export: it has no {MANIFESTS} (make one with `taisai export`)")
    export = read_manifests(folder)
    if not export.manifests:
        raise InputFault(FIELD, f"{folder} is an export without any record yet")
    export.require_files()
    return export


def read_manifests(folder: Path) -> Export:
    """What the manifests of a folder say, checked against each other."""
    found = []
    for path in sorted((folder / MANIFESTS).iterdir()):
        if path.name.startswith("."):
            continue
        name = _MANIFEST_NAME.fullmatch(path.name)
        if name is None:
            raise InputFault(FIELD, f"{path} is not a manifest of an export: take it away")
        found.append((int(name["first"]) - 1, -int(name["last"]), path))
    manifests: list[Manifest] = []
    for after, minus_upto, path in sorted(found):
        position = manifests[-1].upto if manifests else 0
        if after < position and -minus_upto <= position:
            continue  # merged into the one before
        manifest = _read_manifest(path)
        before = manifests[-1] if manifests else None
        if after != position or (manifest.after, manifest.upto) != (after, -minus_upto):
            raise InputFault(FIELD, f"{path} follows a gap: positions {position + 1} to {after} are missing")
        if manifest.before != (before.digest if before else "") or (before and before.genesis != manifest.genesis):
            raise InputFault(FIELD, f"{path} does not follow the manifest before it: it is of another export")
        manifests.append(manifest)
    return Export(folder, manifests)


def _read_manifest(path: Path) -> Manifest:
    try:
        raw = json_of(read_bytes(path, MANIFEST_BYTES_MAX), str(path))
        form = raw.get("form") if isinstance(raw, dict) else None
        if form != FORM:
            raise InputFault(FIELD, f"{path} is of form {form}, and this taisai reads form {FORM}")
        manifest = msgspec.convert(raw, Manifest)
    except Unreadable as error:
        raise InputFault(FIELD, f"{path} cannot be read: {error.reason}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputFault(FIELD, f"{path} cannot be read: {error}") from None
    if manifest.own_digest() != manifest.digest:
        raise InputFault(FIELD, f"{path} was changed: its digest is another")
    return manifest


def superseded(folder: Path, export: Export) -> list[Path]:
    """Manifests that were merged into others."""
    names = {f"{each.name}.json" for each in export.manifests}
    return [
        path
        for path in sorted((folder / MANIFESTS).iterdir())
        if path.name not in names and not path.name.startswith(".")
    ]


def remove_leftovers(export: Export) -> None:
    """Remove what a step that did not end has left, and what was merged."""
    folder = export.folder
    for path in superseded(folder, export):
        path.unlink()
    for path in (folder / MANIFESTS).glob(f".*{_PART}"):
        path.unlink()
    named = {file.name for file in export.files()}
    for path in _found(folder):
        if path.relative_to(folder).as_posix() not in named and export.is_leftover(path):
            path.unlink()


def _found(folder: Path) -> Iterator[Path]:
    """Everything that lies in the folders of the datasets."""
    for dataset in DATASETS:
        if (folder / dataset).is_dir():
            for path in sorted((folder / dataset).rglob("*")):
                if not path.is_dir():
                    yield path


def _place_of(folder: Path, path: Path) -> tuple[int, int] | None:
    """The positions that a file of this form is about; None for any other file."""
    parts = path.relative_to(folder).parts
    if len(parts) != 3 or _DAY_NAME.fullmatch(parts[1]) is None:
        return None
    name = _FILE_NAME.fullmatch(parts[2])
    return None if name is None else (int(name["first"]), int(name["last"]))


def write_file(folder: Path, dataset: str, day: str, span: str, rows: Any) -> DataFile:
    """Write one Parquet file, whole and flushed; it counts when a manifest names it."""
    path = folder / dataset / f"day={day}" / f"{span}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}{_PART}")
    pq.write_table(rows, draft, compression="zstd", row_group_size=_ROW_GROUP)
    _put_in_place(draft, path)
    size = path.stat().st_size
    return DataFile(dataset, day, path.relative_to(folder).as_posix(), len(rows), size, digest_of(path))


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Write a manifest: with this its step has happened."""
    sealed = manifest.sealed()
    _flush_folders(folder, sealed.files)
    path = folder / MANIFESTS / f"{sealed.name}.json"
    draft = path.with_name(f".{path.name}{_PART}")
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(sealed, order="deterministic"), indent=1) + b"\n")
    _put_in_place(draft, path)
    flush_folder(path.parent)
    return sealed


def make_folder(folder: Path) -> None:
    """Make the folder of an export; one that holds something else is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputFault(FIELD, f"{folder} is a file; an export is a folder") from None
    if not (folder / MANIFESTS).is_dir() and any(path.name not in _OURS for path in folder.iterdir()):
        raise InputFault(FIELD, f"{folder} holds something that is not an export: choose an empty folder")
    (folder / MANIFESTS).mkdir(exist_ok=True)
    flush_folder(folder)


_OURS: Final = frozenset({MANIFESTS, "_export.lock"})


def _put_in_place(draft: Path, path: Path) -> None:
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    draft.replace(path)


def _flush_folders(folder: Path, files: Iterable[DataFile]) -> None:
    """Have the names of new files on the disk, up to the folder itself."""
    for each in sorted({(folder / file.name).parent for file in files}):
        flush_folder(each)
    for each in sorted({(folder / file.name).parent.parent for file in files}):
        flush_folder(each)
    flush_folder(folder)


def flush_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    if os.name == "nt":  # pragma: no cover - Windows cannot flush a folder, and writes its names through
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def tables_merged(manifests: Iterable[Manifest]) -> Mapping[str, Kept]:
    """The tables of several manifests, each as it stands after the last that has it."""
    tables: dict[str, Kept] = {}
    for each in manifests:
        tables.update(each.tables)
    return tables


def read_rows(export: Export, files: Iterable[DataFile]) -> Any:
    """The rows of some files of one dataset, together; `InputFault` when one is not as it was written."""
    parts = []
    for file in files:
        path = export.folder / file.name
        if digest_of(path) != file.sha256:
            raise InputFault(FIELD, f"{path} is not what was written: its digest is another")
        parts.append(pq.read_table(path, partitioning=None))
    return pa.concat_tables(parts)
