-- The next jobs of one queue in the order in which they would be claimed; takes nothing.
-- gives jobs as json
SELECT CAST(json_group_array(json_array(
    seq, id, task, queue, state, reason, priority, whole_payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at)) AS BLOB)
FROM (
    -- A suspect comes before the others of its priority.
    SELECT * FROM (
        SELECT *, 0 AS place FROM (
            SELECT * FROM windlass_whole WHERE queue = :queue AND state = 'pending' AND crashes + rescues > 0
            ORDER BY priority DESC, run_at, seq LIMIT :limit)
        UNION ALL
        SELECT *, 1 FROM (
            SELECT * FROM windlass_whole WHERE queue = :queue AND state = 'pending' AND crashes = 0 AND rescues = 0
            ORDER BY priority DESC, run_at, seq LIMIT :limit))
    ORDER BY priority DESC, place, run_at, seq LIMIT :limit
)
