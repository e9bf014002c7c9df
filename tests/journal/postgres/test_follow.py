"""Notices of commits: to everybody who listens, and not to a node about its own."""

from __future__ import annotations

import asyncio
import gc
import queue
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import pytest

from taisai.journal import (
    Batch,
    SequenceConflict,
)
from taisai.journal.postgres.journal import PostgresJournal
from tests.journal.postgres.meddling import LONG_S, cut_all
from tests.journal.samples import new, several
from tests.postgres import journal_url, schema_of

pytestmark = pytest.mark.postgres


def test_commits_are_notified(tmp_path: Path) -> None:
    """A session that listens to the schema's channel gets the last position, once for every commit."""
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


def test_a_follower_is_notified(tmp_path: Path) -> None:
    """A follower gets the journal's position, then every commit, and again after its connection was cut."""
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


def test_a_node_is_not_notified_of_its_own_commits(tmp_path: Path) -> None:
    """A follower that names its own writer gets only others' commits; `news` ends where nothing is missing."""
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
