"""Several nodes on one PostgreSQL, with a network between them that can be cut: what a torture of nodes breaks.

Enters: how many nodes and tables. Leaves: processes that serve, and ways to kill, freeze, drain and cut them off. Each
node reaches the database and each other node by a way of its own through the proxy, and is a user of its own to the
database, where a trigger looks at every commit: who writes to a table holds its lease, or it is noted.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlencode

from tests import ROOT
from tests.postgres import Server, schema_of
from tests.torture.proxy import Network

STARTS: Final = 3
WATCH: Final = """
CREATE SCHEMA watch;
CREATE TABLE watch.wrong (table_name text, seq bigint, who text, holder text);
CREATE FUNCTION watch.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO watch.wrong SELECT n.table_name, n.seq, session_user, l.holder
    FROM added n JOIN {schema}.lease l ON l.table_name = n.table_name
    WHERE l.holder IS NULL OR split_part(split_part(l.holder, '#', 1), ':', 3) <> substr(session_user, 2);
    RETURN NULL;
END $$;
CREATE TRIGGER watch AFTER INSERT ON {schema}.record REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION watch.look();
"""


def free_port() -> int:
    """A port that nobody listens on, and that no connection is given by itself: it is used again after each kill."""
    for port in random.sample(range(20_000, 32_000), 200):
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


class Node:
    """A node as a process, started again on the same port."""

    def __init__(self, number: int, port: int, log: Path) -> None:
        self.number = number
        self.port = port
        self.words: list[str] = []
        self.wants: dict[str, Any] = {}
        self.told: dict[str, Any] = {}
        self.is_well = False
        """Whether it runs and nothing is cut."""
        self.log = log
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self.port}"

    def begin(self, players: int = 0) -> None:
        """Start the process, and do not wait for it."""
        words = [sys.executable, "-m", "tests.torture.floor_process", *self.words, str(players), str(self.port)]
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                words,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "TAISAI_TEST_NODE": json.dumps(self.wants), "TAISAI_TEST_LOG": "warning"},
            )

    def start(self, players: int = 0) -> None:
        """Start, and wait until it serves; one that ends at once is started again, as its supervisor would."""
        for _ in range(STARTS):
            self.begin(players)
            assert self._process is not None
            assert self._process.stdout is not None
            if line := self._process.stdout.readline():
                self.told = json.loads(line)
                self.is_well = True
                return
            self.kill()
        raise AssertionError(f"node {self.number} does not start; its log is {self.log}:\n{self.last_words()}")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it, whatever it does."""
        self.is_well = False
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def wait(self, seconds: float) -> None:
        """Until it has ended by itself; killed when it takes longer."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self.kill()

    def last_words(self) -> str:
        """The end of its log."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-3_000:] if self.log.exists() else ""


class Fleet:
    """The nodes, their database and the ways between them."""

    def __init__(self, folder: Path, nodes: int, tables: int, *, betting_ms: int) -> None:
        self.folder = folder
        self.tables = [f"T{number + 1}" for number in range(tables)]
        self.server = Server("max_connections=300")
        self.schema = schema_of(folder)
        self.nodes = [Node(number, free_port(), folder / f"node-{number}.log") for number in range(1, nodes + 1)]
        ways = {f"db-{node.number}": f"{self.server.folder}/.s.PGSQL.5432" for node in self.nodes}
        for one in self.nodes:
            ways |= {f"{one.number}-{other.number}": f"127.0.0.1:{other.port}" for other in self._others(one)}
        self.network = Network(ways)
        for node in self.nodes:
            password = secrets.token_hex(8)
            self.server.execute(f"CREATE ROLE n{node.port} SUPERUSER LOGIN PASSWORD '{password}'")
            options = {"sslmode": "disable", "schema": self.schema, "key": folder / "house.key"}
            place = f"127.0.0.1:{self.network.ports[f'db-{node.number}']}"
            node.words = [f"postgresql://n{node.port}:{password}@{place}/postgres?{urlencode(options)}", str(tables)]
            peers = {
                other.url: f"http://127.0.0.1:{self.network.ports[f'{node.number}-{other.number}']}"
                for other in self._others(node)
            }
            node.wants = {"betting_ms": betting_ms, "peers": peers}

    def _others(self, one: Node) -> list[Node]:
        return [node for node in self.nodes if node is not one]

    @property
    def journal_url(self) -> str:
        """The journal, by a way that is never cut."""
        return self.server.journal_url(self.folder)

    def start(self, players: int) -> dict[str, list[tuple[str, str]]]:
        """Start everything; the seats."""
        first, *others = self.nodes
        first.start(players)
        self.server.execute(WATCH.format(schema=self.schema))
        for node in others:
            node.start()
        seats: dict[str, list[tuple[str, str]]] = first.told["seats"]
        return seats

    def held_by(self, node: Node) -> list[str]:
        """The tables whose valid lease is a node's."""
        rows = self.server.fetch(
            f"SELECT table_name FROM {self.schema}.lease WHERE holder LIKE $1 || '#%' AND until > clock_timestamp()"
            " AND table_name NOT LIKE '@%'",
            node.url,
        )
        return [row[0] for row in rows]

    def spread(self) -> dict[int, int]:
        """How many tables each node holds."""
        return {node.number: len(self.held_by(node)) for node in self.nodes}

    def ways_of(self, node: Node, *, database: bool, peers: bool) -> list[str]:
        """The ways by which a node reaches others and is reached."""
        found = [f"db-{node.number}"] if database else []
        if peers:
            for other in self._others(node):
                found += [f"{node.number}-{other.number}", f"{other.number}-{node.number}"]
        return found

    def restart_server(self) -> float:
        """PostgreSQL dies as in a crash, and is started again; the seconds that it was away."""
        began = time.monotonic()
        self.server.stop()
        self.server.start()
        return time.monotonic() - began

    def wrong_writers(self) -> list[str]:
        """Records that were written by somebody who did not hold the table; the watch ends with this."""
        rows = self.server.fetch("SELECT table_name, seq, who, holder FROM watch.wrong ORDER BY 1, 2 LIMIT 100")
        self.server.execute(f"DROP TRIGGER watch ON {self.schema}.record; DROP SCHEMA watch CASCADE")
        return [
            f"{table}: record {seq} was written by {who}, while {holder} held the table"
            for table, seq, who, holder in rows
        ]

    def end(self) -> None:
        """Kill every node; the database stays."""
        for node in self.nodes:
            node.kill()

    def close(self) -> None:
        """Everything goes."""
        self.end()
        self.network.close()
        self.server.stop("end")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
