"""Old events read as today's.

Enters: the name, version and body of an event as it was once written. Leaves: the same event in today's form, through
one step after another; what is on disk is never changed. A version from the future, or a gap between two steps, is a
`JournalError` in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from taisai.journal.contract import JournalError

Body: TypeAlias = dict[str, Any]
Step: TypeAlias = Callable[[Body], Body]


class UnknownEvent(JournalError):
    """An event of a name or version that this taisai cannot read."""


class Upcasts:
    """The names and versions of today, and the steps that lead to them."""

    def __init__(self, current: Mapping[str, int] | None = None) -> None:
        self._current: dict[str, int] = dict(current or {})
        self._steps: dict[tuple[str, int], tuple[str, int, Step]] = {}

    def declare(self, kind: str, version: int) -> None:
        """Say which version of an event is today's."""
        self._current[kind] = version

    def step(self, kind: str, version: int, *, becomes: str | None = None) -> Callable[[Step], Step]:
        """A decorator for the function that makes the next version of a body out of this one.

        With `becomes` the event also takes another name; its version there is 1 unless the name stays the same.
        """
        if (kind, version) in self._steps:
            raise ValueError(f"there is a step from {kind!r} version {version} already")
        target = (kind, version + 1) if becomes is None or becomes == kind else (becomes, 1)
        if self._leads_to(target, (kind, version)):
            raise ValueError(f"the step from {kind!r} version {version} would lead in a circle")

        def register(function: Step) -> Step:
            self._steps[kind, version] = (*target, function)
            return function

        return register

    def _leads_to(self, start: tuple[str, int], goal: tuple[str, int]) -> bool:
        place: tuple[str, int] | None = start
        while place is not None and place != goal:
            step = self._steps.get(place)
            place = None if step is None else step[:2]
        return place is not None

    def upcast(self, kind: str, version: int, body: Body) -> tuple[str, int, Body]:
        """An event in today's form; the body that is given stays as it is."""
        while (step := self._steps.get((kind, version))) is not None:
            kind, version, function = step
            body = function(dict(body))
        today = self._current.get(kind)
        if today is None:
            raise UnknownEvent(f"the event {kind!r} (version {version}) is not known to this taisai")
        if version > today:
            raise UnknownEvent(
                f"the event {kind!r} has version {version}, and this taisai knows up to {today}: a newer one wrote it"
            )
        if version < today:
            raise UnknownEvent(f"no step leads from {kind!r} version {version} to today's version {today}")
        return kind, version, body


UPCASTS = Upcasts()
"""The steps of taisai's own events."""

upcast = UPCASTS.upcast
