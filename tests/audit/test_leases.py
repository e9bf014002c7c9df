"""By which lease each record was written: what the audit says of it, and what it finds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from taisai.audit.leases import STEP, LeaseCheck, node_of
from taisai.audit.run import Audit
from taisai.journal import Batch, Journal, MemoryJournal
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.record import Written
from tests.journal.postgres.meddling import tampered
from tests.journal.samples import several
from tests.postgres import journal_url

HOLDER = "http://10.0.0.5:8000#ab12"


def run_of(first: int, last: int, fence: int | None, *, table: str = "T1", holder: str | None = HOLDER) -> Written:
    """Records under one lease."""
    return Written(table, first, last, fence, holder if fence else None, 0 if fence else None)


def journal_of(*steps: list[Written]) -> Journal:
    """A journal whose leases are these, step by step."""
    left = iter(steps)
    return cast(Journal, SimpleNamespace(leases=SimpleNamespace(written=lambda _after, _upto: next(left))))


def found(*steps: list[Written]) -> list[tuple[str, str | None, int | None]]:
    """What a check of these steps finds."""
    check = LeaseCheck()
    return [(each.code, each.table, each.seq) for each in check.findings(journal_of(*steps), len(steps) * STEP)]


def test_leases_that_follow_one_another_are_as_they_should_be() -> None:
    """Later leases follow earlier ones; between two of them a lone node may have written under none."""
    assert found([run_of(1, 4, 0), run_of(5, 9, 1), run_of(10, 12, 3)], [run_of(13, 20, 3), run_of(21, 21, 0)]) == []


@pytest.mark.parametrize(
    ("steps", "code", "seq"),
    [
        ([[run_of(1, 4, 2), run_of(5, 6, 3), run_of(7, 7, 2)]], "lease-order", 7),
        ([[run_of(1, 4, 3)], [run_of(5, 6, 2)]], "lease-order", 5),
        ([[run_of(1, 4, 2), run_of(5, 6, 0), run_of(7, 7, 2)]], "lease-missing", 5),
        ([[run_of(1, 4, 2)], [run_of(5, 6, 0)], [run_of(7, 7, 2)]], "lease-missing", 5),
        ([[run_of(1, 4, 2, holder=None)]], "lease-unknown", 1),
    ],
)
def test_leases_that_cannot_be_are_findings(steps: list[list[Written]], code: str, seq: int) -> None:
    """A lease that had passed, none while the table was held, and one that nobody had are found, over any step."""
    assert found(*steps) == [(code, "T1", seq)]


def test_tables_do_not_mix() -> None:
    """Each table has leases of its own."""
    assert found([run_of(1, 4, 5), run_of(1, 2, 1, table="T2")], [run_of(5, 5, 5), run_of(3, 3, 2, table="T2")]) == []


def test_stretches_are_put_together() -> None:
    """What one lease wrote is one line, however often it was asked for; records that note no lease are counted."""
    check = LeaseCheck()
    steps = [run_of(1, 3, None), run_of(4, 5, 1)], [run_of(6, 8, 1), run_of(9, 9, 2)]
    assert list(check.findings(journal_of(*steps), 2 * STEP)) == []
    assert [(each.first, each.last, each.fence) for each in check.stretches] == [(1, 3, None), (4, 8, 1), (9, 9, 2)]
    assert check.not_noted == 3
    assert node_of(check.stretches[1]) == "http://10.0.0.5:8000"


def test_a_journal_without_leases_has_none() -> None:
    """In memory or in a file one process writes: there is nothing to say."""
    with MemoryJournal() as journal:
        journal.append([Batch("T1", 0, several(0, 3))])
        assert list(LeaseCheck().findings(journal, 3)) == []


@pytest.mark.postgres
def test_the_audit_finds_a_record_of_a_lease_that_had_passed(tmp_path: Path) -> None:
    """The audit of a shared journal names the lease of every record, and finds one that somebody else held by then."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        for number, holder in enumerate(("one#1", "two#2", "one#1"), start=1):
            assert journal.leases.take(["T1"], holder, 60) == {"T1": number}
            journal.leases.append([Batch("T1", 2 * number - 2, several(2 * number - 2, 2))], {"T1": number})
            journal.leases.release("T1", holder)
        assert leases_and_codes(journal) == ([(1, 2, "one"), (3, 4, "two"), (5, 6, "one")], set())
    tampered(tmp_path, "UPDATE record SET fence = 1 WHERE seq = 6", "UPDATE record SET fence = NULL WHERE seq = 1")
    with PostgresJournal(journal_url(tmp_path), read_only=True) as journal:
        lines, codes = leases_and_codes(journal)
    assert lines == [(1, 1, "nobody"), (2, 2, "one"), (3, 4, "two"), (5, 5, "one"), (6, 6, "one")]
    assert codes == {"lease-order"}


def leases_and_codes(journal: Journal) -> tuple[list[tuple[int, int, str]], set[str]]:
    """What an audit says of the leases, and what it finds of them."""
    audit = Audit(cast(Any, lambda _book: None))
    codes = {finding.code for finding in audit.findings(journal) if finding.code.startswith("lease")}
    return [(each.first, each.last, node_of(each)) for each in audit.leases], codes
