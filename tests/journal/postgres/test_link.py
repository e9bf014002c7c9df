"""A journal on PostgreSQL when connections are cut, servers fall over, and several processes write at once."""

from __future__ import annotations

import asyncio
import gc
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import pytest

from taisai.journal import (
    Batch,
    DuplicateCommand,
    JournalClosed,
    JournalError,
    JournalFailed,
    JournalUnreachable,
    OutcomeUnknown,
    SequenceConflict,
)
from taisai.journal.postgres.append import Appender
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.verify import verify
from tests import ROOT
from tests.journal.appender import append_all
from tests.journal.samples import NOON, new, several
from tests.postgres import Server, journal_url, schema_of, server

pytestmark = pytest.mark.postgres

WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'taisai' AND wait_event_type = 'Lock'"
    " AND query LIKE '%tail%' AND pid <> pg_backend_pid()"
)
LONG_S = 30
"""How long a test waits for what must happen."""


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server for one test, which may stop it."""
    started = Server()
    try:
        yield started
    finally:
        started.stop("end")


@contextmanager
def tail_held(folder: Path) -> Iterator[None]:
    """Somebody else holds the end of a journal, and everybody who appends waits."""
    ready, enough = threading.Event(), threading.Event()

    async def hold() -> None:
        connection = await asyncpg.connect(journal_url(folder).partition("&schema=")[0])
        try:
            async with connection.transaction():
                await connection.execute(f"SELECT * FROM {schema_of(folder)}.tail FOR UPDATE")
                ready.set()
                await asyncio.to_thread(enough.wait, LONG_S)
        finally:
            await connection.close()

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(asyncio.run, hold())
        assert ready.wait(LONG_S)
        try:
            yield
        finally:
            enough.set()
            holding.result()


def cut_the_waiting() -> None:
    """Cut the connection of the one who waits for the end of the journal, as soon as there is one."""
    while not (waiting := server().fetch(WAITING)):
        pass
    for (pid,) in waiting:
        server().fetch("SELECT pg_terminate_backend($1)", pid)


def cut_all() -> None:
    """Cut all connections of journals."""
    server().fetch("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'")


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


def test_an_append_whose_answer_is_lost_is_not_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When records were written and only the answer is lost, repeating them is refused, whichever way it is done."""
    write = Appender._write

    async def lost(self: Appender, connection: Any, *more: Any) -> bool:
        assert await write(self, connection, *more)
        raise ConnectionResetError

    with PostgresJournal(journal_url(tmp_path)) as journal:
        journal.append([Batch("a", 0, several(0, 3))])
        with monkeypatch.context() as patch:
            patch.setattr(Appender, "_write", lost)
            with pytest.raises(OutcomeUnknown, match="it is not known whether"):
                journal.append([Batch("a", 3, several(3, 2))])
        with pytest.raises(SequenceConflict):
            journal.append([Batch("a", 3, several(3, 2))])
        with pytest.raises(DuplicateCommand):
            journal.append([Batch("a", 5, several(3, 2))])
        assert journal.position() == 5
        assert list(verify(journal)) == []


def test_connections_cut_while_nothing_happens(tmp_path: Path) -> None:
    """Connections that are cut between two calls are made anew: for reading unseen, for writing at the second try."""
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
    """Append one command once, as whoever is in doubt does it: look whether it is there, or repeat it."""
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
    """Two tables are dealt while the server falls over twice: no command is lost, and none is doubled."""
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
    """While the server is down everything is refused in words, and afterwards everything goes on; closing works too."""
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
    """What takes too long is broken off by the server; a server that does not do that is given up, and told to stop."""
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


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    """Three processes that append to one journal leave no gap and no fork, and nobody's commit is lost."""
    url, count = journal_url(tmp_path), 60
    with PostgresJournal(url) as journal:
        others = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.journal.appender", url, name, str(count)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for name in ("one", "two")
        ]
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == "ready\n"
        for other in others:
            assert other.stdin is not None
            other.stdin.write("go\n")
            other.stdin.flush()
        append_all(journal, "three", count)
        for other in others:
            assert other.communicate(timeout=LONG_S)[0] == "done\n"
        assert journal.position() == 3 * 3 * count
        assert [one.position for one in journal.read_all()] == list(range(1, 9 * count + 1))
        shared = {one.command_id for one in journal.read("shared")}
        assert shared == {f"{name}-{number}" for name in ("one", "two", "three") for number in range(count)}
        assert list(verify(journal)) == []


