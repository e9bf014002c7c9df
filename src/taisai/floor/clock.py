"""The house's clock.

Enters: the machine's wall clock and its steady one. Leaves: microseconds since 1970 in UTC that never run backwards,
and a word to whoever listens when the wall clock was moved (a significant event, R30).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

JUMP_US: Final = 2_000_000
"""A difference between the two clocks that is a change of the clock, not drift."""


class Clock:
    """Time as tables record it."""

    def __init__(
        self,
        wall: Callable[[], int] = lambda: time.time_ns() // 1000,
        steady: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self._wall, self._steady = wall, steady
        self._last = wall()
        self._last_wall, self._last_steady = self._last, steady()
        self.on_jump: Callable[[int, int], None] | None = None
        """Told what the clock should have shown, and what it shows."""

    def now(self) -> int:
        """The time; the same as before, or later."""
        wall, steady = self._wall(), self._steady()
        due = self._last_wall + steady - self._last_steady
        if abs(wall - due) > JUMP_US and self.on_jump is not None:
            self._last_wall, self._last_steady = wall, steady
            self.on_jump(due, wall)
        self._last_wall, self._last_steady = wall, steady
        self._last = max(self._last, wall)
        return self._last
