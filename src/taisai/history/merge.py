"""Many small files into one.

Enters: an export whose last steps are small, as a continuing export leaves them. Leaves: the same rows in fewer files.
Steps are merged eight at a time when they are of one size, so that each row is written again a few times only; what
has reached the size of a whole step is left alone. A merge is a step like any other: its manifest appears last, and
those it covers do not count from then on. The files that were merged stay for one merge more, for who is reading them.
"""

from __future__ import annotations

from typing import Final

from taisai.history.folder import (
    DataFile,
    Export,
    Manifest,
    range_name,
    read_rows,
    remove_leftovers,
    tables_merged,
    write_file,
    write_manifest,
)
from taisai.history.schema import DATASETS

TOGETHER: Final = 8
"""How many steps are merged at a time."""


def mergeable(export: Export, whole: int) -> tuple[Manifest, ...]:
    """The last steps, when they are enough of one size; `whole` records are a step that is left alone."""
    last = export.manifests[-TOGETHER:]
    if len(last) < TOGETHER or len({each.merged for each in last}) > 1:
        return ()
    return last if sum(each.upto - each.after for each in last) <= whole else ()


def merged(export: Export, whole: int) -> Export:
    """The export with its last small steps merged, as far as there are enough."""
    while steps := mergeable(export, whole):
        # What the merge before last has left is read by nobody any more.
        remove_leftovers(export)
        first, last = steps[0], steps[-1]
        span = range_name(first.after, last.upto)
        files: list[DataFile] = []
        for dataset in DATASETS:
            by_day: dict[str, list[DataFile]] = {}
            for file in (file for each in steps for file in each.files if file.dataset == dataset):
                by_day.setdefault(file.day, []).append(file)
            for day, some in by_day.items():
                files.append(write_file(export.folder, dataset, day, span, read_rows(export, some)))
        manifest = write_manifest(
            export.folder,
            Manifest(
                genesis=first.genesis,
                after=first.after,
                upto=last.upto,
                before=first.before,
                last=last.last,
                tables=dict(tables_merged(steps)),
                rules=tuple(sorted({rules for each in steps for rules in each.rules})),
                files=tuple(files),
                zone=first.zone,
                merged=first.merged * TOGETHER,
            ),
        )
        export = Export(export.folder, (*export.manifests[: -len(steps)], manifest))
    return export
