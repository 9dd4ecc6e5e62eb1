-- A row, if any job with a concurrency key is under way: nearly always there is none, and nothing else is asked.
SELECT 1 FROM windlass_job WHERE concurrency_key IS NOT NULL AND state IN ('pending', 'blocked', 'running') LIMIT 1
