-- The records, the heads of the tables' chains, the end of the whole journal, snapshots, checkpoints and the drawer:
-- the same things as in an SQLite file.

CREATE TABLE migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum bytea NOT NULL
);

CREATE FUNCTION is_final() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION 'a % is never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END;
$body$;

-- The columns stand in the order of the fields of Record. Text is kept with its backslashes doubled and a zero character
-- as \0, which PostgreSQL itself cannot keep.
CREATE TABLE record (
    table_name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    position bigint PRIMARY KEY,
    kind text NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    command_id text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    by_whom text NOT NULL,
    body bytea NOT NULL,
    prev bytea NOT NULL,
    hash bytea NOT NULL,
    UNIQUE (table_name, seq),
    UNIQUE (command_id, table_name, part),
    CHECK (position > 0),
    CHECK (seq > 0)
);

CREATE TRIGGER record_is_final BEFORE UPDATE OR DELETE ON record FOR EACH ROW EXECUTE FUNCTION is_final();
CREATE TRIGGER record_stays BEFORE TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION is_final();

CREATE TABLE head (
    table_name text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
) WITH (fillfactor = 50);

-- One row: the last position. Who moves it writes, and everybody else waits: that is the order of commits.
CREATE TABLE tail (
    place integer PRIMARY KEY CHECK (place = 1),
    position bigint NOT NULL,
    journal uuid NOT NULL
) WITH (fillfactor = 10);

INSERT INTO tail VALUES (1, 0, gen_random_uuid());

CREATE TABLE snapshot (
    table_name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    format bigint NOT NULL,
    record_hash bytea NOT NULL,
    digest bytea NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (table_name, seq),
    FOREIGN KEY (table_name, seq) REFERENCES record (table_name, seq)
);

CREATE TABLE checkpoint (
    number bigint PRIMARY KEY,
    prev bytea NOT NULL,
    position bigint NOT NULL,
    count bigint NOT NULL,
    at bigint NOT NULL,
    heads bytea NOT NULL,
    key bytea NOT NULL,
    signature bytea NOT NULL,
    hash bytea NOT NULL,
    CHECK (number > 0)
);

CREATE TRIGGER checkpoint_is_final BEFORE UPDATE OR DELETE ON checkpoint FOR EACH ROW EXECUTE FUNCTION is_final();
CREATE TRIGGER checkpoint_stays BEFORE TRUNCATE ON checkpoint FOR EACH STATEMENT EXECUTE FUNCTION is_final();

CREATE TABLE checkpoint_head (
    place integer PRIMARY KEY CHECK (place = 1),
    number bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE drawer (
    name text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);
