-- Jobs by id.
-- gives jobs
SELECT seq, id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, lease, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at
FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS wanted (key) CROSS JOIN LATERAL (
    -- OFFSET 0 as in cycle (full): a plan that was made while the tables were empty probes an index for each job.
    SELECT * FROM windlass_record WHERE id = wanted.key OFFSET 0) AS found
