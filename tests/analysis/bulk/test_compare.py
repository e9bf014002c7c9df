"""What was paid against what was due: row by row, or by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped] # has no types of its own

from taisai.analysis.bulk.compare import FIRST, Difference
from tests.analysis.bulk.samples import BETS, DUE, KEYS, C


def test_what_was_paid_rightly_does_not_differ(again: Callable[..., Any]) -> None:
    """The same amounts in the same order agree, with keys and without, however the files are cut."""
    for paid in ({"returned": DUE}, {**KEYS, "returned": DUE}):
        for batch in (1, 4, 1000):
            found = again(paid=paid, batch=batch).comparison
            assert (found.by_key, found.compared, found.different, found.first) == (False, 6, 0, ())


def test_differences_are_told_row_by_row(again: Callable[..., Any]) -> None:
    """A bet paid too much and one paid too little are told with what was due."""
    wrong = [*DUE]
    wrong[1] += 25
    wrong[3] -= 5
    for paid in ({"returned": wrong}, {**KEYS, "returned": wrong}):
        found = again(paid=paid, batch=4).comparison
        assert (found.different, found.underpaid, found.overpaid) == (2, 5, 25)
        assert found.first == (
            Difference(1, C, 1, "bob", "small", DUE[1], wrong[1]),
            Difference(3, C, 3, "ann", "small", DUE[3], wrong[3]),
        )


def test_only_the_first_differences_are_listed(again: Callable[..., Any]) -> None:
    """However many differ, all are counted and a few listed, also over several batches."""
    count = 40
    bets = {name: [values[0]] * count for name, values in BETS.items()}
    found = again(bets, paid={"returned": [0] * count}, batch=7).comparison
    assert (found.different, [each.row for each in found.first]) == (count, list(range(FIRST)))


def test_another_order_is_matched_by_key(again: Callable[..., Any]) -> None:
    """Turned round, the same payments agree; two bets of a player in one box count together."""
    turned = {name: values[::-1] for name, values in {**KEYS, "returned": DUE}.items()}
    found = again(paid=turned).comparison
    assert (found.by_key, found.compared, found.different) == (True, 5, 0)


def test_bets_that_one_side_lacks_are_differences(again: Callable[..., Any]) -> None:
    """A bet never paid, one paid without being made, and one paid wrongly are told, in order of their keys."""
    keyed = pa.table({**KEYS, "returned": DUE}).slice(1).to_pylist()
    keyed[0]["returned"] += 7
    keyed.append({"layout": C, "round": 2, "player": "eve", "box": "big", "returned": 9})
    found = again(paid=pa.Table.from_pylist(keyed)).comparison
    assert (found.by_key, found.compared, found.different) == (True, 6, 3)
    assert (found.underpaid, found.overpaid) == (DUE[0], 16)
    assert found.first == (
        Difference(None, C, 1, "ann", "triple:1", DUE[0], None),
        Difference(None, C, 1, "bob", "small", DUE[1], DUE[1] + 7),
        Difference(None, C, 2, "eve", "big", None, 9),
    )


def test_no_payments_at_all_are_all_missing(again: Callable[..., Any]) -> None:
    """An empty paid file with keys leaves every key unpaid."""
    found = again(paid=pa.table({**KEYS, "returned": DUE}).slice(0, 0)).comparison
    assert (found.compared, found.different, found.underpaid) == (5, 5, sum(DUE))
