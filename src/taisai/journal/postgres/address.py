"""The address of a journal on PostgreSQL.

Enters: `postgresql://user:password@host:port/database?schema=name&key=/path/house.key`. Leaves: what to connect with,
the schema that holds the journal, where its key is, and the address without the password, as it may be shown.

Everything else in the address is PostgreSQL's own (`sslmode`, `host`, `passfile`, `target_session_attrs`, ...). The
password may be left out: PGPASSWORD and ~/.pgpass are read as usual.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from taisai.journal.contract import JournalUnreachable

SCHEMES: Final = frozenset({"postgresql", "postgres"})
SCHEMA: Final = "taisai"
"""The schema of a journal whose address names none."""
KEY_ENDING: Final = ".key"
_SCHEMA_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class Address(NamedTuple):
    """Where a journal on PostgreSQL is."""

    dsn: str
    """What to connect with; it may contain the password and is never shown."""
    shown: str
    schema: str
    key: Path | None
    """The private key's file, when the address names one."""

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def read_address(url: str) -> Address:
    """Parse an address, or raise what is wrong with it, without showing a password."""
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise JournalUnreachable(
            "the address of the journal cannot be read: write postgresql://user@host:5432/database"
        ) from None
    schema = options.pop("schema", SCHEMA)
    shown = _shown(parts.netloc, parts.path, options.get("host"), schema)
    if not _SCHEMA_NAME.fullmatch(schema) or schema.startswith("pg_"):
        raise JournalUnreachable(
            f"schema={schema!r} in the address of {shown} is not a valid name for a journal's schema: use lower-case"
            " letters, digits and _, at most 63 characters, and no pg_ in front"
        )
    key = options.pop("key", None)
    if key is not None and (not key.endswith(KEY_ENDING) or Path(key).name == KEY_ENDING):
        raise JournalUnreachable(f"key={key!r} in the address of {shown} must name a file that ends in {KEY_ENDING}")
    dsn = parts._replace(scheme="postgresql", query=urlencode(options), fragment="").geturl()
    # urlsplit leaves out the two slashes of an address without a host, and libpq's form needs them.
    if not parts.netloc and not dsn.startswith("postgresql://"):
        dsn = dsn.replace("postgresql:", "postgresql://", 1)
    return Address(dsn, shown, schema, None if key is None else Path(os.path.realpath(Path(key).expanduser())))


def _shown(netloc: str, path: str, host: str | None, schema: str) -> str:
    before, _, place = netloc.rpartition("@")
    user = unquote(before.partition(":")[0])
    text = f"postgresql://{user + '@' if user else ''}{place or host or ''}{path}"
    return text if schema == SCHEMA else f"{text} (schema {schema})"


def default_key(journal: str) -> Path:
    """Where the key of a journal is unless its address says so: in the user's configuration folder, by its id."""
    settings = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(os.path.realpath(Path(settings).expanduser())) / "taisai" / f"{journal}{KEY_ENDING}"
