"""What all tests share: marks, the order of tests, and the index of clauses with the tests that hold them.

`pytest --collect-only --clause-index FILE` writes the index (`make clauses`): for each clause the tests marked with it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import ROOT, marks, postgres

# No deadline for an example: other tests share the machine.
settings.register_profile("house", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the option that writes the index."""
    parser.addoption("--clause-index", metavar="FILE", help="write which tests hold which clause, as JSON")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marks that follow from where a test stands, before `-m` selects, and put fast tests first."""
    for item in items:
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        for name in marks.implied(item.path.relative_to(ROOT / "tests"), params):
            item.add_marker(name)
    items.sort(key=lambda item: marks.rank([mark.name for mark in item.iter_markers()]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Allow a PostgreSQL server only to tests that are marked with it."""
    postgres.refused_to = "" if item.get_closest_marker("postgres") else item.nodeid


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that have become slow, so that `make quick` stays quick."""
    passed: list[pytest.TestReport] = terminalreporter.getreports("passed")
    for report in passed:
        if report.when == "call" and report.duration > marks.SLOW_S and not {"slow", "browser"} & set(report.keywords):
            terminalreporter.write_line(f"{report.nodeid} took {report.duration:.1f} s: make it faster or mark it slow")


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
