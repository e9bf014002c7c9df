"""The schema of a journal on PostgreSQL, brought up to date by the migrations of this folder.

Enters: a connection, the schema's name. Leaves: today's schema, or `JournalUnreachable` (there is none), `NotAJournal`
(another program's schema), `UnknownFormat`, `JournalDamaged`. A schema that is not a journal is not touched. Also
findings about differences between the schema as it is and as the migrations make it.

Migrations are applied under an advisory lock, because several nodes may start together. `migrations/schema.txt` is the
schema that they make, line by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

from taisai.journal.contract import JournalDamaged, JournalReadOnly, JournalUnreachable, NotAJournal
from taisai.journal.migrations import Migration, require_known, require_same
from taisai.journal.record import Finding

PACKAGE: Final = "taisai.journal.postgres"
LOCK: Final = int.from_bytes(b"taisai-J") % 2**63
"""The key of the advisory lock under which a schema is made or changed."""

MIGRATION_S: Final = 3600.0
"""How long a migration of a large journal may take."""

RELATIONS: Final = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 LIMIT 1"
)
LINES: Final = """
WITH ours AS (
    SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
)
SELECT 'relation ' || relname || ' ' || relkind::text || ' ' || relpersistence::text
    || CASE WHEN relrowsecurity THEN ' row security' ELSE '' END AS line FROM ours
UNION ALL SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || coalesce(' ' || l.collname, '')
    || CASE WHEN a.atthasdef THEN ' default' ELSE '' END
    FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT 'constraint ' || c.relname || ' '
    || replace(pg_get_constraintdef(k.oid), quote_ident($1) || '.', '')
    || CASE WHEN k.convalidated THEN '' ELSE ' not valid' END
    FROM ours c JOIN pg_constraint k ON k.conrelid = c.oid WHERE k.contype <> 'n'
UNION ALL SELECT 'index ' || c.relname || ' ' || i.indisunique || ' ' || i.indisvalid
    FROM ours c JOIN pg_index i ON i.indexrelid = c.oid
UNION ALL SELECT 'trigger ' || c.relname || '.' || t.tgname || ' ' || t.tgtype || ' ' || t.tgenabled::text || ' '
    || p.proname
    FROM ours c JOIN pg_trigger t ON t.tgrelid = c.oid JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal
UNION ALL SELECT 'rule ' || c.relname || '.' || r.rulename FROM ours c JOIN pg_rewrite r ON r.ev_class = c.oid
UNION ALL SELECT 'function ' || p.proname || ' ' || md5(p.prosrc)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1
"""


async def bring_up(
    connection: Any, schema: str, shown: str, migrations: tuple[Migration, ...], *, create: bool, again: bool = False
) -> None:
    """Apply the migrations that are not applied yet; `create` allows a new journal.

    `again` is for a process that reconnects: a newer node may have been started in the meantime. Migrations only add,
    so what this one needs is still there.
    """
    count = await applied(connection, schema, shown, migrations, newer=again)
    if count >= len(migrations):
        return
    if not count and not create:
        raise JournalUnreachable(f"there is no journal at {shown}")
    if await connection.fetchval("SHOW transaction_read_only") == "on":
        raise JournalReadOnly(f"{shown} is read-only: a standby server, or one that was set so")
    async with connection.transaction():
        await connection.execute("SET LOCAL statement_timeout = 0")
        await connection.execute(f"SELECT pg_advisory_xact_lock({LOCK})", timeout=MIGRATION_S)
        if not await connection.fetchval("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema):
            await connection.execute(f"CREATE SCHEMA {schema}")
        # Another node may have been first.
        for one in migrations[await applied(connection, schema, shown, migrations) :]:
            await connection.execute(one.sql, timeout=MIGRATION_S)
            await connection.execute("INSERT INTO migration VALUES ($1, $2, $3)", one.number, one.name, one.checksum)


async def applied(
    connection: Any, schema: str, shown: str, migrations: tuple[Migration, ...], *, newer: bool = False
) -> int:
    """How many migrations the schema has had; 0 when it is empty or not there. `newer` allows more than are known."""
    if not await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", f"{schema}.migration"):
        if await connection.fetchval(RELATIONS, schema):
            raise NotAJournal(f"{shown}: the schema {schema} belongs to another program: it is not a taisai journal")
        return 0
    rows = await connection.fetch("SELECT number, name, checksum FROM migration ORDER BY number")
    if not newer:
        require_known(len(rows), migrations, shown)
    if not rows:
        raise JournalDamaged(f"{shown} is damaged: it lists no migrations")
    require_same(rows, migrations, shown)
    return len(rows)


async def schema_of(connection: Any, schema: str) -> list[str]:
    """The schema as it is, a line for each part of it, in alphabetical order."""
    return sorted(row[0] for row in await connection.fetch(LINES, schema))


def expected_schema() -> list[str]:
    """The schema as the migrations make it."""
    return files(PACKAGE).joinpath("migrations", "schema.txt").read_text(encoding="utf-8").splitlines()


async def schema_findings(connection: Any, schema: str) -> list[Finding]:
    """What differs from the migrations' schema, and whether tail, heads and checkpoint head match the rows."""
    there, wanted = await schema_of(connection, schema), expected_schema()
    findings = [*_altered("is missing", wanted, there), *_altered("should not be there", there, wanted)]
    tail, last, heads = await connection.fetchrow(
        "SELECT (SELECT position FROM tail), (SELECT max(position) FROM record), (SELECT sum(seq)::bigint FROM head)"
    )
    if (tail or 0) != (last or 0):
        sentence = f"the journal should end at position {tail or 0}, and its last record is at {last or 0}"
        findings.append(Finding(None, None, tail, "tail-missing", sentence))
    if (tail or 0) != (heads or 0):
        sentence = f"the journal should end at position {tail or 0}, and its tables have {heads or 0} records together"
        findings.append(Finding(None, None, tail, "head-altered", sentence))
    head_number, head_hash, number, digest = await connection.fetchrow(
        "SELECT h.number, h.hash, c.number, c.hash FROM (SELECT 1) one LEFT JOIN checkpoint_head h ON true"
        " LEFT JOIN (SELECT number, hash FROM checkpoint ORDER BY number DESC LIMIT 1) c ON true"
    )
    if (head_number, head_hash) != (number, digest):
        sentence = f"the last checkpoint should be number {head_number}, and the last one there is number {number}"
        if head_number == number:
            sentence = f"checkpoint {number} is not the one that the journal names as its last"
        findings.append(Finding(None, None, None, "checkpoint-missing", sentence))
    return findings


def _altered(what: str, these: list[str], those: list[str]) -> Iterator[Finding]:
    for line in these:
        if line not in those:
            sentence = f"the schema is not as taisai made it: {line!r} {what}"
            yield Finding(None, None, None, "schema-altered", sentence)
