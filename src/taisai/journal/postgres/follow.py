"""Notices of commits to a journal on PostgreSQL.

Enters: the link to the server, and a callback. Leaves: calls of it with the last position: at once, after every commit,
and after a lost connection has been made again. The callback's owner reads on from where it was; a notice may come
twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from taisai.journal.postgres.link import Link

RETRY_S: Final = 0.5
"""Seconds between two attempts to reach a server that is gone."""


class Follower:
    """Listens for commits until it is stopped."""

    def __init__(
        self, link: Link, schema: str, on_commit: Callable[[int], None], own: Callable[[], int] | None = None
    ) -> None:
        """`own` gives the server process whose commits are left out: the listener's own writer."""
        self._link = link
        self._schema = schema
        self._on_commit = on_commit
        self._own = own
        link.run(self._try_connection())
        self._task = link.spawn(self._follow())

    def stop(self) -> None:
        """Make no more calls. May be called twice."""
        self._task.cancel()

    async def _try_connection(self) -> None:
        """Raise at once when the server cannot be reached, instead of retrying silently."""
        await (await self._link.connect(read_only=True)).close()

    async def _follow(self) -> None:
        while True:
            with suppress(Exception):  # a server can end a connection in many ways; each is followed by a retry
                connection = await self._link.connect(read_only=True)
                try:
                    await self._listen(connection)
                finally:
                    connection.terminate()
            await asyncio.sleep(RETRY_S)

    async def _listen(self, connection: Any) -> None:
        gone = asyncio.Event()
        connection.add_termination_listener(lambda _connection: gone.set())
        await connection.add_listener(self._schema, self._on_notice)
        self._on_commit(await connection.fetchval("SELECT position FROM tail"))
        await gone.wait()

    def _on_notice(self, _connection: Any, pid: int, _channel: str, payload: str) -> None:
        if self._own is None or pid != self._own():
            self._on_commit(int(payload))
