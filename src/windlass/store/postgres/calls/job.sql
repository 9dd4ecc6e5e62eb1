-- Jobs by id.
-- gives jobs
SELECT seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at
FROM windlass_job WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS jsonb))))
