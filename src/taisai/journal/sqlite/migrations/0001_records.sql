-- The records, the head of every table's chain, and snapshots.

CREATE TABLE migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT;

-- The columns stand in the order of the fields of Record. The second key begins with what differs soonest, which makes
-- it a good deal faster to write and to check.
CREATE TABLE record (
    table_name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    command_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    by_whom TEXT NOT NULL,
    body BLOB NOT NULL,
    prev BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (table_name, seq),
    UNIQUE (command_id, table_name, part),
    CHECK (position > 0),
    CHECK (seq > 0)
) STRICT;

CREATE TRIGGER record_stays BEFORE DELETE ON record BEGIN
    SELECT RAISE(ABORT, 'a record is never deleted');
END;

CREATE TRIGGER record_is_final BEFORE UPDATE ON record BEGIN
    SELECT RAISE(ABORT, 'a record is never changed');
END;

CREATE TABLE head (
    table_name TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot (
    table_name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    format INTEGER NOT NULL,
    record_hash BLOB NOT NULL,
    digest BLOB NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (table_name, seq),
    FOREIGN KEY (table_name, seq) REFERENCES record (table_name, seq)
) STRICT;
