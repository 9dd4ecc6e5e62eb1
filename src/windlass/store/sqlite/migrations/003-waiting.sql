-- Jobs that wait for their time, by queue: what an enqueue into a queue with a max_length counts.

CREATE INDEX windlass_job_waiting ON windlass_job (queue) WHERE state IN ('scheduled', 'retrying');
