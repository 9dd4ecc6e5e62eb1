-- 1. window
-- Keys whose window has passed, :limit at a time.
-- gives over
DELETE FROM windlass_key WHERE key IN (
    SELECT key FROM windlass_key WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)
RETURNING 1

-- 2. free
-- Keys whose job is gone, of those that orphan_keys has found.
-- :keys rows (key, version)
-- only with keys
DELETE FROM windlass_key WHERE key IN (SELECT {keys.key} FROM jsonb_each(:keys))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
