-- When the leases of those of these jobs that run are over.
-- :jobs rows (seq) as asked
-- gives ends
SELECT job.seq, job.fence, lease.renewed_at + lease.ttl
FROM jsonb_each(:jobs) AS asked
CROSS JOIN windlass_job AS job ON job.seq = {asked.seq}
CROSS JOIN windlass_lease AS lease ON lease.id = job.lease
WHERE job.state = 'running'
