"""The picture of a report."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from taisai.audit.pictures import SPANS_MAX, win_chart
from taisai.audit.reports import ReportRow


def test_bars_stand_on_zero_and_spans_are_added_up() -> None:
    """Tables of one span share a bar; a loss hangs below zero; the expectation is beside it."""
    rows = [
        ReportRow("2026-03-01", "T1", staked=1000, expected_216=216 * 900, win=300),
        ReportRow("2026-03-01", "T2", staked=1000, expected_216=216 * 900, win=-100),
        ReportRow("2026-03-02", "T<1>", win=-500),
    ]
    root = ET.fromstring(win_chart(rows))
    titles = [element.text for element in root.iter("title")]
    assert titles == ["2026-03-01: won 200, expected 200", "2026-03-02: won -500, expected 0"]
    bars = [group.find("rect") for group in root.iter("g")]
    assert bars[0] is not None
    assert bars[1] is not None
    zero = float(bars[0].attrib["y"]) + float(bars[0].attrib["height"])
    assert float(bars[1].attrib["y"]) == zero
    assert win_chart([]) == ""


def test_only_the_last_spans_are_drawn() -> None:
    """A long report shows its end."""
    rows = [ReportRow(f"{1900 + year}", "T1", win=year) for year in range(60)]
    root = ET.fromstring(win_chart(rows))
    assert len([*root.iter("title")]) == SPANS_MAX
    assert next(root.iter("title")).text == "1920: won 20, expected 0"
