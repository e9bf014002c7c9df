-- A record moves its table's head by itself, so that a commit can be one statement.

CREATE TRIGGER record_moves_head AFTER INSERT ON record BEGIN
    INSERT INTO head VALUES (NEW.table_name, NEW.seq, NEW.hash)
    ON CONFLICT (table_name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash;
END;
