"""`taisai witness`: remember the heads of somebody else's log, and cosign only what extends them."""

from __future__ import annotations

import http.client
import sys
import time
import urllib.request
from base64 import b64decode
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR
from threading import Lock, Timer
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter

from taisai.cli.show import console
from taisai.core.faults import InputFault, shown
from taisai.journal.log.desk import Desk, log_id
from taisai.journal.log.note import NOTE_MAX, BadNote, Checkpoint, Note, Verifier
from taisai.journal.log.witness import REQUEST_MAX, Reply, make_request
from taisai.streams.receipts import read_proof_bytes

EXIT_ALARM: Final = 1
PATIENCE_S: Final = 10
CONNECTION_S: Final = 30.0
"""How long a connection is kept, whatever trickles."""
CONNECTIONS_MAX: Final = 256
OF_ADDRESS_MAX: Final = 8
"""Of one address: no stranger keeps a house from its witness."""


def witness(
    folder: Annotated[Path, Parameter(help="The witness's folder: its key, the logs it watches, what it saw.")],
    /,
    *,
    name: Annotated[
        str, Parameter(help="By which name it signs, such as regulator.example/w1: with the first use.")
    ] = "",
    pin: Annotated[
        tuple[str, ...], Parameter(help="Trust this key of a log (NAME+ID+KEY) and no other.", negative=())
    ] = (),
    forget: Annotated[tuple[str, ...], Parameter(help="Watch the log of this name no more.", negative=())] = (),
    ask: Annotated[tuple[str, ...], Parameter(help="Ask the house at this address for its head.", negative=())] = (),
    listen: Annotated[
        str | None, Parameter(help="HOST:PORT for houses that send heads; port 0 takes a free one.")
    ] = None,
) -> int:
    """Watch somebody else's log: remember its last head, cosign what extends it, refuse and shout otherwise.

    For a regulator, an auditor, another casino. It speaks C2SP tlog-witness. Without --listen it shows what it knows;
    exit code 1 when a log has contradicted itself. Both heads are kept in alarms.jsonl: they prove it to anybody.

    Examples:
      taisai witness eyes --name regulator.example/w1
      taisai witness eyes --pin casino.example/floor+4f5a…+AXk…
      taisai witness eyes --listen 0.0.0.0:8100
      taisai witness eyes --ask https://casino.example
    """
    desk = Desk(folder, name)
    for key in pin:
        try:
            desk.pin(Verifier.read(key))
        except BadNote as error:
            raise InputFault("--pin", str(error)) from error
    for origin in forget:
        desk.forget(origin)
    for address in ask:
        reply = ask_house(desk, address)
        if reply.alarm:
            print(f"ALARM: {address}: {reply.body.strip()}", file=sys.stderr)
    if listen is not None:
        serve(desk, listen)
    for line in told(desk):
        console().print(line, markup=False, soft_wrap=True)
    return EXIT_ALARM if desk.alarms() else 0


def told(desk: Desk) -> list[str]:
    """What a witness knows, in lines."""
    lines = [f"witness {desk.signer.verifier}"]
    for origin, keys in desk.logs().items():
        seen = desk.seen(origin)
        size = "nothing seen yet" if seen is None else f"{Checkpoint.read(seen.text).size} records seen"
        lines.append(f"log {origin}: {size}; key {' or '.join(map(str, keys))}")
    lines += [f"ALARM {each['log']}: {each['why']}" for each in desk.alarms()]
    return lines


def ask_house(desk: Desk, address: str) -> Reply:
    """Fetch the head of a house and the proof that it extends what was seen, and judge it."""
    note = Note.read(_fetched(address, "/log/checkpoint"))
    head = Checkpoint.read(note.text)
    seen = desk.seen(head.origin)
    older = 0 if seen is None else Checkpoint.read(seen.text).size
    proof: list[bytes] = []
    if 0 < older < head.size:
        answer = _fetched(address, f"/api/log/consistency?older={older}&newer={head.size}")
        try:
            proof = read_proof_bytes(b64decode(msgspec.json.decode(answer.encode())["proof"], validate=True))
        except (ValueError, KeyError, TypeError, msgspec.MsgspecError) as error:
            raise InputFault("--ask", f"{address} gives no proof that can be read: {error}") from error
    return desk.add_checkpoint(make_request(older, proof, note), int(time.time()))


