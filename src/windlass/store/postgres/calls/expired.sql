-- Running jobs behind :after that no open lease in time covers; a lease that is not there is over. The page ends at
-- :limit jobs or :bytes of errors.
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
SELECT seq, fence, attempt, max_attempts, crashes, rescues, errors, unique_key, is_by_hand, was_started, lease, worker
FROM (
    SELECT running.seq, running.fence, running.attempt, coalesce(job.max_attempts, 0) AS max_attempts, running.crashes,
        running.rescues, job.errors, job.unique_key, strpos(running.lease, ':') > 0 AS is_by_hand,
        running.started_at IS NOT NULL AS was_started, running.lease, running.worker,
        -- The lengths of long texts are known without reading them.
        coalesce(sum(octet_length(job.errors)) OVER (
            ORDER BY running.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM (
        SELECT * FROM windlass_running
        WHERE lease = ANY (ARRAY(SELECT over.lease FROM over)) AND seq > CAST(:after AS bigint)
        ORDER BY seq LIMIT CAST(:limit AS bigint)
    ) AS running LEFT JOIN windlass_job AS job ON job.seq = running.seq
) AS expired
WHERE before < CAST(:bytes AS bigint)
ORDER BY seq
