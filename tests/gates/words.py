"""The gate of words: people are "they", or their role.

Enters: the files of a project. Leaves: every place where a person is given a gender.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.gates.tidy import files_of

# The words are written in two parts, so that this file does not hold them itself.
_PRONOUNS = [
    ("h", "e"),
    ("h", "is"),
    ("h", "im"),
    ("h", "imself"),
    ("sh", "e"),
    ("h", "er"),
    ("h", "ers"),
    ("h", "erself"),
]
PRONOUN = re.compile(rf"\b(?:{'|'.join(first + rest for first, rest in _PRONOUNS)})\b", re.IGNORECASE)


def gendered(root: Path) -> Iterator[str]:
    """Every place of a text file that calls a person by a gender, as `file:line: word`."""
    for path in files_of(root):
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue  # a picture or the like
        if "\0" in text:
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            for word in PRONOUN.findall(line):
                yield f"{path.relative_to(root).as_posix()}:{number}: {word}"
