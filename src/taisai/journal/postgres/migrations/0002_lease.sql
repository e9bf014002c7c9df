-- Who may write to a table, where several nodes share a journal. The row stays when nobody holds the lease, so that the
-- fencing number only grows.

CREATE TABLE lease (
    table_name text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C",
    fence bigint NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50);
