"""The pays that are joined, and rules that no book at hand has."""

from __future__ import annotations

from taisai.books.shelf import Shelf
from taisai.history.engines import Engine
from taisai.history.folder import Export
from taisai.history.resettled import resettle_history
from tests.history.dealt import content


def test_bets_under_unknown_rules_are_not_settled(export: Export, engine: Engine) -> None:
    """Without the books nothing can be settled, and that is said of each rule instead of passing for right."""
    found = resettle_history(export, Shelf({}), engine)
    assert (found.total.known, found.total.different, found.is_right) == (0, 0, False)
    assert found.missing == tuple(export.rules)
    assert found.first[0].due is None
    assert found.first[0].position == content(export)["bets"][0]["position"]
