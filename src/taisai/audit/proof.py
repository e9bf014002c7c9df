"""The proof of a journal's chain, signatures and structure, in a process of its own.

Enters: a journal's file. Leaves: the findings of `journal.verify`, while the caller goes on with something else. A
plain subprocess, so that it works from any program, with or without threads and a guarded main module.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from taisai.journal.contract import JournalError
from taisai.journal.record import Finding
from taisai.journal.signing import public_from_pem
from taisai.journal.verify import verify_file

_findings = msgspec.json.Decoder(list[Finding])


class Proof:
    """A proof that is under way."""

    def __init__(self, path: Path, pem: bytes | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from taisai.audit.proof import main; main()", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if self._process.stdin is not None:
            self._process.stdin.write(pem or b"")
            self._process.stdin.close()
            self._process.stdin = None

    def findings(self) -> list[Finding]:
        """What it found, when it is done."""
        out, _ = self._process.communicate()
        if self._process.returncode:
            raise JournalError(f"the proof of the journal ended with code {self._process.returncode}")
        return _findings.decode(out)


def main() -> None:
    """Prove the file named on the command line, by the public key on standard input if there is one."""
    pem = sys.stdin.buffer.read()
    found = list(verify_file(Path(sys.argv[1]), public_from_pem(pem) if pem else None))
    sys.stdout.buffer.write(msgspec.json.encode(found))