def _fetched(address: str, path: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise InputFault("--ask", f"an address begins with http:// or https://, got {shown(address)}")
    try:
        with urllib.request.urlopen(address.rstrip("/") + path, timeout=PATIENCE_S) as answer:
            return str(answer.read(NOTE_MAX).decode("utf-8"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputFault("--ask", f"{address} does not answer: {error}") from error


# ------------------------------------------------------------------ the server


def serve(desk: Desk, listen: str) -> None:
    """Answer houses until the process is ended."""
    server = server_of(desk, listen)
    console().print(
        f"witness {desk.signer.verifier} at http://{listen.rpartition(':')[0]}:{server.server_port}", markup=False
    )
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


class BoundedServer(ThreadingHTTPServer):
    """A thread for each connection, of which there are so many, for so long."""

    connection_s = CONNECTION_S

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._open: Counter[str] = Counter()
        self._lock = Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, unless there are too many already."""
        where = str(client_address[0])
        with self._lock:
            if self._open.total() >= CONNECTIONS_MAX or self._open[where] >= OF_ADDRESS_MAX:
                self.shutdown_request(request)
                return
            self._open[where] += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """In its thread: to the end, or until its time is over."""
        ends = Timer(self.connection_s, _end, (request,))
        ends.daemon = True
        ends.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            ends.cancel()
            with self._lock:
                self._open -= Counter({str(client_address[0]): 1})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke, or was ended, is nothing to tell."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _end(request: Any) -> None:
    with suppress(OSError):
        request.shutdown(SHUT_RDWR)


def server_of(desk: Desk, listen: str) -> BoundedServer:
    """The server, not started."""
    host, colon, port = listen.rpartition(":")
    if not (colon and port.isascii() and port.isdigit() and int(port) < 65_536):
        raise InputFault("--listen", f"needs HOST:PORT, got {shown(listen)}")

    class Handler(BaseHTTPRequestHandler):
        """One request: bounded in size and time."""

        protocol_version = "HTTP/1.1"
        timeout = PATIENCE_S

        def do_GET(self) -> None:
            """What was seen of a log, or of the only one; at the root, everything in words."""
            place = self.path.rstrip("/")
            if place == "":
                self._answer(Reply(200, "\n".join(told(desk)) + "\n"))
                return
            wanted = [each for each in desk.logs() if place in ("/checkpoint", f"/checkpoint/{log_id(each)}")]
            seen = desk.seen(wanted[0]) if len(wanted) == 1 else None
            self._answer(Reply(404, "nothing of that log was seen\n") if seen is None else Reply(200, str(seen)))

        def do_POST(self) -> None:
            """A head to cosign, or a key's word for the next one."""
            size = self.headers.get("content-length", "")
            if not (size.isascii() and size.isdigit() and len(size) < 9 and int(size) <= REQUEST_MAX):
                self.close_connection = True
                self._answer(Reply(413, f"a request has at most {REQUEST_MAX} bytes\n"))
                return
            body = self.rfile.read(int(size)).decode("utf-8", "replace")
            if self.path == "/add-checkpoint":
                reply = desk.add_checkpoint(body, int(time.time()))
            elif self.path == "/add-key":
                reply = desk.add_key(body)
            else:
                reply = Reply(404, "POST /add-checkpoint or /add-key\n")
            if reply.alarm:
                print(f"ALARM: {reply.body.strip()}", file=sys.stderr, flush=True)
            self._answer(reply)

        def _answer(self, reply: Reply) -> None:
            kind = "text/x.tlog.size" if reply.status == 409 else "text/plain; charset=utf-8"
            body = reply.body.encode()
            self.send_response(reply.status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the base class gives it
            """Requests are not logged: alarms are."""

    try:
        return BoundedServer((host, int(port)), Handler)
    except OSError as error:
        raise InputFault("--listen", f"cannot listen on {listen}: {error.strerror}") from error
