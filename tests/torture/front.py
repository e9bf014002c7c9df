"""Debian's nginx in front of the nodes of a fleet, with the file of `deploy/`: what players behind it go through.

Enters: a folder, the ports of the nodes. Leaves: a process that serves TLS with a certificate of its own, whose file
is `certificate`.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests import ROOT
from tests.torture.fleet import free_port

FILE: Final = ROOT / "deploy" / "nginx.conf"
STARTS_S: Final = 30.0
TEMPORARY: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def program(name: str) -> str:
    """A program that reads files of deploy/; `tools/setup dev` installs it."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    assert found is not None, f"{name} is needed: run tools/setup dev"
    return found


def certificate_in(folder: Path, host: str) -> Path:
    """A certificate of this machine's own, with its key beside it, under the names that the file has."""
    subject = f"IP:{host}" if re.fullmatch(r"[\d.]+", host) else f"DNS:{host}"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={host}"]
    where = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    names = ["-addext", f"subjectAltName={subject}"]
    subprocess.run([program("openssl"), *words, *names, *where], check=True, capture_output=True)
    return folder / "fullchain.pem"


def file_for(folder: Path, nodes: Sequence[int], port: int) -> Path:
    """The file of deploy/, but for what is another on this machine: addresses, ports and folders."""
    text = FILE.read_text(encoding="utf-8").replace("/etc/nginx/tls", str(folder))
    servers = iter(nodes)
    text = re.sub(r"node\d:8000", lambda _found: f"127.0.0.1:{next(servers)}", text)
    text = text.replace("listen 443 ", f"listen 127.0.0.1:{port} ")
    places = "".join(f"    {name}_temp_path {folder}/{name};\n" for name in TEMPORARY)
    text = text.replace("http {\n", f"http {{\n    access_log off;\n{places}", 1)
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = folder / "nginx.conf"
    head = f"{user}daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\n"
    file.write_text(head + text, encoding="utf-8")
    return file


class Front:
    """The proxy as a process."""

    def __init__(self, folder: Path, nodes: Sequence[int]) -> None:
        self.port = free_port()
        self.certificate = certificate_in(folder, "127.0.0.1")
        self.log = folder / "nginx.log"
        words = ["-p", str(folder), "-e", str(self.log), "-c", str(file_for(folder, nodes, self.port))]
        self._process = subprocess.Popen([program("nginx"), *words])
        until = time.monotonic() + STARTS_S
        while time.monotonic() < until:
            assert self._process.poll() is None, self.log.read_text(encoding="utf-8")
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
        raise AssertionError(f"nginx does not listen: {self.log.read_text(encoding='utf-8')}")

    @property
    def url(self) -> str:
        """Where players reach the floor."""
        return f"https://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
