-- The first of the call's jobs to name a free key takes it. A job that exists already takes nothing again.
-- :named rows (index, id, task, payload, key, until, window)
-- only with named
INSERT INTO windlass_key (key, id, until, expires_at)
SELECT value ->> 4, value ->> 1, value ->> 5, :now + (value ->> 6) FROM jsonb_each(:named) AS named
WHERE value ->> 4 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = value ->> 1)
ORDER BY named.key
ON CONFLICT DO NOTHING
