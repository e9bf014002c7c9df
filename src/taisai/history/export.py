"""The journal into the folder of an export: incrementally, exactly once, in bounded memory.

Enters: a journal and a folder. Leaves: the folder with every record up to a position, in steps; each is in the folder
whole or not at all (`folder`), and the next one begins where the last one ended. A folder of another journal is
refused, and so is a journal that is behind its export: it has been set back, and another history may have begun.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.core.faults import InputFault
from taisai.history.calendar import HouseDays
from taisai.history.current import publish
from taisai.history.folder import (
    FIELD,
    DataFile,
    Export,
    Manifest,
    make_folder,
    range_name,
    read_manifests,
    remove_leftovers,
    write_file,
    write_manifest,
)
from taisai.history.merge import merged
from taisai.history.rows import Row, Rows, Sheet, sheets_of
from taisai.history.schema import BETS, DATASETS, arrow_schema
from taisai.journal.contract import Journal, JournalDamaged, JournalInUse, Progress
from taisai.journal.record import Record
from taisai.journal.sqlite.lock import WriterLock

STEP: Final = 100_000
"""Records of a step: what is held in memory at once."""
CHUNK: Final = 2_000
"""Records that are read at once."""
EVERY_S: Final = 10.0
"""Seconds between two steps of a continuing export, unless a whole step is waiting."""
POLL_S: Final = 1.0
"""Seconds between two looks at a journal that tells nobody of its commits."""

_DAY_US: Final = 86_400_000_000
_EPOCH: Final = date(1970, 1, 1).toordinal()
_AT: Final = {name: [each.name for each in columns].index("at_us") for name, columns in DATASETS.items()}
_RULES: Final = [each.name for each in BETS].index("rules")


class Exporter:
    """Writes one journal into one folder. There is one at a time for a folder; end it with `close`.

    After an exception it has to be closed: the next one begins where the last whole step ended.
    """

    def __init__(self, journal: Journal, folder: Path, *, step: int = STEP, zone: str = "") -> None:
        """`zone` is the time zone of the house's days: the one of the folder, or UTC in a new one, unless given."""
        if step < 1:
            raise InputFault("step", f"a step has at least one record, got {step}")
        self._journal = journal
        self._folder = folder
        self._step = step
        make_folder(folder)
        try:
            self._lock = WriterLock(folder / "_export")
        except JournalInUse as error:
            who = "another process" if error.pid is None else f"process {error.pid}"
            raise InputFault(FIELD, f"{who} is exporting into {folder}") from None
        try:
            self.export = read_manifests(folder)
            self._require_ours()
            if zone and self.export.zone not in ("", zone):
                raise InputFault("--zone", f"{folder} has the days of {self.export.zone}, and an export has one zone")
            self._zone = self.export.zone or zone or "UTC"
            self._days = HouseDays(self._zone)
            self.export.require_files()
            remove_leftovers(self.export)
            publish(self.export)
            self._sheets = sheets_of(self.export.tables, journal.read)
        except BaseException:
            self._lock.release()
            raise

    def run(self, upto: int | None = None, progress: Progress | None = None) -> int:
        """Export all records up to a position, or all there are; how many were."""
        there = self._journal.position()
        end = there if upto is None else min(upto, there)
        begin = self.export.position
        while self.export.position < end:
            self._one_step(min(self.export.position + self._step, end))
            if progress is not None:
                progress(self.export.position - begin, end - begin)
        return max(0, end - begin)

    def follow(
        self,
        wait: Callable[[float], bool],
        *,
        every_s: float = EVERY_S,
        told: Callable[[Export], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Go on exporting until `wait` says no; it returns when there may be something new, or the time is up.

        Small steps are merged into larger ones. `told` is called after each step.
        """
        last = clock() - every_s
        while True:
            left = every_s - (clock() - last)
            waiting = self._journal.position() - self.export.position
            if waiting >= self._step or (waiting and left <= 0):
                self.run()
                self.export = merged(self.export, self._step)
                publish(self.export)
                last = clock()
                if told is not None:
                    told(self.export)
            elif not wait(left if waiting else every_s):
                break
        self.run()

    def close(self) -> None:
        """Let the next one in. May be called twice."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require_ours(self) -> None:
        export, journal = self.export, self._journal
        if not export.manifests:
            return
        if export.genesis != _hash_at(journal, 1):
            raise InputFault(FIELD, f"{self._folder} is the export of another journal: its first record is another")
        there = journal.position()
        if there < export.position:
            raise InputFault(
                FIELD,
                f"{self._folder} has {export.position:,} records, the journal only {there:,}: it was set back, so "
                "export into an empty folder",
            )
        if export.manifests[-1].last != _hash_at(journal, export.position):
            raise InputFault(
                FIELD,
                f"{self._folder} has another record {export.position:,} than the journal: one of them was changed or "
                "set back, so export into an empty folder",
            )

    def _one_step(self, upto: int) -> None:
        """One step, up to a position that is there."""
        after = self.export.position
        rows = Rows.none()
        touched: set[str] = set()
        position, last = after, b""
        for record in _records(self._journal, after, upto):
            if record.position != position + 1:
                raise JournalDamaged(f"position {position + 1} is missing; `taisai audit` tells more")
            sheet = self._sheets.get(record.table)
            if sheet is None:
                sheet = self._sheets[record.table] = Sheet(record.table)
            sheet.see(record, rows)
            touched.add(record.table)
            position, last = record.position, record.hash
        if position != upto:
            raise JournalDamaged(f"position {position + 1} is missing; `taisai audit` tells more")
        before = self.export.manifests[-1] if self.export.manifests else None
        manifest = Manifest(
            genesis=before.genesis if before else _hash_at(self._journal, 1),
            after=after,
            upto=upto,
            before=before.digest if before else "",
            last=last.hex(),
            tables={table: self._sheets[table].kept() for table in sorted(touched)},
            rules=tuple(sorted({row[_RULES] for row in rows.bets})),
            files=tuple(self._write(rows, range_name(after, upto))),
            zone=self._zone,
        )
        self.export = Export(self._folder, (*self.export.manifests, write_manifest(self._folder, manifest)))
        publish(self.export)

    def _write(self, rows: Rows, span: str) -> Iterator[DataFile]:
        for dataset in DATASETS:
            by_day: dict[int, list[Row]] = {}
            at = _AT[dataset]
            for row in getattr(rows, dataset):
                moment = row[at]
                try:
                    day, hour = self._days.at(moment)
                except (ValueError, OverflowError):
                    raise _no_day(moment // _DAY_US) from None
                by_day.setdefault(day, []).append((*row, moment, day, hour))
            for day, some in sorted(by_day.items()):
                yield write_file(self._folder, dataset, day_name(day), span, _table(dataset, some))


def day_name(day: int) -> str:
    """A day by its number since 1970."""
    try:
        return date.fromordinal(_EPOCH + day).isoformat()
    except (ValueError, OverflowError):
        raise _no_day(day) from None


def _no_day(day: int) -> JournalDamaged:
    return JournalDamaged(f"a record is dated {day:,} days after 1970, which no calendar has")


def _table(dataset: str, rows: list[Row]) -> Any:
    schema = arrow_schema(dataset)
    try:
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)]
    except (OverflowError, pa.ArrowException) as error:
        raise JournalDamaged(f"{dataset}: a value does not fit its column: {error}") from None
    return pa.Table.from_arrays(columns, schema=schema)


def _records(journal: Journal, after: int, upto: int) -> Iterator[Record]:
    while after < upto and (rows := journal.rows(after, upto, CHUNK)):
        for row in rows:
            yield Record(*row)
        after = rows[-1][2]


def _hash_at(journal: Journal, position: int) -> str:
    rows = journal.rows(position - 1, position, 1)
    return rows[0][-1].hex() if rows else ""


class _Following(Protocol):
    """What `PostgresJournal.follow` gives."""

    def stop(self) -> None: ...


@contextmanager
def word_of(journal: Journal, *, poll_s: float = POLL_S) -> Iterator[Callable[[float], bool]]:
    """Something to wait by for new records: word of the journal if it gives any, else a look from time to time.

    It waits so many seconds at most, and never says no; an interrupt ends the waiting.
    """
    rung = threading.Event()
    follow: Callable[[Callable[[int], None]], _Following] | None = getattr(journal, "follow", None)
    if follow is None:

        def look(seconds: float) -> bool:
            rung.wait(min(seconds, poll_s))
            return True

        yield look
        return

    def wait(seconds: float) -> bool:
        rung.wait(seconds)
        rung.clear()
        return True

    following = follow(lambda _position: rung.set())
    try:
        yield wait
    finally:
        following.stop()
