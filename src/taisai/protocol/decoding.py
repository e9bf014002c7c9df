"""The decoder's error messages in our words.

Enters: what msgspec says of a value that has the wrong shape. Leaves: the field's path and a reason in plain words.
"""

from __future__ import annotations

import re

_PLACED = re.compile(r"(?P<said>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_FIELD = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>[^`]*)`")
_TYPE = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>[^`]*)`")

_TYPE_WORDS = {
    "array": "a list",
    "array | null": "a list or null",
    "bool": "true or false",
    "float": "a fraction",
    "int": "a whole number",
    "int | str | null": "a text, a whole number or null",
    "null": "null",
    "object": "an object",
    "object | null": "an object or null",
    "str": "a text",
    "str | null": "a text or null",
}


def in_words(message: str) -> tuple[str, str]:
    """The path of the field (empty for the whole document) and what is wrong with it."""
    placed = _PLACED.fullmatch(message)
    said, path = (placed["said"], placed["path"] or "") if placed else (message, "")
    path = path.replace("[...]", ".*")
    field = _FIELD.fullmatch(said)
    if field:
        name = f"{path}.{field['name']}" if path else field["name"]
        return name, "unknown key" if field["what"] == "contains unknown" else "is missing"
    types = _TYPE.fullmatch(said)
    if types:
        wanted, got = (_TYPE_WORDS.get(types[key], types[key]) for key in ("wanted", "got"))
        return path, f"must be {wanted}, got {got}"
    return path, said
