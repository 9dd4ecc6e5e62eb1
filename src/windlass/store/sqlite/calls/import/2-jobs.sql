-- Stores jobs of another store as they are, in their order; only the seq is this store's own. What is there stays.
-- :jobs rows as JobRecord; none of them runs
INSERT INTO windlass_job (
    id, task, queue, state, reason, priority, payload, meta, attempt, max_attempts, crashes, rescues, run_at,
    created_at, promoted_at, claimed_at, started_at, finished_at, timeout, fence, worker, cancel_requested_at,
    unique_key, progress, result, errors, retry, unknown_at)
SELECT value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
    value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value ->> 15, value ->> 16,
    value ->> 17, value ->> 18, value ->> 19, value ->> 20, value ->> 22, value ->> 23, value ->> 24, value ->> 25,
    value ->> 26, value ->> 27, value ->> 28, value ->> 29
FROM jsonb_each(:jobs) AS jobs WHERE true ORDER BY jobs.key
ON CONFLICT (id) DO NOTHING
