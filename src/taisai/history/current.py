"""What plain readers see of an export: a folder that holds committed files only.

Enters: an export after a step. Leaves: `FOLDER/current/bets/day=.../*.parquet` and so on, exactly the files that the
manifests name. It is a link to a folder of hard links, and changes from one step to the next in one rename, so that no
reader sees half a step, a file that was merged, or one of a step that did not end. The folder before stays for whoever
is reading it. A disk that knows no links has no `current`; the commands read the manifests and do not need it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from taisai.history.folder import Export
from taisai.history.schema import DATASETS

CURRENT: Final = "current"
STATES: Final = "_committed"


def publish(export: Export) -> Path | None:
    """Have `current` show what is committed; where it leads, or None on a disk without links."""
    if not export.manifests:
        return None
    folder = export.folder
    state = folder / STATES / f"{export.position:012}-{export.manifests[-1].digest[:16]}"
    link = folder / CURRENT
    before = link.readlink() if link.is_symlink() else Path()
    if before == Path(STATES, state.name):
        return state
    draft = state.with_name(f".{state.name}.part")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(state, ignore_errors=True)
        for dataset in DATASETS:
            (draft / dataset).mkdir(parents=True)
        for file in export.files():
            (draft / file.name).parent.mkdir(exist_ok=True)
            os.link(folder / file.name, draft / file.name)
        draft.rename(state)
        new = folder / f".{CURRENT}.part"
        new.unlink(missing_ok=True)
        new.symlink_to(Path(STATES, state.name))
        new.replace(link)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        return None
    kept = {state.name, before.name}
    for old in (folder / STATES).iterdir():
        if old.name not in kept:
            shutil.rmtree(old, ignore_errors=True)
    return state
