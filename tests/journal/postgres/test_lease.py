"""Leases on PostgreSQL: connections, many writers at once, and what an appender caches under a lease."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from taisai.journal import Batch, LeaseLost, OutcomeUnknown
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.postgres.meddling import run_out, take
from tests.journal.samples import new
from tests.postgres import journal_url, server

pytestmark = pytest.mark.postgres


def test_a_holder_that_is_gone_is_not_connected(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """A holder counts as connected while it has a connection, old or new; its leases can then be expired early."""
    one, two = nodes
    with PostgresJournal(journal_url(tmp_path)) as third:
        third.leases.take(["T1", "T2"], "third", 60)
        take(one, "T3", "one")
        assert [each.is_connected for each in two.leases.current().values()] == [False, False, False]
        third.leases.announce("third")
        one.leases.announce("one")
        assert [each.is_connected for each in two.leases.current().values()] == [True, True, True]
        before = third.leases.connections
        server().execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'"
        )
        with suppress(OutcomeUnknown):
            third.leases.renew("third", 60)
        third.leases.renew("third", 60)
        assert third.leases.connections > before
        assert [each.is_connected for each in two.leases.current().values()] == [True, True, False]
    while any(each.is_connected for each in two.leases.current().values()):
        pass  # the server takes a moment to notice
    two.leases.expire("third", 30)
    assert all(each.seconds_left > 50 for each in two.leases.current().values())
    two.leases.expire("third", 90)
    assert [each.seconds_left > 0 for each in two.leases.current().values()] == [False, False, True]
    assert two.leases.take(["T1", "T2", "T3"], "two", 60) == {"T1": 2, "T2": 2}


def test_many_want_one_lease(tmp_path: Path) -> None:
    """Of several nodes that ask at the same moment, one gets the lease."""
    with PostgresJournal(journal_url(tmp_path)):
        pass
    together = threading.Barrier(4)

    def ask(number: int) -> int | None:
        with PostgresJournal(journal_url(tmp_path)) as journal:
            together.wait(30)
            return take(journal, "T1", f"node {number}")

    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(str, pool.map(ask, range(4)))) == ["1", "None", "None", "None"]


def test_a_lease_moves_under_load(nodes: tuple[PostgresJournal, PostgresJournal], tmp_path: Path) -> None:
    """While a lease moves to and fro under load, only its holder's records are written, in order."""
    holder = threading.Lock()
    written: list[tuple[int, int]] = []

    def write(journal: PostgresJournal, name: str) -> None:
        for _ in range(8):
            fence: int | None = None
            while fence is None:
                fence = take(journal, "T1", name)
            for number in range(6):
                seq = journal.head("T1").seq
                try:
                    journal.leases.append([Batch("T1", seq, [new(f"{fence}-{number}")])], {"T1": fence})
                except LeaseLost:
                    break
                with holder:
                    written.append((fence, seq + 1))
                if number == 3:
                    run_out(tmp_path)
            journal.leases.release("T1", name)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(write, journal, name) for journal, name in zip(nodes, ("one", "two"), strict=True)]
        for each in both:
            each.result(60)
    records = list(nodes[0].read("T1"))
    assert sorted(seq for _, seq in written) == [record.seq for record in records]
    fences = [int(record.command_id.partition("-")[0]) for record in records]
    assert fences == sorted(fences)
    assert list(verify(nodes[0])) == []
