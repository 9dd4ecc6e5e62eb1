-- 1. declared
-- How many jobs of each task with the same rate key may be claimed in which time, as the code says; what an operator has
-- chosen goes before it.
-- :limits rows (task, rate) as one
INSERT INTO windlass_task_rate (task, declared)
SELECT {one.task}, {one.rate} FROM jsonb_each(:limits) AS one WHERE true
ON CONFLICT (task) DO UPDATE SET declared = excluded.declared WHERE declared IS NOT excluded.declared

-- 2. undeclared
-- Tasks that have no rate any more.
-- :without rows (task) as one
UPDATE windlass_task_rate SET declared = NULL
WHERE declared IS NOT NULL AND task IN (SELECT {one.task} FROM jsonb_each(:without) AS one)

-- 3. forgotten
DELETE FROM windlass_task_rate WHERE declared IS NULL AND chosen IS NULL

-- here apply_rates
