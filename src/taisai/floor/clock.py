"""The house's clock.

Enters: the machine's wall clock and its monotonic one. Leaves: microseconds since 1970 in UTC, by the wall clock, and a
call of `on_jump` when somebody has set it (a significant event, R30). Between two jumps time never runs backwards.
Periods do not depend on it: a jump is put on record at every table, which moves what its periods are measured from.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns, time_ns
from typing import Final

JUMP_US: Final = 2_000_000
"""A change of the difference between the two clocks that is more than drift."""


class Clock:
    """Time as tables record it."""

    def __init__(
        self,
        wall: Callable[[], int] | None = None,
        steady: Callable[[], int] | None = None,
    ) -> None:
        """Tests give clocks of their own, in microseconds."""
        self._wall, self._steady = wall, steady
        self._last = 0
        self._ahead: int | None = None
        """By how much the wall clock was ahead of the monotonic one."""
        self.on_jump: Callable[[int, int], None] | None = None
        """Called with the time that the clock should have shown, and the time that it shows."""
        self.now()

    def now(self) -> int:
        """The time: the same as at the last call, or later, unless the wall clock was set."""
        wall = time_ns() // 1000 if self._wall is None else self._wall()
        ahead = wall - (monotonic_ns() // 1000 if self._steady is None else self._steady())
        before, self._ahead = self._ahead, ahead
        if before is not None and not -JUMP_US <= ahead - before <= JUMP_US:
            self._last = wall
            if self.on_jump is not None:
                self.on_jump(wall - ahead + before, wall)
        self._last = max(self._last, wall)
        return self._last
