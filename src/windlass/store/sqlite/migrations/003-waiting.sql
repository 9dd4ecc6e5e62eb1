-- Jobs that wait for their time, by queue: an enqueue into a queue with a max_length counts them. The index by time can do
-- without the queue then.

CREATE INDEX windlass_job_waiting ON windlass_job (queue, state) WHERE state IN ('scheduled', 'retrying');
DROP INDEX windlass_job_due;
CREATE INDEX windlass_job_due ON windlass_job (run_at, seq, state) WHERE state IN ('scheduled', 'retrying');
