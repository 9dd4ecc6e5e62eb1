-- Running jobs that no open lease in time covers; a lease that is not there is over.
-- gives expired
SELECT job.seq, job.fence, job.attempt, job.max_attempts, job.crashes, job.rescues, job.errors, job.unique_key,
    strpos(coalesce(job.lease, ''), ':') > 0, job.started_at IS NOT NULL, job.lease, job.worker
FROM windlass_job AS job, (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now) AS clock
WHERE job.state = 'running' AND NOT EXISTS (
    SELECT 1 FROM windlass_lease AS lease
    WHERE lease.id = job.lease AND lease.state = 'open'
    AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl)
ORDER BY job.seq LIMIT CAST(:limit AS bigint)
