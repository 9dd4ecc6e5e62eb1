-- How many jobs of each task with the same rate key may be claimed in which time, as the code says, and which tasks have no
-- rate any more; what an operator has chosen goes before it. Jobs that wait for a rate that is gone go.
-- :limits rows (task, rate)
-- :without rows (task) as other
-- :tasks those of both
-- gives changed
WITH
-- here clock
SELECT windlass_declare_rates(
    CAST(:limits AS jsonb),
    ARRAY(SELECT {other.task} FROM jsonb_array_elements(CAST(:without AS jsonb)) AS other (value)), clock.now) AS task
FROM clock
