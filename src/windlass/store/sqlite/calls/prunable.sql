-- Finished jobs of one queue and state that are older than :before, or beyond the newest :keep, the oldest first.
-- gives jobs
SELECT seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at
FROM windlass_job
WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
AND finished_at < max(:now - :age, coalesce((
    SELECT finished_at FROM windlass_job
    WHERE state IN ('completed', 'failed', 'cancelled') AND state = :state AND queue = :queue
    ORDER BY finished_at DESC LIMIT 1 OFFSET :keep - 1), 0))
ORDER BY finished_at, seq LIMIT :limit
