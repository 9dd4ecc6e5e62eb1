-- Durable steps: what the runs of a job have recorded. Of jobs that have some, has_steps is 1, so that deleting any other job
-- costs no look into this table. A process that was started before this step runs such jobs, and takes their steps along when
-- it deletes them; it records none.

ALTER TABLE windlass_job ADD COLUMN has_steps INTEGER NOT NULL DEFAULT 0;

CREATE TABLE windlass_step (
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- of the run that recorded it
    fence INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    wake_at INTEGER,
    event TEXT,
    result TEXT,
    PRIMARY KEY (seq, name)
) STRICT;

CREATE TRIGGER windlass_steps_gone AFTER DELETE ON windlass_job WHEN OLD.has_steps = 1
BEGIN
    DELETE FROM windlass_step WHERE seq = OLD.seq;
END;
