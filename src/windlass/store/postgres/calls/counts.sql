-- How many jobs stand in which state, by queue. Each part reads one table or one index.
-- gives counts
SELECT queue, 'pending', count(*) FROM windlass_ready
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_due
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue, state
UNION ALL
SELECT queue, 'running', count(*) FROM windlass_running
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_finished
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY state, queue
