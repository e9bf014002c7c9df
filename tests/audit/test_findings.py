"""A finding reads as one line: where, what, and which clauses."""

from __future__ import annotations

import pytest

from taisai.audit.findings import AuditFinding


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (AuditFinding("file-damaged", "it ends early."), "journal: file-damaged: it ends early."),
        (AuditFinding("no-dice", "opened without.", "T1", seq=3), "table T1, record 3: no-dice: opened without."),
        (AuditFinding("x", "y.", "T1", 0, 3), "table T1, record 3: x: y."),
        (
            AuditFinding("settled-wrong", "6 instead of 5.", "T1", 12, 340, ("4.1", "5.1.1")),
            "table T1, round 12, record 340: settled-wrong: 6 instead of 5. (§4.1, §5.1.1)",
        ),
    ],
)
def test_a_finding_is_one_line(finding: AuditFinding, line: str) -> None:
    """What is known of the place comes first, the clauses last; round 0 is before the first round."""
    assert str(finding) == line
