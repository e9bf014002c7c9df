"""Errors of PostgreSQL and of the network, as the journal's own."""

from __future__ import annotations

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types
import pytest

from taisai.journal import (
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalReadOnly,
    JournalUnreachable,
    OutcomeUnknown,
)
from taisai.journal.postgres.errors import cannot_open, translated

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (asyncpg.DiskFullError("x"), JournalFull, "is full: nothing was written"),
        (asyncpg.ReadOnlySQLTransactionError("x"), JournalReadOnly, "is read-only"),
        (asyncpg.QueryCanceledError("x"), JournalFailed, "cancelled the statement: x; nothing was written"),
        (asyncpg.DeadlockDetectedError("x"), JournalFailed, "cancelled the statement"),
        (asyncpg.DataCorruptedError("x"), JournalDamaged, "is damaged: x"),
        (asyncpg.UndefinedTableError("x"), JournalDamaged, "is damaged: x"),
        (asyncpg.CheckViolationError("x"), JournalDamaged, "is damaged: x"),
        (asyncpg.PostgresIOError("x"), JournalFailed, "failed: x"),
        (asyncpg.AdminShutdownError("x"), OutcomeUnknown, "was lost: it is not known whether"),
        (asyncpg.ConnectionDoesNotExistError("x"), OutcomeUnknown, "was lost: it is not known whether"),
        (ConnectionResetError("x"), OutcomeUnknown, "was lost: it is not known whether"),
        (TimeoutError(), OutcomeUnknown, "was lost: it is not known whether"),
        (RuntimeError(), JournalFailed, "failed: RuntimeError"),
    ],
)
def test_what_postgresql_says_is_translated(error: Exception, kind: type[JournalError], words: str) -> None:
    """Every error on an open connection becomes one of the journal's, and its message names the journal."""
    found = translated(error, "the journal", writing=True)
    assert type(found) is kind
    assert words in str(found)
    assert "the journal" in str(found)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (asyncpg.TooManyConnectionsError("x"), "too many clients"),
        (asyncpg.CannotConnectNowError("x"), "is starting or stopping"),
        (asyncpg.InsufficientPrivilegeError("x"), "does not let the user in: x"),
        (asyncpg.ConfigurationLimitExceededError("x"), "cannot be opened: x"),
        (TimeoutError(), "does not answer"),
        (ConnectionRefusedError(111, "Connection refused"), "cannot be reached: Connection refused"),
        (OSError("Multiple\n exceptions"), "cannot be reached: Multiple exceptions"),
    ],
)
def test_why_a_server_cannot_be_opened(error: Exception, words: str) -> None:
    """Every error of connecting becomes `JournalUnreachable` with the reason."""
    found = cannot_open(error, "the journal")
    assert type(found) is JournalUnreachable
    assert words in str(found)
    assert type(cannot_open(RuntimeError(), "the journal")) is JournalFailed
