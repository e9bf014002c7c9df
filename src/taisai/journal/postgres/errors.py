"""Errors of PostgreSQL and of the network, as errors of the contract.

Enters: an exception of asyncpg or of the system. Leaves: a `JournalError` in a sentence that names the journal and no
password. A connection lost in the middle of a commit leaves its outcome unknown, and the sentence says so.
"""

from __future__ import annotations

import asyncio
from typing import Final

import asyncpg  # type: ignore[import-untyped]  # asyncpg does not say its types

from taisai.journal.contract import (
    JournalDamaged,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalReadOnly,
    JournalUnreachable,
    OutcomeUnknown,
)

LOST: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncio.TimeoutError,
    asyncio.CancelledError,
    OSError,
)
"""The connection is gone, or its state is unknown."""

UNKNOWN: Final = (
    "it is not known whether the last change was written: repeat it, under the same command id, and it is not doubled"
)


def is_lost(error: BaseException) -> bool:
    """Whether the connection can no longer be used."""
    return isinstance(error, LOST)


def cannot_open(error: BaseException, shown: str) -> JournalError:
    """Why a connection could not be made."""
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return JournalUnreachable(f"{shown} refuses the user or the password")
        case asyncpg.InvalidCatalogNameError():
            return JournalUnreachable(f"{shown}: the server has no such database; create it first")
        case asyncpg.TooManyConnectionsError():
            return JournalUnreachable(f"{shown} has no connection left: too many clients are connected")
        case asyncpg.CannotConnectNowError():
            return JournalUnreachable(f"{shown} is starting or stopping: try again in a moment")
        case asyncpg.InsufficientPrivilegeError():
            return JournalUnreachable(f"{shown} does not let the user in: {_words(error)}")
        case asyncpg.ClientConfigurationError() | ValueError():
            # asyncpg's message may contain the address, and with it the password.
            return JournalUnreachable(f"{shown}: the address has an option that cannot be used")
        case asyncio.TimeoutError():
            return JournalUnreachable(f"{shown} does not answer")
        case OSError() | asyncpg.InterfaceError() | asyncpg.PostgresConnectionError():
            return JournalUnreachable(f"{shown} cannot be reached: {_system_words(error)}")
        case asyncpg.PostgresError():
            return JournalUnreachable(f"{shown} cannot be opened: {_words(error)}")
    return JournalFailed(f"{shown} cannot be opened: {type(error).__name__}")


def translated(error: BaseException, shown: str, *, writing: bool) -> JournalError:
    """What went wrong on an open connection."""
    if is_lost(error):
        if writing:
            return OutcomeUnknown(f"the connection to {shown} was lost: {UNKNOWN}")
        return JournalFailed(f"the connection to {shown} was lost: nothing was read")
    match error:
        case asyncpg.DiskFullError():
            return JournalFull(f"the disk of {shown} is full: nothing was written")
        case asyncpg.ReadOnlySQLTransactionError():
            return JournalReadOnly(f"{shown} is read-only: a standby server, or one that was set so")
        case asyncpg.InsufficientPrivilegeError() if writing:
            return JournalReadOnly(f"the user may not write to {shown}: {_words(error)}")
        case asyncpg.InsufficientPrivilegeError():
            return JournalUnreachable(f"the user may not read {shown}: {_words(error)}")
        case asyncpg.QueryCanceledError() | asyncpg.DeadlockDetectedError() | asyncpg.LockNotAvailableError():
            return JournalFailed(f"{shown} cancelled the statement: {_words(error)}; nothing was written")
        case (
            asyncpg.DataCorruptedError()
            | asyncpg.IndexCorruptedError()
            | asyncpg.UndefinedTableError()
            | asyncpg.UndefinedColumnError()
            | asyncpg.UndefinedFunctionError()
            | asyncpg.IntegrityConstraintViolationError()
        ):
            return JournalDamaged(f"{shown} is damaged: {_words(error)}")
    return JournalFailed(f"{shown} failed: {_words(error)}")


def _words(error: BaseException) -> str:
    return str(getattr(error, "message", None) or str(error) or type(error).__name__)


def _system_words(error: BaseException) -> str:
    """The reason in an OSError; one about several addresses is a single long text, which is cut."""
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:200] or type(error).__name__
