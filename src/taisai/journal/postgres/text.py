r"""Text, lists and rows as PostgreSQL can store them.

Enters: any text. Leaves: the same with every backslash doubled and every zero character as \0, and back. PostgreSQL
cannot store that one character, and a journal must store every text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from taisai.journal.record import Row

FIELDS: Final = "table_name, seq, position, kind, version, at, command_id, part, by_whom, body, prev, hash"
"""The columns of `record`, in the order of the fields of `Record`."""
_ESCAPED: Final = re.compile(r"\\([\\0])")


def to_text(text: str) -> str:
    """A text to store."""
    return text.replace("\\", "\\\\").replace("\0", "\\0")


def from_text(text: str) -> str:
    """A stored text."""
    return _ESCAPED.sub(lambda match: "\0" if match[1] == "0" else "\\", text) if "\\" in text else text


def to_texts(texts: Sequence[str]) -> Sequence[str]:
    """Many texts to store; almost never does one need escaping."""
    together = "".join(texts)
    return [to_text(one) for one in texts] if "\\" in together or "\0" in together else texts


def text_list(texts: Sequence[str]) -> str:
    """Many texts to store, as one array literal of PostgreSQL."""
    together = '","'.join(texts)
    if "\\" in together or "\0" in together or together.count('"') > 2 * len(texts) - 2:
        together = '","'.join(to_text(one).replace("\\", "\\\\").replace('"', '\\"') for one in texts)
    return '{"' + together + '"}'


def number_list(numbers: Iterable[int]) -> str:
    """Many whole numbers, as one array literal."""
    return "{" + repr(list(numbers))[1:-1] + "}"


def to_rows(stored: Iterable[Any]) -> list[Row]:
    """Stored records as plain tuples, with their texts unescaped."""
    rows: list[Row] = []
    for one in stored:
        row: Row = tuple(one)
        if "\\" in row[0] or "\\" in row[3] or "\\" in row[6] or "\\" in row[8]:
            table, seq, position, kind, version, at, command_id, part, by, body, prev, digest = row
            texts = (from_text(text) for text in (table, kind, command_id, by))
            table, kind, command_id, by = texts
            row = (table, seq, position, kind, version, at, command_id, part, by, body, prev, digest)
        rows.append(row)
    return rows