def test_two_writers_take_turns(tmp_path: Path) -> None:
    """What another writer has appended, signed or kept is known when it is this one's turn."""
    with PostgresJournal(journal_url(tmp_path)) as one, PostgresJournal(journal_url(tmp_path)) as two:
        for step in range(0, 12, 2):
            assert one.append([Batch("a", step, [new(step)]), Batch("b", step, [new(step)])])["a"].seq == step + 1
            two.append([Batch("a", step + 1, [new(step + 1)]), Batch("b", step + 1, [new(step + 1)])])
            (one if step % 4 else two).sign_checkpoint(NOON + step)
            one.put("turn", b"%d" % step)
            assert two.entries() == {"turn": b"%d" % step}
        with pytest.raises(SequenceConflict, match="is at record 12, not at 11"):
            one.append([Batch("a", 11, [new("late")])])
        with pytest.raises(DuplicateCommand):
            one.append([Batch("a", 12, [new(11)])])
        assert one.append([Batch("a", 12, [])])["a"] == two.head("a")
        assert list(verify(one)) == []


def test_commits_are_heard_of(tmp_path: Path) -> None:
    """Who listens to the channel of the schema hears the last position, once for every commit."""
    heard: queue.Queue[str] = queue.Queue()

    async def listen(journal: PostgresJournal) -> None:
        connection = await asyncpg.connect(journal_url(tmp_path).partition("&schema=")[0])
        await connection.add_listener(schema_of(tmp_path), lambda _c, _p, _n, payload: heard.put(payload))
        for step in range(0, 9, 3):
            await asyncio.to_thread(journal.append, [Batch("a", step, several(step, 3))])
        with pytest.raises(SequenceConflict):
            await asyncio.to_thread(journal.append, [Batch("a", 1, [new("x")])])
        await connection.execute("SELECT 1")
        await connection.close()

    with PostgresJournal(journal_url(tmp_path)) as journal:
        asyncio.run(listen(journal))
    assert [heard.get_nowait() for _ in range(heard.qsize())] == ["3", "6", "9"]


def test_a_follower_is_told(tmp_path: Path) -> None:
    """A follower is told the journal's position, then every commit, and again after its connection was cut."""
    heard: queue.Queue[int] = queue.Queue()
    with PostgresJournal(journal_url(tmp_path)) as journal, PostgresJournal(journal_url(tmp_path)) as other:
        journal.append([Batch("a", 0, [new()])])
        following = other.leases.follow(heard.put)
        assert heard.get(timeout=LONG_S) == 1
        journal.append([Batch("b", 0, several(0, 2))])
        assert heard.get(timeout=LONG_S) == 3
        other.append([Batch("b", 2, [new("c")])])
        assert heard.get(timeout=LONG_S) == 4
        cut_all()
        assert heard.get(timeout=LONG_S) == 4
        following.stop()
        following.stop()


def test_a_node_is_not_told_what_it_wrote_itself(tmp_path: Path) -> None:
    """A follower that names its own writer is told only of others' commits; `news` ends where everything is known."""
    heard: queue.Queue[int] = queue.Queue()
    with PostgresJournal(journal_url(tmp_path)) as ours, PostgresJournal(journal_url(tmp_path)) as other:
        ours.append([Batch("a", 0, [new()])])
        other.leases.follow(heard.put, lambda: ours.leases.writer_id)
        gc.collect()  # who follows need not be held on to
        assert heard.get(timeout=LONG_S) == 1
        gc.collect()
        ours.append([Batch("a", 1, several(1, 2))])
        other.append([Batch("b\\", 0, [new("c")]), Batch("a", 3, [new("d")])])
        assert heard.get(timeout=LONG_S) == 5
        ours.append([Batch("a", 4, [new("e")])])
        records, reached = other.leases.news(0, 100, {"a"})
        assert ([each.table for each in records], reached) == (["b\\"], 6)
        records, reached = other.leases.news(0, 3, {"a", "b\\"})
        assert (records, reached) == ([], 3)
        records, reached = other.leases.news(3, 100, ())
        assert ([each.position for each in records], reached) == ([4, 5, 6], 6)
        assert records == list(ours.read_all(3))
        assert other.leases.news(6, 100, ()) == ([], 6)
    assert heard.empty()


def test_an_end_in_the_middle_of_everything(tmp_path: Path) -> None:
    """Who closes a journal that others use lets them finish or tells them that it is closed."""
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
