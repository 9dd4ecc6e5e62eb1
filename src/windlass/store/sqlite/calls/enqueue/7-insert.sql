-- Stores the jobs in the order of the call; an id or a key that is taken stores nothing.
-- :jobs rows (id, task, queue, priority, payload, meta, max_attempts, delay, timeout, key, retry, at)
-- A delay is a length from the store's now; an instant (at) is given as such, and one in the past means now.
INSERT INTO windlass_job (
    id, task, queue, priority, payload, meta, max_attempts, run_at, state, timeout, unique_key, retry, created_at)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
    max(:now, coalesce(value ->> 11, :now + (value ->> 7))),
    CASE WHEN coalesce(value ->> 11, :now + (value ->> 7)) > :now THEN 'scheduled' ELSE 'pending' END,
    value ->> 8, value ->> 9, value ->> 10, :now
FROM jsonb_each(:jobs) AS jobs
WHERE value ->> 9 IS NULL OR value ->> 0 = (SELECT id FROM windlass_key WHERE windlass_key.key = jobs.value ->> 9)
ORDER BY jobs.key
ON CONFLICT (id) DO NOTHING
