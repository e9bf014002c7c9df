"""The link to a PostgreSQL server, for callers without an event loop of their own.

Enters: an `Address`, and work as coroutines. Leaves: their results, in the calling thread. The event loop runs in a
thread of its own; one connection writes, a few read. The next caller replaces a connection that was lost.

Every commit waits until it is on the server's disk, whatever the server's own setting is.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, TypeVar

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal.contract import JournalClosed, JournalError, JournalFailed, JournalReadOnly, JournalUnreachable
from taisai.journal.postgres.address import Address
from taisai.journal.postgres.errors import cannot_open, is_lost, translated

READERS: Final = 4
"""How many connections may read at the same time."""
CONNECT_S: Final = 10.0
STATEMENT_S: Final = 30.0
"""How long a statement may take before the server cancels it: then it is certain that nothing was written."""
COMMAND_S: Final = 40.0
"""How long the server may be silent before the connection is given up."""
IDLE_S: Final = 2.0
"""How long the server keeps an idle transaction open. Everybody else waits for its locks, and a process that is frozen
or cut off in the middle of one would hold them until it is back."""
CANCEL_S: Final = 2.0
CLOSE_S: Final = 5.0
OLDEST_SERVER: Final = 130_000
CHECKS_CLIENTS: Final = 140_000
WEAK_COMMITS: Final = frozenset({"off", "local", "remote_write"})
"""Settings under which the server reports a commit before it is on every disk that it should be on."""

Result = TypeVar("Result")
Work = Callable[[Any], Awaitable[Result]]
"""A coroutine function of a connection."""


class Link:
    """Connections to one server, and the thread of their event loop."""

    def __init__(self, address: Address, prepare: Work[None] | None, patience_s: float = COMMAND_S) -> None:
        """`prepare` is called with every connection for writing; without it, nothing can be written.

        `patience_s` is how long the server may be silent before a connection is given up.
        """
        self._address = address
        self._patience_s = patience_s
        self.shown = address.shown
        self._prepare = prepare
        self._writer: Any = None
        self._turn = asyncio.Lock()
        self._closed = False
        self._gate = threading.Lock()
        self._going: set[Future[Any]] = set()
        """Running work: an event loop alone keeps no strong reference to a task."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, name="journal-postgresql", daemon=True)
        self._thread.start()
        try:
            self._readers: Any = self.run(self._make_readers())
        except BaseException:
            self.close()
            raise

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine in the loop, and wait for it."""
        try:
            return self.spawn(work).result()
        except FutureCancelled as error:
            raise JournalClosed(f"the journal {self.shown} is closed") from error

    def require_open(self) -> None:
        """Raise when the journal is closed."""
        if self._closed:
            raise JournalClosed(f"the journal {self.shown} is closed")

    def spawn(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Start a coroutine in the loop; it runs until it ends or is cancelled."""
        with self._gate:  # nothing may enter the loop once it is closing: its caller would wait for ever
            try:
                self.require_open()
            except JournalClosed:
                work.close()
                raise
            going = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._going.add(going)
        going.add_done_callback(self._going.discard)
        return going

    @property
    def writer_pid(self) -> int:
        """The server's process behind the writing connection; 0 before there is one."""
        writer = self._writer
        return 0 if writer is None or writer.is_closed() else int(writer.get_server_pid())

    def read(self, work: Work[Result]) -> Result:
        """Run work on a read-only connection; once more when the connection is lost."""
        return self.run(self._read(work))

    def write(self, work: Work[Result]) -> Result:
        """Run work on the writing connection, one caller at a time."""
        if self._prepare is None:
            self.require_open()
            raise JournalReadOnly(f"{self.shown} was opened for reading only")
        return self.run(self._write(work))

    async def connect(self, *, read_only: bool = False) -> Any:
        """A new connection, which belongs to the caller."""
        try:
            return await asyncpg.connect(self._address.dsn, **self._settings(read_only=read_only))
        except Exception as error:
            raise cannot_open(error, self.shown) from _without_secrets(error)

    def _settings(self, *, read_only: bool) -> dict[str, Any]:
        settings = {
            "application_name": "taisai",
            "search_path": self._address.schema,
            "statement_timeout": str(round(STATEMENT_S * 1000)),
            "idle_in_transaction_session_timeout": str(round(IDLE_S * 1000)),
        }
        if read_only:
            settings["default_transaction_read_only"] = "on"
        connect_s = min(CONNECT_S, self._patience_s)
        return {"timeout": connect_s, "command_timeout": self._patience_s, "server_settings": settings}

    async def _make_readers(self) -> Any:
        try:
            # Connections are made on demand, in `acquire`.
            return await asyncpg.create_pool(
                self._address.dsn, min_size=0, max_size=READERS, reset=_as_it_is, **self._settings(read_only=True)
            )
        except Exception as error:
            raise cannot_open(error, self.shown) from _without_secrets(error)

    async def _read(self, work: Work[Result]) -> Result:
        for last in (False, True):
            try:
                connection = await self._readers.acquire()
            except Exception as error:
                raise cannot_open(error, self.shown) from _without_secrets(error)
            try:
                return await work(connection)
            except JournalError:
                raise
            except Exception as error:
                if is_lost(error):
                    with suppress(asyncpg.InterfaceError):  # the pool may have released it already
                        connection.terminate()
                    if not last:
                        continue
                raise translated(error, self.shown, writing=False) from error
            finally:
                with suppress(Exception):  # a lost connection cannot be released in order
                    await self._readers.release(connection)
        raise AssertionError("the second reading ends")  # pragma: no cover - for the type checker

    async def _write(self, work: Work[Result]) -> Result:
        async with self._turn:
            self.require_open()
            if self._writer is None or self._writer.is_closed():
                self._writer = await self._new_writer()
            connection = self._writer
            try:
                return await work(connection)
            except JournalError:
                raise
            except (Exception, asyncio.CancelledError) as error:
                if is_lost(error):
                    self._writer = None
                    await _drop(connection)
                raise translated(error, self.shown, writing=True) from error

    async def _new_writer(self) -> Any:
        assert self._prepare is not None
        connection = await self.connect()
        try:
            await _require(connection, self.shown)
            await self._prepare(connection)
        except JournalError:
            connection.terminate()
            raise
        except (Exception, asyncio.CancelledError) as error:
            connection.terminate()
            if is_lost(error):
                raise JournalUnreachable(f"the connection to {self.shown} was lost: nothing was written") from error
            raise translated(error, self.shown, writing=True) from error
        return connection

    def close(self) -> None:
        """Close all connections and end the thread. May be called twice."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            ending = asyncio.run_coroutine_threadsafe(self._close_connections(), self._loop)
        with suppress(Exception):  # what cannot be closed in order is closed with the loop
            ending.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _close_connections(self) -> None:
        async with self._turn:  # a write that runs finishes; one that waits raises `JournalClosed`
            if self._writer is not None:
                await _drop(self._writer, CLOSE_S)
        if getattr(self, "_readers", None) is not None:
            try:
                await asyncio.wait_for(self._readers.close(), CLOSE_S)
            except Exception:
                self._readers.terminate()
        this = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not this]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def _drop(connection: Any, seconds: float = CANCEL_S) -> None:
    """Close a connection in order, which cancels what the server may still be doing for it; or cut it."""
    try:
        await connection.close(timeout=seconds)
    except (Exception, asyncio.CancelledError):
        connection.terminate()


async def _as_it_is(_connection: Any) -> None:
    """Reading leaves no session state behind, so the pool's reset, a round trip to the server, is not needed."""


async def _require(connection: Any, shown: str) -> None:
    """Refuse a server that cannot store a journal, and make every commit wait for the disk."""
    number, encoding, fsync, commit = await connection.fetchrow(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),"
        " current_setting('fsync'), current_setting('synchronous_commit')"
    )
    if number < OLDEST_SERVER:
        raise JournalFailed(
            f"{shown} is PostgreSQL {number // 10_000}, and {OLDEST_SERVER // 10_000} or newer is needed"
        )
    if encoding != "UTF8":
        raise JournalFailed(f"{shown} stores text as {encoding}: a journal needs a database with the encoding UTF8")
    if fsync != "on":
        raise JournalFailed(f"{shown} does not wait for its disk (fsync is off): a journal would not be durable there")
    if commit in WEAK_COMMITS:
        await connection.execute("SET synchronous_commit = on")
    if number >= CHECKS_CLIENTS:
        # While it waits for a lock, the server checks whether the client is still connected.
        await connection.execute("SET client_connection_check_interval = '2s'")


def _without_secrets(error: BaseException) -> BaseException | None:
    """The cause to chain: none where its message may contain the address with its password."""
    return None if isinstance(error, asyncpg.ClientConfigurationError | ValueError) else error
