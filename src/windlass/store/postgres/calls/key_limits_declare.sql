-- How many jobs of each task may hold the same concurrency key, as the code says.
-- :limits rows (task, number) as one
-- gives changed
INSERT INTO windlass_key_limit AS key (task, declared)
SELECT {one.task}, CAST({one.number} AS integer) FROM jsonb_array_elements(CAST(:limits AS jsonb)) AS one (value)
ORDER BY ({one.task}) COLLATE "C"
ON CONFLICT (task) DO UPDATE SET declared = excluded.declared WHERE key.declared IS DISTINCT FROM excluded.declared
RETURNING task
