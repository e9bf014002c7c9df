"""Every clause that the table owes is held by a test here, and every mark names a clause."""

from __future__ import annotations

from pathlib import Path

from tests.table.clauses import marked, owed, unknown, unmarked


def test_every_clause_of_the_table_is_held() -> None:
    """No clause with duty rule or record in the table's room is without a marked test."""
    assert unmarked("table") == []
    assert sum(each.room == "table" for each in owed().values()) > 60


def test_every_mark_names_a_clause() -> None:
    """A slip in a mark is found out."""
    assert unknown() == []


def test_marks_are_read_from_literals_and_from_names(tmp_path: Path) -> None:
    """The reader can fail: a file without marks gives none, one with them gives each."""
    (tmp_path / "test_a.py").write_text('NAMES = ("b §2", "b §3")\n@pytest.mark.clause("b §1", *NAMES)\ndef f(): ...\n')
    (tmp_path / "test_b.py").write_text("def f(): ...\n")
    assert marked(tmp_path) == {"b §1", "b §2", "b §3"}
