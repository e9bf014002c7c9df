"""The test report of a source of dice, as GLI-19 lists it.

Enters: what was tested and how it came out. Leaves: a paper with every test, its chance, the bound it is held against,
and in words how many tests share one level.
"""

from __future__ import annotations

from taisai.analysis.dice.battery import ERROR, Battery, BatteryTest
from taisai.analysis.papers.paper import Paper, Sheet

RULE = (
    "How several tests share one level: each test gives the chance that a fair source comes out at least as far from "
    "what is expected. Of n tests a fair source fails at least one with a chance of at most {error:g} % when each is "
    "held against {error:g} % divided by n (Bonferroni), whether or not the tests hang together. The two parts, raw "
    "output and scaled dice, have that level each. The numbers of bytes and rolls were chosen before the test; a test "
    "that is repeated until it passes, or stopped when it fails, has another level."
)


def paper_of(title: str, facts: tuple[tuple[str, str], ...], parts: tuple[tuple[str, Battery], ...]) -> Paper:
    """The report of these parts, raw output and scaled dice."""
    return Paper(
        title,
        (*facts, ("result", verdict([battery for _, battery in parts]))),
        tuple(_sheet(name, battery) for name, battery in parts),
        (RULE.format(error=ERROR * 100),),
        ("Test laboratory", "Operator"),
    )


def verdict(batteries: list[Battery]) -> str:
    """In words whether all parts pass."""
    if any(battery.passed is False for battery in batteries):
        return "FAILED: " + ", ".join(
            test.title for battery in batteries for test in battery.tests if battery.failed(test)
        )
    if any(battery.passed is None for battery in batteries):
        return "not judged: too little was tested"
    return "passed at 99 %"


def _sheet(name: str, battery: Battery) -> Sheet:
    made = sum(test.chance is not None for test in battery.tests)
    return Sheet(
        name,
        ("test", "statistic", "degrees of freedom", "chance", "result"),
        tuple(_row(battery, test) for test in battery.tests),
        f"{made} tests were made; each fails below a chance of {battery.bound:.3g}.",
    )


def _row(battery: Battery, test: BatteryTest) -> tuple[str, ...]:
    if test.chance is None or test.statistic is None:
        return test.title, "", "", "", f"needs {test.rounds_min:,}"
    freedom = "" if test.freedom is None else f"{test.freedom:,}"
    return (
        test.title,
        f"{test.statistic:,.3f}",
        freedom,
        f"{test.chance:.3g}",
        "FAILED" if battery.failed(test) else "passed",
    )
