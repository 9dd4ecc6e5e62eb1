-- How many were looked at, and which was the last.
-- gives looked
SELECT count(*), max(key) FROM (SELECT key FROM windlass_key WHERE key > :after ORDER BY key LIMIT :limit)
