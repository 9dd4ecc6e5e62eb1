-- 1. conflict
-- An id that a different job has already is an error of the whole call.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- guard conflict
SELECT windlass_job.id, windlass_job.task
FROM jsonb_each(:named) AS named JOIN windlass_whole AS windlass_job ON windlass_job.id = named.value ->> 1
WHERE windlass_job.task <> named.value ->> 2 OR windlass_job.whole_payload <> named.value ->> 3

-- 2. known
-- Which ids are there already: their jobs are reported, not stored again.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- gives known
SELECT named.value ->> 0 FROM jsonb_each(:named) AS named
WHERE EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = named.value ->> 1)

-- 3. queue
-- A queue exists from its first job on.
INSERT INTO windlass_queue (name) SELECT value FROM jsonb_each(:queues) WHERE true ON CONFLICT DO NOTHING

-- 4. forget
-- Keys that nobody holds any more: their window is over, their job has started, or it is gone. (A job that finished gave
-- its key back at once.) Whether a job that was claimed has begun its run is known only later, so it counts as started
-- until it is handed back: an enqueue that comes after the start must not be taken for a duplicate.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
DELETE FROM windlass_key WHERE key IN (SELECT value ->> 4 FROM jsonb_each(:named))
AND (expires_at <= :now OR NOT EXISTS (
    SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id
    AND (until <> 'started' OR (state <> 'running' AND attempt = 0 AND started_at IS NULL))))

-- 5. key
-- The first of the call's jobs to name a free key takes it. A job that exists already takes nothing again.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT value ->> 4, value ->> 1, value ->> 5, :now + (value ->> 6) FROM jsonb_each(:named) AS named
WHERE value ->> 4 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = value ->> 1)
ORDER BY named.key
ON CONFLICT DO NOTHING

-- 6. full
-- Nothing of the call is stored if one of its queues has not enough room for what the call would add to it.
-- Only queues with a limit are counted, and the limit itself bounds what there is to count.
-- :jobs as in insert
-- guard full
SELECT name, max_length FROM (
    SELECT name, max_length, (
        -- what insert is going to add: neither its id nor its key is another job's
        SELECT count(*) FROM jsonb_each(:jobs) AS jobs
        WHERE value ->> 2 = windlass_queue.name
        AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE id = value ->> 0)
        AND (value ->> 9 IS NULL
            OR value ->> 0 = (SELECT id FROM windlass_key WHERE windlass_key.key = jobs.value ->> 9))
    ) AS added,
    (SELECT count(*) FROM windlass_job
        WHERE queue = windlass_queue.name AND state = 'pending' AND crashes = 0 AND rescues = 0)
    + (SELECT count(*) FROM windlass_job
        WHERE queue = windlass_queue.name AND state = 'pending' AND crashes + rescues > 0)
    + (SELECT count(*) FROM windlass_job WHERE queue = windlass_queue.name AND state IN ('scheduled', 'retrying'))
    AS waiting
    FROM windlass_queue
    WHERE max_length IS NOT NULL AND name IN (SELECT value FROM jsonb_each(:queues)))
WHERE added > 0 AND waiting + added > max_length

-- 7. insert
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

-- 8. found
-- Which job stands behind each explicit id or unique key now: the new one, or the one that was there before.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
-- gives found
SELECT named.value ->> 0, windlass_job.id, windlass_job.state
FROM jsonb_each(:named) AS named JOIN windlass_job ON windlass_job.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = named.value ->> 1),
    (SELECT id FROM windlass_key WHERE windlass_key.key = named.value ->> 4))
