-- Deletes those of the keys that no job holds: their window has passed, their job has started, or it is gone. (A job
-- that finished gave its key back at once.) Whether a job that was claimed has begun its run is known only later, so it
-- counts as started until it is handed back: an enqueue that comes after the start must not be taken for a duplicate.
DELETE FROM windlass_key WHERE key IN ({keys})
AND (expires_at <= :now OR NOT EXISTS (
    SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id
    AND (until <> 'started' OR (state <> 'running' AND attempt = 0 AND started_at IS NULL))))
