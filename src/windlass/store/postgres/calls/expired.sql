-- Running jobs that no open lease in time covers; a lease that is not there is over.
-- gives expired
WITH RECURSIVE clock AS (
-- here clock
), holding AS (
-- here holding
), over AS (
    SELECT holding.lease FROM holding, clock
    WHERE NOT EXISTS (
        SELECT 1 FROM windlass_lease AS lease
        WHERE lease.id = holding.lease AND lease.state = 'open'
        AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl)
)
-- A job whose row somebody deleted has nowhere to go; rescue takes it off the list all the same, and says so.
SELECT running.seq, running.fence, running.attempt, coalesce(job.max_attempts, 0), running.crashes, running.rescues,
    job.errors, job.unique_key, strpos(running.lease, ':') > 0, running.started_at IS NOT NULL, running.lease,
    running.worker
FROM (
    SELECT * FROM windlass_running WHERE lease = ANY (ARRAY(SELECT over.lease FROM over))
    ORDER BY seq LIMIT CAST(:limit AS bigint)
) AS running LEFT JOIN windlass_job AS job ON job.seq = running.seq
ORDER BY running.seq
