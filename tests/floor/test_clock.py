"""The clock: the wall clock, and a jump of it is reported."""

from __future__ import annotations

import pytest

from taisai.floor.clock import JUMP_US, Clock


class Machine:
    """The two clocks of a machine, moved by hand."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000_000_000
        self.steady = 5_000_000
        self.clock = Clock(lambda: self.wall, lambda: self.steady)
        self.jumps: list[tuple[int, int]] = []
        self.clock.on_jump = lambda due, shown: self.jumps.append((due, shown))

    def pass_time(self, time_us: int, drift_us: int = 0) -> int:
        """Let time pass, with the wall clock off by some drift; what the clock shows."""
        self.steady += time_us
        self.wall += time_us + drift_us
        return self.clock.now()


def test_time_passes_with_the_wall_clock() -> None:
    """Without a jump the clock shows the wall clock's microseconds."""
    machine = Machine()
    assert machine.pass_time(1_500) == machine.wall
    assert machine.pass_time(0) == machine.wall
    assert machine.jumps == []


def test_a_wall_clock_set_back_is_followed_and_reported() -> None:
    """The clock shows the new time at once and goes on; the jump is reported once, with both times (R30)."""
    machine = Machine()
    before = machine.pass_time(1_000)
    back = before + 1_000 - 3_600_000_000
    assert machine.pass_time(1_000, -3_600_000_000) == back
    assert machine.jumps == [(before + 1_000, back)]
    assert machine.pass_time(60_000_000) == back + 60_000_000
    assert machine.pass_time(1_000, -5_000) == back + 60_000_000, "less than a jump: time waits"
    assert len(machine.jumps) == 1


def test_a_wall_clock_set_forward_is_followed_and_reported() -> None:
    """The clock shows the new time, and the jump is reported."""
    machine = Machine()
    before = machine.pass_time(1_000)
    assert machine.pass_time(1_000, JUMP_US + 1) == before + 1_000 + JUMP_US + 1
    assert machine.jumps == [(before + 1_000, before + 1_000 + JUMP_US + 1)]


@pytest.mark.parametrize("drift", [JUMP_US, -JUMP_US])
def test_drift_is_not_a_jump(drift: int) -> None:
    """Differences up to two seconds between two looks are drift, however often they come."""
    machine = Machine()
    shown = [machine.pass_time(10_000_000, drift) for _ in range(3)]
    assert machine.jumps == []
    assert shown == sorted(shown)


def test_the_machines_own_clocks() -> None:
    """Without clocks of a test the machine's are used."""
    clock = Clock()
    first = clock.now()
    assert first > 1_700_000_000_000_000
    assert clock.now() >= first
