-- How many jobs of each task may hold the same concurrency key, as the code says.
-- :limits rows (task, number) as one
-- gives changed
INSERT INTO windlass_key_limit (task, declared)
SELECT {one.task}, {one.number} FROM jsonb_each(:limits) AS one WHERE true
ON CONFLICT (task) DO UPDATE SET declared = excluded.declared WHERE declared IS NOT excluded.declared
RETURNING task
