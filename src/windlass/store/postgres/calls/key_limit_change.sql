-- Sets how many jobs of a task may hold the same concurrency key, and keeps who did it; null lets the code decide again.
WITH
-- here clock
, given AS (
    SELECT CAST(:task AS text) AS task, CAST(:concurrency AS integer) AS concurrency,
        CASE WHEN CAST(:concurrency AS integer) IS NOT NULL THEN now END AS changed_at,
        CASE WHEN CAST(:concurrency AS integer) IS NOT NULL THEN CAST(:by AS text) END AS changed_by
    FROM clock
)
INSERT INTO windlass_key_limit (task, concurrency, changed_at, changed_by)
SELECT task, concurrency, changed_at, changed_by FROM given
ON CONFLICT (task) DO UPDATE SET
    concurrency = excluded.concurrency, changed_at = excluded.changed_at, changed_by = excluded.changed_by
