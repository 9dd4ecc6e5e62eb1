-- How many finished jobs there are is kept, and need not be counted. Releases that know fewer steps go on with it: what
-- they finish is not in the tally, and the row says so.
-- compatible from 1

-- The sum of number, by queue and state. A statement that finishes jobs adds a row, so that none waits for another; a
-- duty adds rows up from time to time. Rows are inserted and deleted, never updated.
CREATE TABLE windlass_tally (
    number bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL
) WITH (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- What is there already is counted now; a default for those rows needs no rewriting of the table.
ALTER TABLE windlass_finished ADD COLUMN tallied boolean NOT NULL DEFAULT true;
ALTER TABLE windlass_finished ALTER COLUMN tallied SET DEFAULT false;
INSERT INTO windlass_tally (number, state, queue)
SELECT count(*), state, queue FROM windlass_finished GROUP BY state, queue;
-- Few or none; they are counted one by one.
CREATE INDEX finished_untallied ON windlass_finished (state, queue) WHERE NOT tallied;

-- Whatever deletes rows, by hand too, takes them out of the tally.
CREATE FUNCTION windlass_untally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO windlass_tally (number, state, queue)
    SELECT -count(*), state, queue FROM gone WHERE tallied GROUP BY state, queue;
    RETURN NULL;
END
$$;
CREATE TRIGGER untally AFTER DELETE ON windlass_finished
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION windlass_untally();
CREATE FUNCTION windlass_clear_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM windlass_tally;
    RETURN NULL;
END
$$;
CREATE TRIGGER clear_tally AFTER TRUNCATE ON windlass_finished
FOR EACH STATEMENT EXECUTE FUNCTION windlass_clear_tally();
