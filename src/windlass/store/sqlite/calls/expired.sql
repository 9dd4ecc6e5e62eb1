-- Running jobs that no open lease in time covers; a lease that is not there is over.
-- gives expired as json
SELECT CAST(json_group_array(json_array(
    seq, fence, attempt, max_attempts, crashes, rescues, errors, unique_key, instr(coalesce(lease, ''), ':') > 0,
    started_at IS NOT NULL, lease, worker)) AS BLOB)
FROM (
    SELECT * FROM windlass_job
    WHERE state = 'running' AND NOT EXISTS (
        SELECT 1 FROM windlass_lease
        WHERE id = windlass_job.lease AND state = 'open' AND renewed_at - ttl <= :now AND :now < renewed_at + ttl)
    -- the plus keeps the planner from walking all jobs in the order of seq; those that run have an index
    ORDER BY +seq LIMIT :limit
)
