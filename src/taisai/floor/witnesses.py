"""The house's side of its witnesses (C2SP tlog-witness): heads go out, cosignatures come back.

Enters: a signed head and proofs from the log. Leaves: what each witness made of it: a cosignature, which is checked, or
why there is none. Calls block, for a thread; whatever a witness sends is bounded and believed only with a signature.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Final, NamedTuple

from taisai.journal.log.desk import log_id
from taisai.journal.log.note import BadNote, Checkpoint, Note, Signature, Verifier, read_signature
from taisai.journal.log.witness import make_request

PATIENCE_S: Final = 5.0
ANSWER_MAX: Final = 64 * 1024
TRIES: Final = 3
"""A witness that others ask too may have moved on between two questions."""


class WitnessSilent(Exception):
    """A witness that does not answer, or answers something that cannot be read."""


class Ahead(Exception):
    """A witness knows a head of this house that is larger than what the house has: the journal was cut back."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it has seen {size} records")
        self.size = size


class Refused(Exception):
    """A witness says that the head does not extend what it has seen."""


class Reply(NamedTuple):
    """What came back: an HTTP status and a text."""

    status: int
    body: str


class WitnessLink:
    """One witness, as this house talks to it."""

    def __init__(self, url: str, key: Verifier, ask: Callable[[str, str, bytes | None], Reply] | None = None) -> None:
        self.url, self.key = url.rstrip("/"), key
        self._ask = ask or _ask
        self._seen = 0

    def known(self, house: Verifier) -> Checkpoint | None:
        """The newest head of this house that the witness remembers; None when it has none, or tells nobody."""
        reply = self._ask("GET", f"{self.url}/checkpoint/{log_id(house.name)}", None)
        if reply.status != 200:
            return None
        try:
            note = Note.read(reply.body)
            head = Checkpoint.read(note.text)
            if not note.signed_by(house):
                raise BadNote("it is not signed by this house's key")
        except BadNote as error:
            raise WitnessSilent(f"what it remembers cannot be used: {error}") from error
        self._seen = head.size
        return head

    def cosign(self, note: Note, proof: Callable[[int, int], list[bytes]]) -> Signature:
        """Have a head cosigned. Raises `Ahead`, `Refused` or `WitnessSilent`."""
        size = Checkpoint.read(note.text).size
        for _ in range(TRIES):
            request = make_request(self._seen, proof(self._seen, size), note)
            reply = self._ask("POST", f"{self.url}/add-checkpoint", request.encode())
            match reply.status:
                case 200:
                    self._seen = size
                    return self._cosignature(note, reply.body)
                case 409 if reply.body.strip().isdecimal() and len(reply.body) < 24:
                    if int(reply.body) == self._seen == size:
                        raise Refused("it has seen another root of the same size")
                    self._seen = int(reply.body)
                    if self._seen > size:
                        raise Ahead(self._seen)
                case 422:
                    raise Refused(reply.body.strip()[:500])
                case status:
                    raise WitnessSilent(f"it answers {status}: {reply.body.strip()[:200]}")
        raise WitnessSilent("others keep it busy")

    def _cosignature(self, note: Note, body: str) -> Signature:
        try:
            given = Note(note.text, tuple(read_signature(line) for line in body.splitlines()[:8]))
            for signature in given.signed_by(self.key):
                return signature
        except BadNote as error:
            raise WitnessSilent(f"its answer cannot be used: {error}") from error
        raise WitnessSilent(f"its answer is not signed by {self.key.name}")


def _ask(method: str, url: str, body: bytes | None) -> Reply:
    request = urllib.request.Request(url, data=body, method=method)
    try:
        try:
            answer = urllib.request.urlopen(request, timeout=PATIENCE_S)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return Reply(answer.status or 0, answer.read(ANSWER_MAX).decode("utf-8", "replace"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise WitnessSilent(f"it does not answer: {error}") from error
