-- 1. conflict
-- An id that a different job has already is an error of the whole call.
-- :named rows (index, id, task, payload, key, until, window) as named
-- only with named
-- guard conflict
SELECT windlass_job.id, windlass_job.task
FROM jsonb_each(:named) AS named JOIN windlass_whole AS windlass_job ON windlass_job.id = {named.id}
WHERE windlass_job.task <> {named.task} OR windlass_job.whole_payload <> {named.payload}

-- 2. known
-- Which ids are there already: their jobs are reported, not stored again.
-- :named rows (index, id, task, payload, key, until, window) as named
-- only with named
-- gives known
SELECT {named.index} FROM jsonb_each(:named) AS named
WHERE EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {named.id})

-- 3. queue
-- A queue exists from its first job on.
INSERT INTO windlass_queue (name) SELECT value FROM jsonb_each(:queues) WHERE true ON CONFLICT DO NOTHING

-- 4. forget
-- Keys without a holder: their window is over, their job has started, or it is gone. (A job that finished gave
-- its key back at once.) Whether a job that was claimed has begun its run is known only later, so it counts as started
-- until it is handed back: an enqueue that comes after the start must not be taken for a duplicate.
-- :named rows (index, id, task, payload, key, until, window) as named
-- only with named
DELETE FROM windlass_key WHERE key IN (SELECT {named.key} FROM jsonb_each(:named) AS named)
AND (expires_at <= :now OR NOT EXISTS (
    SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id
    AND (until <> 'started' OR (state <> 'running' AND attempt = 0 AND started_at IS NULL))))

-- 5. key
-- The first of the call's jobs to name a free key takes it. A job that exists already takes nothing again.
-- :named rows (index, id, task, payload, key, until, window) as named
-- only with named
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT {named.key}, {named.id}, {named.until}, :now + ({named.window}) FROM jsonb_each(:named) AS named
WHERE {named.key} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {named.id})
ORDER BY named.key
ON CONFLICT DO NOTHING

-- 6. full
-- Nothing of the call is stored if one of its queues has not enough room for what the call would add to it.
-- Only queues with a limit are counted, and the limit itself bounds what there is to count.
-- :jobs rows (NewJob) as jobs
-- guard full
SELECT name, max_length FROM (
    SELECT name, max_length, (
        -- what insert is going to add: neither its id nor its key is another job's
        SELECT count(*) FROM jsonb_each(:jobs) AS jobs
        WHERE {jobs.queue} = windlass_queue.name
        AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE id = {jobs.id})
        AND ({jobs.unique_key} IS NULL
            OR {jobs.id} = (SELECT id FROM windlass_key WHERE windlass_key.key = {jobs.unique_key}))
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
-- :jobs rows (NewJob) as jobs
-- A delay is a length from the store's now; an instant (at) is given as such, and one in the past means now.
INSERT INTO windlass_job ({NewJob; delay = run_at, state; without at}, created_at)
SELECT {jobs.NewJob;
    delay = max(:now, coalesce({jobs.at}, :now + ({jobs.delay}))),
        CASE WHEN coalesce({jobs.at}, :now + ({jobs.delay})) > :now THEN 'scheduled' ELSE 'pending' END;
    without at}, :now
FROM jsonb_each(:jobs) AS jobs
WHERE {jobs.unique_key} IS NULL OR {jobs.id} = (SELECT id FROM windlass_key WHERE windlass_key.key = {jobs.unique_key})
ORDER BY jobs.key
ON CONFLICT (id) DO NOTHING

-- 8. found
-- Which job stands behind each explicit id or unique key now: the new one, or the one that was there before.
-- :named rows (index, id, task, payload, key, until, window) as named
-- only with named
-- gives found
SELECT {named.index}, windlass_job.id, windlass_job.state
FROM jsonb_each(:named) AS named JOIN windlass_job ON windlass_job.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = {named.id}),
    (SELECT id FROM windlass_key WHERE windlass_key.key = {named.key}))
