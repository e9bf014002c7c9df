"""What tests do behind a journal's back: cut connections, lock its end, expire leases, tamper."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal.postgres.journal import PostgresJournal
from tests.postgres import journal_url, schema_of, server

WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'taisai' AND wait_event_type = 'Lock'"
    " AND query LIKE '%tail%' AND pid <> pg_backend_pid()"
)
LONG_S = 30
"""How long a test waits for what must happen."""


@contextmanager
def tail_held(folder: Path) -> Iterator[None]:
    """Another session locks the end of the journal, and every append waits."""
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
    """Cut the connection that waits for the end of the journal, as soon as there is one."""
    while not (waiting := server().fetch(WAITING)):
        pass
    for (pid,) in waiting:
        server().fetch("SELECT pg_terminate_backend($1)", pid)


def cut_all() -> None:
    """Cut all connections of journals."""
    server().fetch("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'taisai'")


def take(journal: PostgresJournal, table: str, holder: str) -> int | None:
    """Take one lease: its fencing number, or None while another holder has it."""
    return journal.leases.take([table], holder, 60).get(table)


def run_out(folder: Path, table: str = "T1") -> None:
    """Make a lease expire."""
    server().execute(
        f"UPDATE {schema_of(folder)}.lease SET until = now() - interval '1 s' WHERE table_name = '{table}'"
    )


def tampered(folder: Path, *statements: str) -> None:
    """Change a journal behind its back, without the triggers, as the owner of the server can."""
    server().execute(
        f"SET search_path = {schema_of(folder)}; SET session_replication_role = replica; {'; '.join(statements)}"
    )
