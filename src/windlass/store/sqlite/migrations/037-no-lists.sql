-- SQLite evaluates the condition of a partial index, and each CHECK, for every row that is written, for its old and for its
-- new form, and builds a list of more than two values anew each time: fourteen of them in the life of a job. So conditions
-- name the states one by one. (CHECKs stay as they are, for what is written by hand; our own connections leave them out.)

DROP INDEX windlass_job_finished;
CREATE INDEX windlass_job_finished ON windlass_job (state, queue, finished_at)
    WHERE (state = 'completed' OR state = 'failed' OR state = 'cancelled');

DROP INDEX windlass_job_waiting;
CREATE INDEX windlass_job_waiting ON windlass_job (queue, state)
    WHERE (state = 'scheduled' OR state = 'retrying' OR state = 'blocked');

DROP INDEX windlass_job_keyed;
CREATE INDEX windlass_job_keyed ON windlass_job (concurrency_key, state, promised)
    WHERE concurrency_key IS NOT NULL AND (state = 'pending' OR state = 'blocked' OR state = 'running');

DROP INDEX windlass_job_expiry;
CREATE INDEX windlass_job_expiry ON windlass_job (start_by, seq)
    WHERE start_by IS NOT NULL AND (state = 'scheduled' OR state = 'pending' OR state = 'blocked');
