"""Faults of input: what was wrong, and the name of the field that holds it.

Enters: a value, or a message of msgspec's `ValidationError`. Leaves: an `InputFault`. Files, notation, API and sockets
all take their words from here, so that the same mistake reads the same everywhere. A refusal of the table is a value
and has its own type; these are for input that cannot be read at all.
"""

from __future__ import annotations

import re
from typing import Final

_PLACED: Final = re.compile(r"(?P<said>.*?)(?: - at (?:`key` in )?`\$\.?(?P<path>.*)`)?", re.DOTALL)
_FIELD: Final = re.compile(r"Object (?P<what>contains unknown|missing required) field `(?P<name>[^`]*)`")
_EXPECTED: Final = re.compile(r"Expected `(?P<wanted>[^`]*)`(?P<bound>.*?)(?:, got (?P<got>.*))?", re.DOTALL)
_VALUE: Final = re.compile(r"Invalid (?:enum )?value (?P<value>.*)", re.DOTALL)
_REGEX: Final = re.compile(r"matching regex '\^?(.*?)\$?(?:\(\?!\\\\n\))?'")

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Controls of C0 and C1, line and paragraph separators, and marks that turn the direction of text."""

_TYPE_WORDS: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}


class InputFault(ValueError):
    """A value that its field cannot hold. `str()` gives one line: `field: reason`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason

    def __reduce__(self) -> tuple[type[InputFault], tuple[str, str]]:
        # An exception is unpickled from `args`, which hold one string here: without this no fault crosses processes.
        return InputFault, (self.field, self.reason)

    def under(self, prefix: str) -> InputFault:
        """The same fault as seen from the document that holds the field."""
        return InputFault(f"{prefix}.{self.field}" if self.field else prefix, self.reason)


def shown(value: object, limit: int = 40) -> str:
    """A value as an error message quotes it: short, on one line, without control characters."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print whole numbers of more than 4300 digits
        return "a number too long to write out"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def one_line(text: str) -> str:
    """A text for a terminal or a log: line breaks, escapes and other control characters are written out."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


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
