"""The test report of a source: every test, the verdict, and the rule in words."""

from __future__ import annotations

from taisai.analysis.dice.battery import Battery, BatteryTest
from taisai.analysis.papers.randomness import paper_of, verdict

GOOD = BatteryTest("one", "a test", 1.5, 3, 0.4, 10)
BAD = BatteryTest("two", "another", 99.0, None, 1e-9, 10)
NONE = BatteryTest("three", "a third", None, None, None, 5000)


def test_report_says_it_in_words() -> None:
    """Each test has its row; what was not made says what it needs; what failed is named above."""
    battery = Battery(100, (GOOD, BAD, NONE), 0.005, passed=False)
    paper = paper_of("Report", (("source", "x"),), (("Raw output", battery),))
    assert dict(paper.facts)["result"] == "FAILED: another"
    assert [row[-1] for row in paper.sheets[0].rows] == ["passed", "FAILED", "needs 5,000"]
    assert "2 tests were made" in paper.sheets[0].note
    assert "Bonferroni" in paper.notes[0]


def test_verdicts() -> None:
    """All parts must pass, and a part that could not be judged is said."""
    good, none = Battery(9, (GOOD,), 0.01, passed=True), Battery(9, (NONE,), 0.01, passed=None)
    assert verdict([good, good]) == "passed at 99 %"
    assert verdict([good, none]).startswith("not judged")
