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
