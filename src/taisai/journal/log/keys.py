"""One key's word for the next: how a log goes over to another key.

Enters: the old key and the new one. Leaves: a C2SP signed note by the old key that names the new one, which an auditor
or a witness who trusts the old key can follow without asking anybody.

    taisai key
    casino.example/floor+4f5a…+AXk…

    — casino.example/floor (signature of the old key)
"""

from __future__ import annotations

from typing import Final

from taisai.journal.log.note import BadNote, Note, Signer, Verifier

TITLE: Final = "taisai key"


def word_for(old: Signer, new: Verifier) -> Note:
    """The old key's word that the log goes on with the new one."""
    text = f"{TITLE}\n{new}\n"
    return Note(text, (old.sign(text),))


def vouched_by(note: Note, *old: Verifier) -> Verifier:
    """The new key that a word names; `BadNote` when it is no word, or not that of one of these keys."""
    title, _, named = note.text.partition("\n")
    if title != TITLE:
        raise BadNote("this is not a key's word for another")
    if not note.signed_by(*old):
        raise BadNote("the word is not signed by the key that is known")
    new = Verifier.read(named)
    if new.name not in {key.name for key in old}:
        raise BadNote(f"the word is for another log: {new.name}")
    return new
