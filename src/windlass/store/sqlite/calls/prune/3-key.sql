-- So does its key.
DELETE FROM windlass_key WHERE id IN (SELECT value ->> 2 FROM jsonb_each(:jobs))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
