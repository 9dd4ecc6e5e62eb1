-- What became of a job that a claim met, as rows that later statements of the call use.
RETURNING windlass_job.queue, windlass_job.state, windlass_job.reason, windlass_job.gate, windlass_job.promised,
    windlass_job.concurrency_key, windlass_job.seq
