"""Bets, as the audit looks at them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from taisai.books import Shelf
from taisai.table import events as e
from tests.audit.forged import altered, dealt, found_in


def test_bets_fixed_twice_do_not_hide_one_that_was_left_out(shelf: Shelf) -> None:
    """As many bets as lay on the felt, each with a right stake, and one of them there twice."""

    def twice(what: Any) -> Any:
        return replace(what, bets=(*what.bets[:-1], what.bets[0]))

    events = altered(dealt(shelf, "nz-division-9/1", 200), e.BetsClosed, twice)
    assert "bets-differ" in [finding.code for finding in found_in(shelf, events)]
