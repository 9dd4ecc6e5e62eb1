-- Within a queue and a priority jobs come in the order in which they became ready (run_at), not in the order of seq.

DROP INDEX windlass_job_ready;
CREATE INDEX windlass_job_ready ON windlass_job (queue, priority DESC, run_at, seq) WHERE state = 'pending';
