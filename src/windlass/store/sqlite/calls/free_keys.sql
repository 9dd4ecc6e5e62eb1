-- Keys whose job is gone, a page of them: what a careless hand leaves behind. Only read, so that nobody has to wait while
-- all keys are looked at; tidy removes them.
-- gives keys
SELECT key FROM windlass_key
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id) LIMIT :limit
