"""Events when something is wrong: what each declares."""

from __future__ import annotations

from typing import get_args

from taisai.table import events as e
from taisai.table.declared import Happened, Significance
from taisai.table.record import trouble

KINDS = [kind for kind in vars(trouble).values() if isinstance(kind, type) and issubclass(kind, Happened)]


def test_every_one_of_them_is_an_event() -> None:
    """What is defined there is in the union of all events, under the same name."""
    kinds = [kind for kind in KINDS if kind is not Happened]
    assert kinds
    assert all(getattr(e, kind.__name__) is kind and kind in get_args(e.EventBody) for kind in kinds)


def test_what_goes_wrong_is_significant() -> None:
    """Everything but a bet on the line is in the report of significant events (R30)."""
    plain = {kind.__name__ for kind in KINDS if kind.declared.significance is Significance.NONE}
    assert plain == {"Happened", "LineTouched"}
