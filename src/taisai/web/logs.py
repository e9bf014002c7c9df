"""Logs: one line an event, as JSON for machines or as text for people.

Request, table and round ids stand in fields of their own. Passwords, tokens and addresses of journals with passwords
never reach a log: nothing here logs bodies, headers or settings.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

_FIELDS: Final = ("request", "table", "round", "who", "where", "ms", "path", "node")


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name in _FIELDS:
            value = getattr(record, name, None)
            if value not in (None, ""):
                line[name] = value
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class TextLines(logging.Formatter):
    """A record as people read it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """The line, with its fields behind."""
        line = super().format(record)
        found = [f"{name}={getattr(record, name)}" for name in _FIELDS if getattr(record, name, None) not in (None, "")]
        return f"{line}  {' '.join(found)}" if found else line


class _Refusals(logging.Filter):
    """Leaves out what uvicorn says of every socket that is refused with an answer: nothing is wrong with those."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is told."""
        return record.msg != "ASGI callable returned without completing handshake."


def set_up_logs(form: Literal["json", "text"], level: str) -> None:
    """Send all logs to standard error in one form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Refusals())
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    for name in ("taisai", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
    # Uvicorn's finest words are headers and frames as they come in: tokens and passwords are among them.
    logging.getLogger("uvicorn").setLevel(max(logging.getLevelNamesMapping()[level.upper()], logging.INFO))
    logging.getLogger("uvicorn.access").disabled = True
