"""The house's clock.

Enters: the machine's wall clock and its steady one. Leaves: microseconds since 1970 in UTC that never run backwards,
and a word to whoever listens when the wall clock was moved (a significant event, R30).
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns, time_ns
from typing import Final

JUMP_US: Final = 2_000_000
"""A difference between the two clocks that is a change of the clock, not drift."""


class Clock:
    """Time as tables record it."""

    def __init__(
        self,
        wall: Callable[[], int] | None = None,
        steady: Callable[[], int] | None = None,
    ) -> None:
        """Other clocks than the machine's, in microseconds, are for tests."""
        self._wall, self._steady = wall, steady
        self._last = 0
        self._ahead: int | None = None
        """By how much the wall clock was ahead of the steady one."""
        self.on_jump: Callable[[int, int], None] | None = None
        """Told what the clock should have shown, and what it shows."""
        self.now()

    def now(self) -> int:
        """The time; the same as before, or later."""
        wall = time_ns() // 1000 if self._wall is None else self._wall()
        ahead = wall - (monotonic_ns() // 1000 if self._steady is None else self._steady())
        before, self._ahead = self._ahead, ahead
        if before is not None and not -JUMP_US <= ahead - before <= JUMP_US and self.on_jump is not None:
            self.on_jump(wall - ahead + before, wall)
        self._last = max(self._last, wall)
        return self._last
