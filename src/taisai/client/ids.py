"""Command ids: unique, and ordered by time.

Enters: a clock and chance. Leaves: UUIDs of version 7 (RFC 9562). The journal indexes command ids; ids that grow with
time are appended to the index, while random ones would touch pages all over it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from secrets import randbits
from typing import Final
from uuid import UUID

_COUNTER_MAX: Final = 0xFFF


class CommandIds:
    """Makes ids; each is greater than the one before."""

    def __init__(self, clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._clock_ms = clock_ms
        self._last_ms = 0
        self._counter = 0

    def __call__(self) -> str:
        """The next id: 48 bits of milliseconds, 12 of a counter, 62 of chance."""
        now = self._clock_ms()
        if now > self._last_ms:
            self._last_ms, self._counter = now, 0
        elif self._counter < _COUNTER_MAX:
            self._counter += 1
        else:
            # The counter overflowed within a millisecond, or the clock went back: borrow the next millisecond.
            self._last_ms, self._counter = self._last_ms + 1, 0
        value = self._last_ms << 80 | 7 << 76 | self._counter << 64 | 2 << 62 | randbits(62)
        return str(UUID(int=value))
