"""The last commands of a table, by id.

Enters: ids, as commands are carried out. Leaves: whether one was seen recently; the journal's unique key still catches
an older repeat, and the table looks it up there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

COMMANDS_KEPT: Final = 10_000
"""Command ids kept in memory."""


class KnownCommands:
    """The ids of a table's last commands: at least `kept` of them, at most twice as many.

    Evicting a dict's oldest key rescans deleted slots; two generations of sets avoid it.
    """

    __slots__ = ("_kept", "_new", "_old", "is_complete")

    def __init__(self, ids: Iterable[str], kept: int) -> None:
        self._kept = kept
        self._new = set(ids)
        self._old: set[str] = set()
        self.is_complete = len(self._new) < kept
        """Whether these are all commands of the table; once they are not, the journal knows of older ones."""

    def __contains__(self, command_id: str) -> bool:
        return command_id in self._new or command_id in self._old

    def add(self, command_id: str) -> None:
        """Add an id."""
        self._new.add(command_id)
        if len(self._new) >= self._kept:
            self.is_complete = self.is_complete and not self._old
            self._old, self._new = self._new, set()
