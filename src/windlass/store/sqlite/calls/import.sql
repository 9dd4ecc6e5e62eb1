-- 1. stored
-- How many of the jobs are new here.
-- :jobs rows (JobRecord)
-- gives stored
SELECT count(*) FROM jsonb_each(:jobs)
WHERE {jobs.id} NOT IN (SELECT id FROM windlass_job WHERE id IN (SELECT {jobs.id} FROM jsonb_each(:jobs)))

-- 2. jobs
-- Stores jobs of another store as they are, in their order; only the seq is this store's own. What is there stays.
-- One that is blocked waits for other jobs.
-- :jobs rows (JobRecord); none of them runs
INSERT INTO windlass_job ({JobRecord; without seq, lease}, gate)
SELECT {jobs.JobRecord; without seq, lease}, iif({jobs.state} = 'blocked', 'parents', NULL)
FROM jsonb_each(:jobs) AS jobs WHERE true ORDER BY jobs.key
ON CONFLICT (id) DO NOTHING

-- 3. events
-- What happened to them, in order. A job that has a past here was stored together with it.
-- :events rows (MovedEvent) as event
-- only with events
INSERT INTO windlass_event (seq, {MovedEvent; without id})
SELECT job.seq, {event.MovedEvent; without id}
FROM jsonb_each(:events) AS event JOIN windlass_job AS job ON job.id = {event.id}
WHERE NOT EXISTS (SELECT 1 FROM windlass_event AS known WHERE known.seq = job.seq)
ORDER BY event.key

-- 4. keys
-- The unique keys that they hold, unless another job has one: a key is free whose window has passed, or whose job has
-- started or is gone.
-- :keys rows (HeldKey)
-- only with keys
INSERT INTO windlass_key ({HeldKey})
SELECT {keys.HeldKey} FROM jsonb_each(:keys) WHERE true
ON CONFLICT (key) DO UPDATE SET {excluded.HeldKey; assigned; without key}
WHERE windlass_key.expires_at <= :now OR NOT EXISTS (
    SELECT 1 FROM windlass_job AS holder
    WHERE holder.id = windlass_key.id AND (windlass_key.until <> 'started'
        OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
