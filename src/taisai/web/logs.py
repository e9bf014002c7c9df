"""Logs: one line for each event, as JSON for machines or as text for people.

Enters: records of the standard logging. Leaves: lines on standard error, with request, table and round in fields of
their own. Passwords, tokens and journal addresses with passwords never reach a log: no body, header or setting is
logged.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from taisai.core.faults import one_line

_FIELDS: Final = ("request", "table", "round", "who", "where", "ms", "path", "node")


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record."""
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
    """Formats a record for people."""

    def __init__(self) -> None:
        super().__init__(datefmt="%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """Format the record, followed by its fields; only a traceback has lines of its own, each indented."""
        head = self.formatTime(record, self.datefmt)
        found = [f"{name}={getattr(record, name)}" for name in _FIELDS if getattr(record, name, None) not in (None, "")]
        line = one_line(f"{head} {record.levelname:<7} {'  '.join([record.getMessage(), ' '.join(found)]).rstrip()}")
        if record.exc_info:
            line += "".join(f"\n    {one_line(each)}" for each in self.formatException(record.exc_info).split("\n"))
        return line


class _Refusals(logging.Filter):
    """Drops the error that uvicorn logs for every socket refused with an HTTP answer, which is no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        return record.msg != "ASGI callable returned without completing handshake."


def set_up_logs(form: Literal["json", "text"], level: str) -> None:
    """Send all logs to standard error in one format."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Refusals())
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    for name in ("taisai", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
    # At debug level uvicorn logs incoming headers and frames, which contain tokens and passwords.
    logging.getLogger("uvicorn").setLevel(max(logging.getLevelNamesMapping()[level.upper()], logging.INFO))
    logging.getLogger("uvicorn.access").disabled = True
