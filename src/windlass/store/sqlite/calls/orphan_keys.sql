-- 1. keys
-- Keys whose job is gone, which was deleted past us, among the next :limit behind :after. Only read, so that no other call
-- has to wait meanwhile; tidy_keys removes them.
-- gives keys
SELECT key, NULL FROM (SELECT key, id FROM windlass_key WHERE key > :after ORDER BY key LIMIT :limit) AS examined
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = examined.id)

-- 2. examined
-- How many were looked at, and which was the last.
-- gives examined
SELECT count(*), max(key) FROM (SELECT key FROM windlass_key WHERE key > :after ORDER BY key LIMIT :limit)
