-- Jobs by id.
-- gives jobs as json
SELECT CAST(json_group_array(json_array(
    seq, id, task, queue, state, reason, priority, whole_payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at)) AS BLOB)
FROM windlass_whole WHERE id IN (SELECT value FROM jsonb_each(:ids))
