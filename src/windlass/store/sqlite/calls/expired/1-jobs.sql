-- Running jobs behind :after that no open lease in time covers; a lease that is not there is over. The page ends at
-- :limit jobs or :bytes of errors; those are added up without the errors, which would all be kept meanwhile.
-- gives expired as json
SELECT CAST(json_group_array(json_array(
    seq, fence, attempt, max_attempts, crashes, rescues, errors, unique_key, instr(coalesce(lease, ''), ':') > 0,
    started_at IS NOT NULL, lease, windlass_job.worker,
    max(0, coalesce(windlass_lease.renewed_at + windlass_lease.ttl, :now) - started_at), windlass_lease.blamed)) AS BLOB)
FROM (
    SELECT seq AS number, sum(coalesce(octet_length(errors), 0)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
        - coalesce(octet_length(errors), 0) AS before
    FROM windlass_job
    WHERE state = 'running' AND seq > :after AND NOT EXISTS (
        SELECT 1 FROM windlass_lease
        WHERE id = windlass_job.lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)
    -- the plus keeps the planner from walking all jobs in the order of seq; those that run have an index
    ORDER BY +seq LIMIT :limit
) CROSS JOIN windlass_job ON seq = number LEFT JOIN windlass_lease ON windlass_lease.id = windlass_job.lease
WHERE before < :bytes
