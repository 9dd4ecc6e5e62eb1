-- When the worker that holds a job was last heard of.
-- gives renewed_at
SELECT windlass_lease.renewed_at FROM windlass_job JOIN windlass_lease ON windlass_lease.id = windlass_job.lease
WHERE windlass_job.seq = :seq AND windlass_job.state = 'running'
