-- How many jobs stand in which state, by queue. Each part reads one small table or one index; finished jobs, of which
-- there may be millions, are not counted but summed up.
-- gives counts
SELECT queue, 'pending', count(*) FROM windlass_ready
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_due
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue, state
UNION ALL
SELECT queue, 'blocked', count(*) FROM windlass_blocked
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue
UNION ALL
SELECT queue, 'running', count(*) FROM windlass_running
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue
UNION ALL
SELECT queue, state, CAST(sum(number) AS bigint) FROM (
    SELECT queue, state, number FROM windlass_tally
    UNION ALL
    SELECT queue, state, 1 FROM windlass_finished WHERE NOT tallied) AS finished
WHERE CAST(:queue AS text) IS NULL OR queue = :queue GROUP BY queue, state HAVING sum(number) <> 0
