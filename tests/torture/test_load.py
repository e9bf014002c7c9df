"""The load generator and the proxy: what the torture of nodes stands on does what it says."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest

from taisai.journal import open_journal
from tests.torture import reckoning
from tests.torture.bots import floor_process
from tests.torture.load import main, place_of, read_acknowledged
from tests.torture.proxy import Network
from tests.torture.reckoning import reckon
from tests.torture.temperaments import TEMPERAMENTS, temperament_of
from tests.web.serving import on_a_loop


def test_bots_load_a_floor_and_everything_they_heard_is_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every temperament plays; what was acknowledged is written down, and found in the journal."""
    journal, out, seats = tmp_path / "floor.db", tmp_path / "done.jsonl", tmp_path / "seats.json"
    with floor_process(str(journal), 2, 13) as (_, told):
        seats.write_text(json.dumps(told), encoding="utf-8")
        words = ["--url", f"http://127.0.0.1:{told['port']}", "--seats", str(seats), "--bots", "25", "--pace", "0.1"]
        assert main([*words, "--seconds", "60", "--enough", "250", "--seed", "3", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "wrong: 0" in said
    assert "bad-message" in said
    done = read_acknowledged(out)
    assert {each.do for each in done} == {"place-bet", "withdraw-bet"}
    assert {temperament_of(number) for number in range(25)} == set(TEMPERAMENTS)
    assert reckoning.main([str(journal), str(out)]) == 0
    with open_journal(str(journal), read_only=True) as kept:
        lost = done[0]._replace(id="never-sent")
        other = done[0]._replace(amount=7, box="the moon")
        assert reckon(kept, [lost]) == [f"{lost.table}: never-sent was acknowledged and is lost"]
        assert [sentence.partition(" as ")[0] for sentence in reckon(kept, [other])] == [
            f"{other.table}: {other.id} was acknowledged"
        ]
        assert reckon(kept, [done[0], done[0]]) == [f"{lost.table}: {done[0].id} was acknowledged to 2 people"]


def test_an_address_that_bots_cannot_use_is_refused() -> None:
    """In words that name the option."""
    with pytest.raises(SystemExit, match="--url https://floor: write http://host:port"):
        place_of("https://floor")


@on_a_loop
async def test_a_way_is_cut_and_mended() -> None:
    """What is dropped is held back and heard of by nobody; a reset is heard of at once; a mended way is as before."""
    came: list[bytes] = []
    echoes: list[asyncio.Task[None] | None] = []

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        echoes.append(asyncio.current_task())
        with suppress(ConnectionError):
            while line := await reader.readline():
                came.append(line)
                writer.write(line)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    with Network({"way": f"127.0.0.1:{server.sockets[0].getsockname()[1]}"}) as network:
        opened: list[asyncio.StreamWriter] = []

        async def come(line: bytes) -> asyncio.StreamReader:
            reader, writer = await asyncio.open_connection("127.0.0.1", network.ports["way"])
            opened.append(writer)
            writer.write(line)
            return reader

        first = await come(b"one\n")
        assert await first.readline() == b"one\n"
        network.set("drop", "way")
        opened[0].write(b"two\n")
        late = await come(b"three\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(first.readline(), 0.2)
        assert came == [b"one\n"]
        network.set("mend", "way")
        assert await first.readline() == b"two\n"
        assert await late.readline() == b"three\n"
        network.set("reset", "way")
        with pytest.raises(ConnectionResetError):
            await first.readline()
        with pytest.raises(ConnectionResetError):
            await (await come(b"four\n")).readline()
        network.set("forget", "way")
        assert await (await come(b"five\n")).readline() == b"five\n"
        for writer in opened:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
    server.close()
    await server.wait_closed()
    await asyncio.gather(*(each for each in echoes if each is not None))
