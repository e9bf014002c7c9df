"""The newest signed head outside the database: a file beside the key.

Enters: a signed head. Leaves: the same on disk, whole or not at all (`shift.db.head` beside `shift.db.key`). Whoever
can write to the database cannot make the house forget what it has signed.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from taisai.journal.contract import SigningError
from taisai.journal.log.note import NOTE_MAX, BadNote, Checkpoint, Note

ENDING: Final = ".head"


class HeadFile:
    """The newest head that a key has signed."""

    def __init__(self, key_file: Path) -> None:
        self.path = key_file.with_suffix(ENDING)

    def read(self) -> Note | None:
        """The head, if one was signed; `SigningError` when the file is not one: nobody knows then what was signed."""
        try:
            with self.path.open(encoding="utf-8") as file:
                note = Note.read(file.read(NOTE_MAX + 1))
            Checkpoint.read(note.text)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, BadNote) as error:
            raise SigningError(f"the last signed head, {self.path}, cannot be read: {error}") from error
        return note

    def write(self, note: Note) -> None:
        """Replace the head; it is on disk when this returns."""
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.partial")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
                file.write(str(note))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise SigningError(f"the signed head {self.path} cannot be written: {error.strerror}") from error
