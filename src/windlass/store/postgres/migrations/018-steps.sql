-- Durable steps: what the runs of a job have recorded. By trigger they go with their job; only jobs with steps pay. Releases
-- that know fewer steps of the schema run such jobs and record nothing.
-- compatible from 1

-- True for a job that has recorded a step, else null.
ALTER TABLE windlass_job ADD COLUMN has_steps boolean;

CREATE TABLE windlass_step (
    seq bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    -- of the run that recorded it
    fence bigint NOT NULL,
    began_at bigint NOT NULL,
    ended_at bigint,
    wake_at bigint,
    event text COLLATE "C",
    result text,
    PRIMARY KEY (seq, name)
);

CREATE FUNCTION windlass_remove_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM windlass_step AS step WHERE step.seq = OLD.seq;
    RETURN NULL;
END
$$;
CREATE TRIGGER remove_steps AFTER DELETE ON windlass_job
FOR EACH ROW WHEN (OLD.has_steps) EXECUTE FUNCTION windlass_remove_steps();
CREATE FUNCTION windlass_clear_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM windlass_step;
    RETURN NULL;
END
$$;
CREATE TRIGGER clear_steps AFTER TRUNCATE ON windlass_job
FOR EACH STATEMENT EXECUTE FUNCTION windlass_clear_steps();
