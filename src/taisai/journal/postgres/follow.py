"""Following a journal on PostgreSQL: word of every commit, whoever made it.

Enters: the way to the server, and somebody to be told. Leaves: the last position, at once, after every commit, and
after a connection that was lost has been made again. Who is told reads on from where he was; word may come twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from taisai.journal.postgres.link import Link

AGAIN_S: Final = 0.5
"""Seconds between two attempts to reach a server that is gone."""


class Follower:
    """Somebody who is told of commits, until he stops."""

    def __init__(
        self, link: Link, schema: str, told: Callable[[int], None], besides: Callable[[], int] | None = None
    ) -> None:
        """`besides` names the server's process whose commits are not told: the listener's own."""
        self._link = link
        self._schema = schema
        self._told = told
        self._besides = besides
        link.run(self._reachable())
        self._going = link.spawn(self._follow())

    def stop(self) -> None:
        """Be told nothing more. May be called twice."""
        self._going.cancel()

    async def _reachable(self) -> None:
        """Who cannot be told at all hears it at once, and not never."""
        await (await self._link.connect(read_only=True)).close()

    async def _follow(self) -> None:
        while True:
            with suppress(Exception):  # a server that ends says so in many ways, and it is tried again after each
                connection = await self._link.connect(read_only=True)
                try:
                    await self._listen(connection)
                finally:
                    connection.terminate()
            await asyncio.sleep(AGAIN_S)

    async def _listen(self, connection: Any) -> None:
        gone = asyncio.Event()
        connection.add_termination_listener(lambda _connection: gone.set())
        await connection.add_listener(self._schema, self._hear)
        self._told(await connection.fetchval("SELECT position FROM tail"))
        await gone.wait()

    def _hear(self, _connection: Any, pid: int, _channel: str, payload: str) -> None:
        if self._besides is None or pid != self._besides():
            self._told(int(payload))
