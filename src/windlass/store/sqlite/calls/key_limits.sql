-- How many jobs of each task may hold the same concurrency key: as the code says, and as an operator does.
-- gives limits
SELECT {KeyLimitRecord} FROM windlass_key_limit
WHERE (:task IS NULL OR task = :task) AND (declared IS NOT NULL OR concurrency IS NOT NULL) ORDER BY task
