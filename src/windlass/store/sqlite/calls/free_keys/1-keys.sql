-- Keys whose job is gone, which somebody deleted past us, among the next :limit behind :after. Only read, so that nobody
-- has to wait meanwhile; tidy_keys removes them.
-- gives keys
SELECT key, NULL FROM (SELECT key, id FROM windlass_key WHERE key > :after ORDER BY key LIMIT :limit) AS looked
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = looked.id)
