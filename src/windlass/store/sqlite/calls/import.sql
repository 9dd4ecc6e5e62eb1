-- 1. stored
-- How many of the jobs are new here.
-- gives stored
SELECT count(*) FROM jsonb_each(:jobs)
WHERE value ->> 1 NOT IN (SELECT id FROM windlass_job WHERE id IN (SELECT value ->> 1 FROM jsonb_each(:jobs)))

-- 2. jobs
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

-- 3. events
-- What happened to them, in order. A job that has a past here was stored together with it.
-- :events rows (id, at, kind, worker, fence, detail)
-- only with events
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT job.seq, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
FROM jsonb_each(:events) AS event JOIN windlass_job AS job ON job.id = event.value ->> 0
WHERE NOT EXISTS (SELECT 1 FROM windlass_event AS known WHERE known.seq = job.seq)
ORDER BY event.key

-- 4. keys
-- The unique keys that they hold, unless another job has one: a key is free whose window is over, or whose job has
-- started or is gone.
-- :keys rows (key, id, until, expires_at)
-- only with keys
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM jsonb_each(:keys) WHERE true
ON CONFLICT (key) DO UPDATE SET id = excluded.id, until = excluded.until, expires_at = excluded.expires_at
WHERE windlass_key.expires_at <= :now OR NOT EXISTS (
    SELECT 1 FROM windlass_job AS holder
    WHERE holder.id = windlass_key.id AND (windlass_key.until <> 'started'
        OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
