"""docs/mathematics.md shows what the program does."""

from __future__ import annotations

import doctest
import re
from fractions import Fraction
from pathlib import Path

from taisai.analysis.risk.shift import shift_result
from taisai.analysis.risk.traffic import GROUP_KEYS, TABLE_KEYS, Traffic, read_traffic, rules_of
from taisai.books import open_shelf
from tests import ROOT

PAGE = ROOT / "docs" / "mathematics.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_library_example_runs() -> None:
    """The Python lines of the page give what they show."""
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_traffic_file_is_read_and_computed(tmp_path: Path) -> None:
    """The traffic file of the page can be read, and a shift of it computed."""
    shelf = open_shelf(environment={})
    layout = shelf.layout("rws-tai-sai-v6/C")
    found = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    (tmp_path / "evening.toml").write_text(found[1], encoding="utf-8")
    traffic = read_traffic(layout, tmp_path / "evening.toml")
    assert isinstance(traffic, Traffic)
    assert [group.attendance for group in traffic.groups] == [Fraction(3, 4), 1]
    rules = rules_of(shelf.book("rws-tai-sai-v6"), traffic.limits, traffic.excess)
    result = shift_result(layout, rules, traffic, Fraction(1))
    assert 0 < float(result.hold) < 0.1
    assert result.drop is None


def test_every_key_is_described() -> None:
    """Each key of a traffic file and of a group of players is named on the page."""
    for key in {*TABLE_KEYS, *GROUP_KEYS}:
        assert re.search(rf"\b{key}\b", TEXT), key
