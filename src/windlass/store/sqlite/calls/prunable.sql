-- Finished jobs of one queue and state that are older than :age, or beyond the newest :keep, the oldest first.
-- gives jobs as json
WITH beyond AS (
    SELECT finished_at, seq FROM windlass_job
    WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
    ORDER BY finished_at DESC, seq DESC LIMIT 1 OFFSET :keep
)
SELECT CAST(json_group_array(json_array(
    seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at)) AS BLOB)
FROM (
    SELECT * FROM windlass_job
    WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
    -- bounds the walk through the index; what follows is exact
    AND finished_at <= max(:now - :age - 1, coalesce((SELECT finished_at FROM beyond), 0))
    AND (finished_at < :now - :age OR (finished_at, seq) <= (SELECT finished_at, seq FROM beyond))
    ORDER BY finished_at, seq LIMIT :limit
)
