"""`taisai witness` as its people use it: over HTTP, from the command line, against a house."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from taisai.cli import main
from taisai.cli.floor.witness import OF_ADDRESS_MAX, BoundedServer, ask_house, server_of
from taisai.floor.witnesses import Ahead, WitnessLink
from taisai.journal.log.desk import Desk
from taisai.journal.log.keys import word_for
from taisai.journal.log.note import Note, Verifier
from taisai.journal.log.tree import Tree
from taisai.journal.log.witness import make_request
from tests.cli.running import printed
from tests.journal.log.test_desk import NEW, grown
from tests.journal.log.test_tree import HOUSE, Dictionary, leaves
from tests.web.serving import on_a_loop, open_house


@contextmanager
def served(desk: Desk) -> Iterator[str]:
    """A witness that listens."""
    server = server_of(desk, "127.0.0.1:0")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_no_stranger_keeps_a_house_from_its_witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one address there are so many connections; each ends after a time, however slowly it trickles."""
    monkeypatch.setattr(BoundedServer, "connection_s", 0.3)
    with served(Desk(tmp_path / "eyes", "witness.example")) as address:
        place = ("127.0.0.1", int(address.rpartition(":")[2]))
        slow = [socket.create_connection(place, timeout=10) for _ in range(OF_ADDRESS_MAX)]
        for each in slow:
            each.sendall(b"GET / HTTP/1.1\r\nX: ")
        with socket.create_connection(place, timeout=10) as more, suppress(ConnectionResetError):
            assert more.recv(1) == b""
        for each in slow:
            trickles(each)
        while httpx_status(address) != 200:
            pass


def trickles(connection: socket.socket) -> None:
    """Send a byte after the other until the server has had enough."""
    connection.settimeout(0.02)
    with connection, suppress(ConnectionError):
        while True:
            connection.sendall(b"x")
            with suppress(TimeoutError):
                assert connection.recv(100) == b""
                return


def httpx_status(address: str) -> int:
    """The status of a GET, 0 when the connection is ended."""
    try:
        return httpx.get(address).status_code
    except httpx.HTTPError:
        return 0


def test_a_house_is_cosigned_over_http(tmp_path: Path) -> None:
    """A house's link and a witness's server speak C2SP tlog-witness: cosigned, told where it is, refused."""
    desk = Desk(tmp_path / "eyes", "witness.example")
    desk.pin(HOUSE.verifier)
    tree, cut = Tree(Dictionary()), Tree(Dictionary())
    with served(desk) as address:
        link = WitnessLink(address, desk.signer.verifier)
        for count in (7, 300):
            note = grown(tree, count)
            assert note.also([link.cosign(note, tree.consistency)]).signed_by(desk.signer.verifier)
        note = tree.sign(HOUSE)
        known = link.known(HOUSE.verifier)
        assert known is not None
        assert known.size == 307
        with pytest.raises(Ahead):
            WitnessLink(address, desk.signer.verifier).cosign(grown(cut, 9), cut.consistency)
        conflict = httpx.post(f"{address}/add-checkpoint", content=make_request(0, [], note))
        assert (conflict.status_code, conflict.text) == (409, "307\n")
        assert conflict.headers["content-type"] == "text/x.tlog.size"
        assert httpx.get(f"{address}/").text.startswith("witness witness.example+")
        assert Note.read(httpx.get(f"{address}/checkpoint").text).text == note.text
        assert httpx.get(f"{address}/checkpoint/ffff").status_code == 404
        assert httpx.post(f"{address}/add-key", content=str(word_for(HOUSE, NEW.verifier))).status_code == 200
        assert httpx.post(f"{address}/elsewhere", content="x").status_code == 404
        assert httpx.post(f"{address}/add-checkpoint", content="x" * 70_000).status_code == 413


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A folder is made, a key pinned, what is known shown; a contradiction is exit code 1."""
    eyes = str(tmp_path / "eyes")
    assert main(["witness", eyes]) == 2
    assert "say by which name" in capfd.readouterr().err
    assert printed(capfd, "witness", eyes, "--name", "witness.example").startswith("witness witness.example+")
    assert main(["witness", eyes, "--pin", "nonsense"]) == 2
    shown = printed(capfd, "witness", eyes, "--pin", str(HOUSE.verifier))
    assert "log casino.example/floor: nothing seen yet" in shown
    desk, tree, other = Desk(Path(eyes)), Tree(Dictionary()), Tree(Dictionary())
    desk.add_checkpoint(make_request(0, [], grown(tree, 7)), 1)
    other.extend(leaves(7, 900))
    desk.add_checkpoint(make_request(7, [], other.sign(HOUSE)), 1)
    assert main(["witness", eyes]) == 1
    assert "ALARM casino.example/floor" in capfd.readouterr().out
    for wrong in (["--listen", "nowhere"], ["--ask", "ftp://x"], ["--ask", "http://127.0.0.1:9"]):
        assert main(["witness", eyes, *wrong]) == 2
    assert main(["witness", eyes, "--forget", "casino.example/floor"]) == 1  # the alarm stays


@on_a_loop
async def test_a_witness_asks_a_house_that_does_not_send() -> None:
    """It fetches head and proof by itself, and cosigns what extends what it saw."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / "eyes", "witness.example")
        async with open_house() as running:
            desk.pin(Verifier.read(running.context.heads.now.key))
            assert (await asyncio.to_thread(ask_house, desk, running.address)).status == 200
            await running.ready_table("T1")
            await running.context.heads.tick()
            assert (await asyncio.to_thread(ask_house, desk, running.address)).status == 200
            assert desk.alarms() == []
