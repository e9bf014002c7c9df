"""Faults of input: what was wrong, and the name of the field that holds it.

A refusal of the table is a value and has its own type; these are for input that cannot be read at all.
"""

from __future__ import annotations


class InputFault(ValueError):
    """Input that is not what its field may hold. `str()` gives one line: `field: reason`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason

    def __reduce__(self) -> tuple[type[InputFault], tuple[str, str]]:
        # Without this a fault raised in another process cannot come back: an exception is rebuilt from `args`.
        return InputFault, (self.field, self.reason)

    def under(self, prefix: str) -> InputFault:
        """The same fault as seen from the document that holds the field."""
        return InputFault(f"{prefix}.{self.field}" if self.field else prefix, self.reason)


def shown(value: object, limit: int = 40) -> str:
    """A value as an error message quotes it: short, on one line, without control characters."""
    try:
        text = repr(value)
    except ValueError:  # Python writes out no whole number of more than 4300 digits
        return "a number too long to write out"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
