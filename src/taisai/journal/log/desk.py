"""A witness's desk: a folder with its key, the logs that it watches, what it saw of them, and its alarms.

Enters: keys that people pin, heads that houses send. Leaves: cosignatures; alarms with both heads that contradict each
other, which anybody can check. What was seen is on disk before it is cosigned.

    witness.key, witness.pub     the witness's own key; the second is what houses and players need
    logs/ID.keys                 the keys of a log, one a line: pinned by people, or by the word of the key before
    seen/ID.head                 the last head of it that was cosigned
    alarms.jsonl                 what did not fit, one a line
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from taisai.journal.contract import SigningError
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.keys import vouched_by
from taisai.journal.log.note import COSIGNATURE, BadNote, Checkpoint, Note, Signer, Verifier
from taisai.journal.log.witness import Reply, Witness, read_request

ALARMS_MAX: Final = 1_000
"""Alarms that are kept: the first ones say what happened, and nobody can fill a disk."""
_NAME_FILE: Final = "witness.name"


def log_id(origin: str) -> str:
    """A log's name as a part of an address or of a file's name."""
    return sha256(origin.encode()).hexdigest()


class Desk:
    """A witness's folder."""

    def __init__(self, folder: Path, name: str = "") -> None:
        self.folder = folder
        self._lock = Lock()
        try:
            for each in (folder, folder / "logs", folder / "seen"):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
            key = folder / "witness.key"
            if not key.exists():
                if not name:
                    raise SigningError(f"{folder} has no key yet: say by which name the witness signs")
                _write(key, Ed25519PrivateKey.generate().private_bytes_raw().hex(), 0o600)
                _write(folder / _NAME_FILE, name, 0o644)
            raw = bytes.fromhex(key.read_text(encoding="ascii").strip())
            kept = (folder / _NAME_FILE).read_text(encoding="utf-8").strip()
            self.signer = Signer(kept, Ed25519PrivateKey.from_private_bytes(raw), COSIGNATURE)
            _write(folder / "witness.pub", str(self.signer.verifier), 0o644)
        except (OSError, ValueError) as error:
            raise SigningError(f"the witness's folder {folder} cannot be used: {error}") from error
        if name and name != kept:
            raise SigningError(f"this witness signs as {kept}, not as {name}")

    # ------------------------------------------------------------------ keys of logs

    def logs(self) -> dict[str, tuple[Verifier, ...]]:
        """The logs that are watched, with the keys that each may be signed with."""
        found: dict[str, tuple[Verifier, ...]] = {}
        for path in sorted((self.folder / "logs").glob("*.keys")):
            keys = tuple(Verifier.read(line) for line in path.read_text(encoding="utf-8").splitlines() if line)
            if keys:
                found[keys[0].name] = keys
        return found

    def pin(self, key: Verifier) -> None:
        """Trust a key of a log, by a person's decision; the keys before it are trusted no more."""
        _write(self.folder / "logs" / f"{log_id(key.name)}.keys", f"{key}\n", 0o644)

    def forget(self, origin: str) -> None:
        """Watch a log no more, and forget what was seen of it: by a person's decision, when it has begun anew."""
        for path in (self.folder / "logs" / f"{log_id(origin)}.keys", self._seen(origin)):
            path.unlink(missing_ok=True)

    def add_key(self, word: str) -> Reply:
        """Trust a new key by the word of the one that is trusted."""
        with self._lock:
            try:
                note = Note.read(word)
                named = Verifier.read(note.text.partition("\n")[2])
                self.pin(vouched_by(note, *self.logs().get(named.name, ())))
            except BadNote as error:
                return Reply(403, f"{error}\n")
            return Reply(200, f"{named}\n")

    # ------------------------------------------------------------------ heads

    def _seen(self, origin: str) -> Path:
        return self.folder / "seen" / f"{log_id(origin)}.head"

    def seen(self, origin: str) -> Note | None:
        """The last head of a log that was cosigned."""
        return HeadFile(self._seen(origin)).read()

    def remember(self, note: Note) -> None:
        """Keep a head, durably."""
        HeadFile(self._seen(Checkpoint.read(note.text).origin)).write(note)

    def add_checkpoint(self, request: str, now_s: int) -> Reply:
        """Cosign a head or say why not; what does not fit is an alarm."""
        with self._lock:
            try:
                reply = Witness(self.signer, self.logs(), self, lambda: now_s).add_checkpoint(request)
            except SigningError as error:
                return Reply(500, f"{error}\n")
            if reply.alarm:
                _, _, note = read_request(request)
                self._raise(note, reply, now_s)
            return reply

    def _raise(self, note: Note, reply: Reply, now_s: int) -> None:
        origin = Checkpoint.read(note.text).origin
        known = self.alarms()
        if len(known) >= ALARMS_MAX or any(each["shown"] == str(note) for each in known):
            return
        line = {
            "at": now_s,
            "log": origin,
            "why": reply.body.strip(),
            "seen": str(self.seen(origin)),
            "shown": str(note),
        }
        with (self.folder / "alarms.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def alarms(self) -> list[dict[str, str]]:
        """Every alarm, oldest first."""
        try:
            text = (self.folder / "alarms.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text.splitlines()]


def _write(path: Path, text: str, mode: int) -> None:
    draft = path.with_name(f"{path.name}.partial")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
