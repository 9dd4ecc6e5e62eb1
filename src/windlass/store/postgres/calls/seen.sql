-- When the worker that holds a job was last heard of.
-- gives seen
SELECT lease.renewed_at FROM windlass_job AS job JOIN windlass_lease AS lease ON lease.id = job.lease
WHERE job.seq = CAST(:seq AS bigint) AND job.state = 'running'
