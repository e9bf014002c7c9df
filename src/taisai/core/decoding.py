"""What the decoder says of a value that has the wrong shape, in plain words.

Enters: a message of msgspec's `ValidationError`. Leaves: an `InputFault` with the path of the field and the reason. It
is here, below everyone who decodes, so that files, notation, API and sockets say the same of the same mistake.
"""

from __future__ import annotations

import re
from typing import Final

from taisai.core.faults import InputFault

_PLACED: Final = re.compile(r"(?P<said>.*?)(?: - at (?:`key` in )?`\$\.?(?P<path>.*)`)?", re.DOTALL)
_FIELD: Final = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>[^`]*)`")
_EXPECTED: Final = re.compile(r"Expected `(?P<wanted>[^`]*)`(?P<bound>.*?)(?:, got (?P<got>.*))?", re.DOTALL)
_VALUE: Final = re.compile(r"Invalid (?:enum )?value (?P<value>.*)", re.DOTALL)
_REGEX: Final = re.compile(r"matching regex '\^?(.*?)\$?(?:\(\?!\\\\n\))?'")

_TYPE_WORDS: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}


def decoding_fault(message: str) -> InputFault:
    """The fault that a decoder's message tells of; its field is empty when it is about the whole document."""
    placed = _PLACED.fullmatch(message)
    said, path = (placed["said"], placed["path"] or "") if placed else (message, "")
    path = path.replace("[...]", ".*")
    if found := _FIELD.fullmatch(said):
        name = f"{path}.{found['name']}" if path else found["name"]
        return InputFault(name, "unknown key" if found["what"] == "contains unknown" else "is missing")
    if found := _VALUE.fullmatch(said):
        return InputFault(path, f"unknown value {found['value']}")
    if found := _EXPECTED.fullmatch(said):
        bound = _REGEX.sub(r"of the form \1", found["bound"])
        got = "" if found["got"] is None else f", got {_in_words(found['got'].strip('`'))}"
        return InputFault(path, f"must be {_in_words(found['wanted'])}{bound}{got}")
    return InputFault(path, said)


def _in_words(types: str) -> str:
    *others, last = [_TYPE_WORDS.get(each, each) for each in types.split(" | ")]
    return f"{', '.join(others)} or {last}" if others else last
