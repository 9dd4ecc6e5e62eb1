-- Suspects, whose last run died with its process, wait in a place of their own: a cycle takes at most one of them.

DROP INDEX windlass_job_ready;
-- The parentheses let SQLite see that the index says all three of an entry: without them a count reads each job as well.
CREATE INDEX windlass_job_ready ON windlass_job (queue, priority DESC, run_at, seq)
    WHERE state = 'pending' AND (crashes = 0 AND rescues = 0);
CREATE INDEX windlass_job_suspect ON windlass_job (queue, priority DESC, run_at, seq)
    WHERE state = 'pending' AND crashes + rescues > 0;

-- The job that rescue holds responsible for the loss of the lease, so that all pages of a rescue decide alike.
ALTER TABLE windlass_lease ADD COLUMN blamed INTEGER;
