-- The drawer: small things that may change (accounts, sessions, settings), kept beside the records and not part of them.

CREATE TABLE drawer (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
