-- How many jobs stand in which state, by queue. Each part reads one index.
-- gives counts
SELECT queue, 'pending', count(*) FROM windlass_job
WHERE state = 'pending' AND (CAST(:queue AS text) IS NULL OR queue = :queue) GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_job
WHERE state IN ('scheduled', 'retrying') AND (CAST(:queue AS text) IS NULL OR queue = :queue) GROUP BY queue, state
UNION ALL
SELECT queue, 'running', count(*) FROM windlass_job
WHERE state = 'running' AND (CAST(:queue AS text) IS NULL OR queue = :queue) GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_job
WHERE state IN ('completed', 'failed', 'cancelled') AND (CAST(:queue AS text) IS NULL OR queue = :queue)
GROUP BY state, queue
