-- Keys whose window is over, or whose job is gone.
DELETE FROM windlass_key WHERE expires_at <= :now
OR NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
