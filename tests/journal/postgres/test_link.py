"""The link to PostgreSQL: connections that are cut, servers that crash, and closing."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from taisai.journal import (
    Batch,
    DuplicateCommand,
    JournalClosed,
    JournalError,
    JournalFailed,
    JournalUnreachable,
    OutcomeUnknown,
)
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests.journal.postgres.meddling import LONG_S, cut_all, cut_the_waiting, tail_held
from tests.journal.samples import new, several
from tests.postgres import Server, journal_url

pytestmark = pytest.mark.postgres


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server for one test, which may stop it."""
    started = Server()
    try:
        yield started
    finally:
        started.stop("end")


def test_a_connection_cut_in_the_middle_of_an_append(tmp_path: Path) -> None:
    """A connection cut during an append leaves its outcome unknown, and says so; the next append succeeds."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, several(0, 3))])
        with tail_held(tmp_path), ThreadPoolExecutor(1) as pool:
            appending = pool.submit(journal.append, [Batch("a", 3, several(3, 2))])
            cut_the_waiting()
            with pytest.raises(OutcomeUnknown, match=r"was lost: it is not known whether .* repeat it"):
                appending.result(LONG_S)
        assert journal.append([Batch("a", 3, several(3, 2))])["a"].seq == 5
        assert list(verify(journal)) == []


def test_connections_cut_while_nothing_happens(tmp_path: Path) -> None:
    """Connections cut between two calls are replaced: reads do not notice, a write succeeds at the second try."""
    with PostgresJournal(journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, several(0, 3))])
        for step in range(3, 9):
            cut_all()
            assert journal.position() == step
            append_for_certain(journal, "a", step)
        assert list(verify(journal)) == []


def append_for_certain(
    journal: PostgresJournal, table: str, number: int, server_is_up: threading.Event | None = None
) -> int:
    """Append one command once, also when an outcome is unknown: look whether it is there, or repeat it."""
    tries = 0
    while True:
        tries += 1
        try:
            if not journal.find_command(table, str(number)):
                journal.append([Batch(table, journal.head(table).seq, [new(number)])])
        except (JournalFailed, JournalUnreachable, DuplicateCommand):
            if server_is_up is not None:
                server_is_up.wait(LONG_S)
        else:
            return tries


def test_a_server_restarted_under_load(own_server: Server, tmp_path: Path) -> None:
    """Two tables are dealt while the server crashes twice: no command is lost, and none is recorded twice."""
    with PostgresJournal(own_server.journal_url(tmp_path)) as journal:
        enough, up = threading.Event(), threading.Event()
        some = threading.Semaphore(0)
        written: dict[str, int] = {"a": 0, "b": 0}
        tries: list[int] = []

        def deal(table: str) -> None:
            while not enough.is_set():
                tries.append(append_for_certain(journal, table, written[table], up))
                written[table] += 1
                if written[table] % 20 == 0:
                    some.release()

        up.set()
        with ThreadPoolExecutor(2) as pool:
            dealing = [pool.submit(deal, table) for table in written]
            for _ in range(2):
                assert some.acquire(timeout=LONG_S)
                up.clear()
                own_server.stop()
                own_server.start()
                up.set()
            assert some.acquire(timeout=LONG_S)
            enough.set()
            for each in dealing:
                each.result(LONG_S)
        assert max(tries) > 1
        for table, count in written.items():
            assert [one.command_id for one in journal.read(table)] == [str(number) for number in range(count)]
        assert list(verify(journal)) == []


def test_a_server_that_is_gone(own_server: Server, tmp_path: Path) -> None:
    """While the server is down every call is refused, and afterwards everything works again; closing works too."""
    heard: queue.Queue[int] = queue.Queue()
    with PostgresJournal(own_server.journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, [new()])])
        journal.leases.follow(heard.put)
        assert heard.get(timeout=LONG_S) == 1
        own_server.stop()
        for _ in range(2):
            for call in (
                lambda: journal.append([Batch("a", 1, [new("c2")])]),
                journal.position,
                lambda: list(journal.read("a")),
                lambda: journal.put("a", b""),
            ):
                with pytest.raises((JournalUnreachable, JournalFailed), match=r"cannot be reached|was lost"):
                    call()
        with pytest.raises(JournalUnreachable, match="cannot be reached"):
            journal.leases.follow(print)
        own_server.start()
        assert journal.append([Batch("a", 1, [new("c2")])])["a"].seq == 2
        while heard.get(timeout=LONG_S) != 2:
            pass
        assert list(verify(journal)) == []
        own_server.stop()
    with pytest.raises(JournalClosed):
        journal.position()


def test_a_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server cancels a statement that takes too long; a server that does not is given up."""
    with monkeypatch.context() as patch:
        patch.setattr("taisai.journal.postgres.link.STATEMENT_S", 0.2)
        with (
            PostgresJournal(journal_url(tmp_path)) as journal,
            tail_held(tmp_path),
            pytest.raises(JournalFailed, match=r"cancelled the statement: .*; nothing was written"),
        ):
            journal.append([Batch("a", 0, [new()])])
    with (
        PostgresJournal(journal_url(tmp_path), patience_s=0.2) as journal,
        tail_held(tmp_path),
        pytest.raises(JournalFailed, match="it is not known whether"),
    ):
        journal.append([Batch("a", 0, [new()])])
    with PostgresJournal(journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, [new()])])
        assert list(verify(journal)) == []


def test_closing_a_journal_in_use(tmp_path: Path) -> None:
    """Closing a journal in use lets running calls finish, and the others raise `JournalClosed`."""
    journal = PostgresJournal(journal_url(tmp_path))
    journal.append([Batch("a", 0, [new("first")])])
    refused: list[JournalError] = []
    begun = threading.Barrier(4)

    def use(table: str) -> None:
        begun.wait(LONG_S)
        try:
            for step in range(10_000):
                journal.append([Batch(table, step, [new(step)])])
        except JournalError as error:
            refused.append(error)

    threads = [threading.Thread(target=use, args=(f"t{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    begun.wait(LONG_S)
    journal.close()
    for thread in threads:
        thread.join(LONG_S)
    assert len(refused) == 3
    with PostgresJournal(journal_url(tmp_path)) as again:
        assert list(verify(again)) == []
