"""The life of a log's key: rotation, loss, compromise, and a log that must begin anew.

Enters: a journal that nobody else writes to, and why. Leaves: a new key in the old one's place, a record of it in the
house's stream, and a head signed with it. With the old key's word (a rotation) whoever trusts the old key trusts the
new one; without it (the key is lost, or somebody else has it) people must: the auditor's PEM file and the witnesses'
pins are changed by hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from taisai.house.log import append_house
from taisai.house.proof import KEY, NOTHING_YET, ORIGIN, Prover
from taisai.journal.contract import Journal, SigningError
from taisai.journal.log.headfile import HeadFile
from taisai.journal.log.keys import word_for
from taisai.journal.log.note import Note, Signer, Verifier
from taisai.journal.log.tree import COSIGNED, HEAD, NEWEST, Tree
from taisai.journal.signing import public_pem, raw
from taisai.streams.house_events import HouseEvent, HouseEventBody, KeyChanged, LogRestarted

ROTATION: Final = "rotation"
LOSS: Final = "loss"
COMPROMISE: Final = "compromise"


def verifier_of(journal: Journal) -> Verifier:
    """The key of a journal's log."""
    origin, key = journal.get(ORIGIN), journal.get(KEY)
    if key is not None:
        return Verifier.read(key.decode())
    public = journal.public_key()
    if origin is None or public is None:
        raise SigningError("this journal has no log yet: it begins with the first start of the house")
    return Verifier(origin.decode(), raw(public))


def change_key(
    journal: Journal, why: str, *, by: str, reason: str, now: Callable[[], int]
) -> tuple[Verifier, Note | None]:
    """Put a new key in the old one's place; the new key, and the old one's word for it where there is one."""
    file = _key_file(journal)
    before = verifier_of(journal)
    prover = Prover(lambda: journal, now)
    word: Note | None = None
    new = Ed25519PrivateKey.generate()
    after = Verifier(before.name, new.public_key().public_bytes_raw())
    if why == ROTATION:
        _sign(prover)  # the old key's last head covers everything that it saw
        word = word_for(Signer(before.name, journal.signer(make=False).private), after)
    _record(journal, KeyChanged(str(before), str(after), why, "" if word is None else str(word)), by, reason, now)
    _put_in_place(file, new, before)
    journal.put(KEY, str(after).encode())
    _sign(Prover(lambda: journal, now))
    return after, word


def restart_log(journal: Journal, *, by: str, reason: str, now: Callable[[], int]) -> Verifier:
    """Let the log go on under a new name and a new key: what was signed before is lost, or contradicts the journal."""
    file = _key_file(journal)
    before = (journal.get(ORIGIN) or b"").decode()
    known = HeadFile(file)
    try:
        last = known.read()
    except SigningError:
        last = None
    new = Ed25519PrivateKey.generate()
    stem, _, number = before.rpartition("/again-")
    name = f"{stem}/again-{int(number) + 1}" if stem and number.isdigit() else f"{before or 'taisai'}/again-2"
    after = Verifier(name, new.public_key().public_bytes_raw())
    tree = Tree(journal)
    tree.clear()
    while heads := journal.entries(HEAD, count=1_000):
        journal.put_all(dict.fromkeys(heads))
    journal.put_all({NEWEST: None, COSIGNED: None, ORIGIN: name.encode(), KEY: str(after).encode()})
    _record(journal, LogRestarted(before, name, str(after), "" if last is None else str(last)), by, reason, now)
    _put_in_place(file, new, None)
    known.write(NOTHING_YET)
    _sign(Prover(lambda: journal, now))
    return after


def _key_file(journal: Journal) -> Path:
    if journal.key_file is None:
        raise SigningError("the key of a journal in memory ends with its process")
    return journal.key_file


def _sign(prover: Prover) -> None:
    while prover.follow():
        pass
    prover.sign()


def _record(journal: Journal, what: HouseEventBody, by: str, reason: str, now: Callable[[], int]) -> None:
    append_house(journal, [HouseEvent(now(), by, what, reason=reason)])


def _put_in_place(file: Path, new: Ed25519PrivateKey, before: Verifier | None) -> None:
    """The new key where the old one was; the old one stays beside it under its id, for whoever must explain it."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if before is not None and file.exists():
            file.replace(file.with_name(f"{file.name}.{before.id.hex()}.retired"))
        _write(file, new.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
        _write(file.with_suffix(".pub"), public_pem(new.public_key()), 0o644)
    except OSError as error:
        raise SigningError(f"the key {file} cannot be replaced: {error.strerror}") from error


def _write(path: Path, content: bytes, mode: int) -> None:
    draft = path.with_name(f"{path.name}.partial")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
