-- Signed checkpoints, and the last one's number and hash, so that a missing last one is missed.

CREATE TABLE checkpoint (
    number INTEGER PRIMARY KEY,
    prev BLOB NOT NULL,
    position INTEGER NOT NULL,
    count INTEGER NOT NULL,
    at INTEGER NOT NULL,
    heads BLOB NOT NULL,
    key BLOB NOT NULL,
    signature BLOB NOT NULL,
    hash BLOB NOT NULL,
    CHECK (number > 0)
) STRICT;

CREATE TRIGGER checkpoint_stays BEFORE DELETE ON checkpoint BEGIN
    SELECT RAISE(ABORT, 'a checkpoint is never deleted');
END;

CREATE TRIGGER checkpoint_is_final BEFORE UPDATE ON checkpoint BEGIN
    SELECT RAISE(ABORT, 'a checkpoint is never changed');
END;

CREATE TABLE checkpoint_head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    number INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
