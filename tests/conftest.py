"""What all tests share: the index of clauses and the tests that hold them.

`pytest --collect-only --clause-index FILE` writes the index (`make clauses`): for each clause the tests marked with it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples take as long as they take: the machine may be busy with other tests.
settings.register_profile("house", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the option that writes the index."""
    parser.addoption("--clause-index", metavar="FILE", help="write which tests hold which clause, as JSON")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the index of everything collected, where it is asked for."""
    target = session.config.getoption("--clause-index")
    if target is None:
        return
    index: dict[str, set[str]] = {}
    for item in session.items:
        # A test with parameters is one test; its name is what somebody would look for.
        name = item.nodeid.partition("[")[0]
        for mark in item.iter_markers("clause"):
            for clause in mark.args:
                # An interpretation is cited without the paragraph sign; the index has one form for both.
                full = clause if "§" in clause else clause.replace(" ", " §", 1)
                index.setdefault(full, set()).add(name)
    ordered = {clause: sorted(names) for clause, names in sorted(index.items())}
    Path(target).write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
