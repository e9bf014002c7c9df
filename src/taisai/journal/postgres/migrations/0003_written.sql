-- Under which lease each record was written: NULL by a version that did not note it, 0 under none. Migrations only add, and
-- a node of an older version goes on beside this one.

ALTER TABLE record ADD COLUMN fence bigint;

-- Who has had each lease, for ever. The server notes it by itself, whichever version took the lease.
CREATE TABLE tenure (
    table_name text COLLATE "C" NOT NULL,
    fence bigint NOT NULL,
    holder text COLLATE "C" NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (table_name, fence)
);

CREATE TRIGGER tenure_is_final BEFORE UPDATE OR DELETE ON tenure FOR EACH ROW EXECUTE FUNCTION is_final();
CREATE TRIGGER tenure_stays BEFORE TRUNCATE ON tenure FOR EACH STATEMENT EXECUTE FUNCTION is_final();

CREATE FUNCTION note_tenure() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    EXECUTE format('INSERT INTO %I.tenure VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING', TG_TABLE_SCHEMA)
        USING NEW.table_name, NEW.fence, NEW.holder;
    RETURN NULL;
END;
$body$;

CREATE TRIGGER lease_begins AFTER INSERT ON lease FOR EACH ROW
    WHEN (NEW.holder IS NOT NULL AND NEW.table_name NOT LIKE '@%') EXECUTE FUNCTION note_tenure();
CREATE TRIGGER lease_moves AFTER UPDATE ON lease FOR EACH ROW
    WHEN (NEW.holder IS NOT NULL AND NEW.fence <> OLD.fence AND NEW.table_name NOT LIKE '@%') EXECUTE FUNCTION note_tenure();

INSERT INTO tenure SELECT table_name, fence, holder, clock_timestamp() FROM lease
    WHERE holder IS NOT NULL AND table_name NOT LIKE '@%';
