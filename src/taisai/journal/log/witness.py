"""A witness: somebody else who remembers the last head of a log and cosigns only what extends it (C2SP tlog-witness).

Enters: requests to add a checkpoint: the size that the caller believes the witness has seen, a consistency proof, the
signed checkpoint. Leaves: a cosignature, or why there is none. What a witness has seen is kept before it cosigns: after
a crash it may have seen a head that it never cosigned, never the other way round.

    old 20852163                                         200  the cosignature
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=         400  not a request; or the head is smaller: ALARM
    (more lines of the proof)                            403  not signed by a key of this log
                                                         404  a log that is not known here
    example.com/behind-the-sofa                          409  another size was seen last: the body is that size; or
    20852163                                                  the same size with another root: ALARM
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=         422  the proof does not hold: ALARM
    (blank line and signatures)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, Protocol

from taisai.journal.log.merkle import EMPTY_ROOT, BadProof, check_consistency
from taisai.journal.log.note import BadNote, Checkpoint, Note, Signer, Verifier, proof_lines, read_proof

REQUEST_MAX: Final = 64 * 1024
PROOF_MAX: Final = 63
_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})")


class Reply(NamedTuple):
    """What a witness answers: an HTTP status, a body, and whether people should be told."""

    status: int
    body: str
    alarm: bool = False


class Memory(Protocol):
    """What a witness remembers, over restarts."""

    def seen(self, origin: str) -> Note | None:
        """The last head of a log that was seen, with its signatures."""
        ...

    def remember(self, note: Note) -> None:
        """Keep a head, durably; the next `seen` gives it."""
        ...


class Witness:
    """Cosigns the heads of the logs that it knows."""

    def __init__(
        self, signer: Signer, logs: Mapping[str, tuple[Verifier, ...]], memory: Memory, now_s: Callable[[], int]
    ) -> None:
        self._signer, self._logs, self._memory, self._now_s = signer, logs, memory, now_s

    def add_checkpoint(self, request: str) -> Reply:
        """Cosign a head that extends the last one seen, or say why not."""
        try:
            older, proof, note = read_request(request)
            head = Checkpoint.read(note.text)
        except BadNote as error:
            return Reply(400, f"{error}\n")
        keys = self._logs.get(head.origin)
        if keys is None:
            return Reply(404, f"this witness does not know the log {head.origin}\n")
        try:
            signed = note.signed_by(*keys)
        except BadNote as error:
            return Reply(403, f"{error}\n")
        if not signed:
            return Reply(403, f"the checkpoint is not signed by a key of {head.origin}\n")
        before = self._memory.seen(head.origin)
        seen = Checkpoint(head.origin, 0, EMPTY_ROOT) if before is None else Checkpoint.read(before.text)
        if head.size < older:
            flaw = f"the log was cut back: {head.size} records, and {older} were seen before"
            return Reply(400, f"{flaw}\n", alarm=older == seen.size)
        if older != seen.size:
            return Reply(409, f"{seen.size}\n")
        if head.size == seen.size and head.root != seen.root:
            return Reply(409, f"{seen.size}\n", alarm=True)
        try:
            check_consistency(seen.size, seen.root, head.size, head.root, proof)
        except BadProof as error:
            return Reply(422, f"the log shows another history than before: {error}\n", alarm=True)
        signature = self._signer.sign(note.text, self._now_s())
        self._memory.remember(Note(note.text, (*signed, signature)))
        return Reply(200, signature.line)


def make_request(older: int, proof: list[bytes], note: Note) -> str:
    """The request with which a log asks for a cosignature."""
    return f"old {older}\n{proof_lines(proof)}\n{note}"


def read_request(request: str) -> tuple[int, list[bytes], Note]:
    """Size, proof and note of a request; `BadNote` when it is none."""
    if len(request) > REQUEST_MAX:
        raise BadNote(f"a request of more than {REQUEST_MAX} characters")
    head, blank, note = request.partition("\n\n")
    lines = head.split("\n")
    old = _OLD.fullmatch(lines[0])
    if not blank or old is None or len(lines) > PROOF_MAX + 1:
        raise BadNote("a request is `old SIZE`, the lines of the proof, a blank line and the checkpoint")
    return int(old[1]), read_proof(lines[1:]), Note.read(note)
