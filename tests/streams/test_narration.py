"""The house's events in words."""

from __future__ import annotations

from typing import get_args

import pytest

from taisai.streams import house_events as h
from taisai.streams.narration import EVERYDAY, clock_words, is_significant, narrate
from tests.streams.house_samples import SAMPLES


@pytest.mark.parametrize("kind", get_args(h.HouseEventBody))
def test_every_event_has_its_words(kind: type) -> None:
    """Each kind of event is narrated."""
    what, words = SAMPLES[kind]
    assert narrate(what) == words


def test_what_is_left_out_when_it_is_empty() -> None:
    """A reason, an amount or an address that is not known is left out of the words."""
    assert narrate(h.HouseStopped()) == "stopped"
    assert narrate(h.SignedOut("dan", "dealer")) == "dan signed out as dealer"
    assert narrate(h.SeatCodeMade("T1", "ann", 0, 1)) == "seat code for ann at T1"
    assert narrate(h.GuessingStopped("10.0.0.1")) == "too many wrong seat codes from 10.0.0.1"


def test_the_routine_of_a_day_is_not_significant() -> None:
    """Signing in and out and seat codes are routine; everything else goes to the regulator (R30)."""
    routine = {kind for kind, (what, _) in SAMPLES.items() if not is_significant(what)}
    assert routine == set(EVERYDAY) == {h.SignedIn, h.SignedOut, h.SessionExpired, h.SeatCodeMade, h.SeatCodeUsed}


def test_times_are_in_utc() -> None:
    """A time is shown to the second, in UTC."""
    assert clock_words(1_800_000_000_999_999) == "2027-01-15 08:00:00"
