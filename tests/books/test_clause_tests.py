"""The index of the tests that hold each clause."""

from __future__ import annotations

from taisai.books.clause_tests import tests_holding as held_by


def test_a_clause_knows_the_tests_that_hold_it() -> None:
    """The index of tests gives the tests of a clause, and none for a book from outside."""
    assert all("test" in name for name in held_by("rws-tai-sai-v6", "2.1.1"))
    assert held_by("harbour-sic-bo", "4.1") == ()
