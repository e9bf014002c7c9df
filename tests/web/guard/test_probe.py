"""`/readyz` says no while the journal takes no writes, and costs one write a second however often it is asked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest

from taisai.journal import Journal, MemoryJournal, SqliteJournal
from taisai.web.guard import probe
from tests.postgres import Server
from tests.web.asking import one_shape
from tests.web.serving import on_a_loop, open_house, settings_for


@pytest.mark.parametrize(
    ("spoil", "mend", "word"),
    [
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "is full"),
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "read-only"),
    ],
    ids=["full", "read-only"],
)
@on_a_loop
async def test_a_house_that_cannot_write_is_not_ready(spoil: str, mend: str, word: str, tmp_path: Path) -> None:
    """While the disk is full or read-only the answer is 503 with the reason; when it is mended, 200 again."""
    with patch.object(probe, "KEPT_S", 0.0):
        async with (
            open_house(settings_for(str(tmp_path / "floor.db"))) as running,
            httpx.AsyncClient(base_url=running.address) as http,
        ):
            journal = running.context.floor.writer.journal
            assert isinstance(journal, SqliteJournal)
            writer = journal._writer
            assert writer is not None
            assert (await http.get("/readyz")).status_code == 200
            journal.put("filler", bytes(100_000))  # takes the pages that the first probe has left free
            writer.execute(spoil).fetchall()
            answer = await http.get("/readyz")
            assert (answer.status_code, one_shape(answer)["code"]) == (503, "not-recorded")
            assert word in one_shape(answer)["sentence"]
            assert (await http.get("/healthz")).status_code == 200
            writer.execute(mend).fetchall()
            assert (await http.get("/readyz")).status_code == 200
            assert journal.entries(probe.KEY) == {}


@pytest.mark.slow
@pytest.mark.postgres
def test_a_house_on_postgresql_that_cannot_write_is_not_ready(tmp_path: Path) -> None:
    """Read-only as a stand-by, then gone: 503 with the reason each time; when it is back, 200 without a restart."""
    server = Server()

    @on_a_loop
    async def run() -> None:
        async with (
            open_house(settings_for(server.journal_url(tmp_path))) as running,
            httpx.AsyncClient(base_url=running.address) as http,
        ):

            async def status(expected: int) -> httpx.Response:
                while (answer := await http.get("/readyz")).status_code != expected:
                    await asyncio.sleep(0.05)
                return answer

            assert (await http.get("/readyz")).status_code == 200
            for word in ("on", "off"):
                await asyncio.to_thread(server.execute, f"ALTER SYSTEM SET default_transaction_read_only = {word}")
                await asyncio.to_thread(server.execute, "SELECT pg_reload_conf()")
                answer = await status(503 if word == "on" else 200)
                if word == "on":
                    assert one_shape(answer)["code"] == "not-recorded"
                    assert "read-only" in one_shape(answer)["sentence"]
            await asyncio.to_thread(server.stop)
            assert one_shape(await status(503))["code"] == "not-recorded"
            assert (await http.get("/healthz")).status_code == 200
            await asyncio.to_thread(server.start)
            await status(200)
            assert running.context.floor.writer.journal.entries(probe.KEY) == {}

    try:
        with patch.object(probe, "KEPT_S", 0.0):
            run()
    finally:
        server.stop("end")


@on_a_loop
async def test_many_who_ask_share_one_write() -> None:
    """Anybody may ask, so a hundred requests make one piece of work; the next finding is made a second later."""
    written, now = 0, 10.0
    put = MemoryJournal.put

    def counted(journal: Journal, key: str, value: bytes | None) -> None:
        nonlocal written
        written += key == probe.KEY and value is not None
        put(journal, key, value)  # type: ignore[arg-type]

    with patch.object(MemoryJournal, "put", counted), patch.object(probe, "monotonic", lambda: now):
        async with open_house() as running:
            writer = running.context.floor.writer
            with patch.object(writer, "run", wraps=writer.run) as run:
                await asyncio.gather(*(running.client.call("GET", "/readyz") for _ in range(100)))
            assert written == run.call_count == 1
            now += probe.KEPT_S
            await running.client.call("GET", "/readyz")
            assert written == 2
