"""Nodes of two versions on one journal, and a node that freezes in the middle of a transaction."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import pytest

from taisai.journal import Batch, OutcomeUnknown, UnknownFormat, open_journal
from taisai.journal.migrations import Migration, shipped
from taisai.journal.postgres.append import LOCK_TAIL
from taisai.journal.postgres.journal import PostgresJournal
from taisai.journal.postgres.link import IDLE_S
from taisai.journal.postgres.schema import PACKAGE
from tests.journal.samples import several
from tests.postgres import Server, journal_url

pytestmark = pytest.mark.postgres

NEWER = (*shipped(PACKAGE), Migration(99, "tips", "CREATE TABLE tip (amount bigint)"))


def _lose_connections(server: Server) -> None:
    server.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'")


def _take_lease(node: PostgresJournal) -> None:
    """Take a lease; once more if the connection was cut and the outcome is unknown, which does no harm."""
    try:
        node.leases.take(["T1"], "older", 60)
    except OutcomeUnknown:
        node.leases.take(["T1"], "older", 60)


def test_a_running_node_goes_on_when_a_newer_one_has_added_to_the_journal(tmp_path: Path) -> None:
    """The older node continues, also after a lost connection; once stopped, it cannot start again."""
    server = Server()
    try:
        url = server.journal_url(tmp_path)
        with PostgresJournal(url) as older:
            older.append([Batch("T1", 0, several(0, 1))])
            with PostgresJournal(url, migrations=NEWER) as newer:
                newer.append([Batch("T1", 1, several(1, 1))])
                older.append([Batch("T1", 2, several(2, 1))])
                _lose_connections(server)
                _take_lease(older)
                older.leases.append([Batch("T1", 3, several(3, 1))], {"T1": 1})
                assert [record.seq for record in older.read("T1")] == [1, 2, 3, 4]
            with pytest.raises(
                UnknownFormat, match="made by a newer taisai: its schema has version 4, and this one knows up to 3"
            ):
                open_journal(url)
            with open_journal(url, again=True) as reopened:
                assert reopened.head("T1").seq == 4
    finally:
        server.stop("end")


def test_a_running_node_stops_when_its_schema_was_changed(tmp_path: Path) -> None:
    """What the node knows must be unchanged: only additions are accepted."""
    altered = (shipped(PACKAGE)[0], Migration(2, "lease", "CREATE TABLE lease (nothing bigint)"))
    with (
        PostgresJournal(journal_url(tmp_path), migrations=altered),
        pytest.raises(UnknownFormat, match=r"migration 2 \(lease\) is not the one that this taisai has"),
    ):
        open_journal(journal_url(tmp_path), again=True)


def test_a_frozen_node_does_not_hold_up_the_others(tmp_path: Path) -> None:
    """The server aborts a transaction whose client is silent, and releases its locks."""

    async def freeze(connection: asyncpg.Connection) -> None:
        transaction = connection.transaction()
        await transaction.start()
        await connection.fetchval(LOCK_TAIL)
        held.set()
        await asyncio.sleep(3 * IDLE_S)

    with PostgresJournal(journal_url(tmp_path)) as frozen, PostgresJournal(journal_url(tmp_path)) as other:
        held = asyncio.Event()
        freezing = frozen._link.spawn(frozen._link._write(freeze))
        while not held.is_set() and not freezing.done():
            other.position()
        other.append([Batch("T1", 0, several(0, 1))])
        assert other.head("T1").seq == 1
        assert not freezing.done()
        freezing.cancel()
