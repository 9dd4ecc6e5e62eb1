-- How many jobs stand in which state, by queue. Each part reads one index.
-- gives counts
SELECT queue, 'pending', sum(number) FROM (
    SELECT queue, count(*) AS number FROM windlass_job
    WHERE state = 'pending' AND crashes = 0 AND rescues = 0 AND (:queue IS NULL OR queue = :queue) GROUP BY queue
    UNION ALL
    SELECT queue, count(*) FROM windlass_job
    WHERE state = 'pending' AND crashes + rescues > 0 AND (:queue IS NULL OR queue = :queue) GROUP BY queue)
GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_job
WHERE
    -- here is_held_back (job = windlass_job)
AND (:queue IS NULL OR queue = :queue) GROUP BY queue, state
UNION ALL
SELECT queue, 'running', count(*) FROM windlass_job WHERE state = 'running' AND (:queue IS NULL OR queue = :queue)
GROUP BY queue
UNION ALL
SELECT queue, state, count(*) FROM windlass_job
WHERE
    -- here is_finished (job = windlass_job)
AND (:queue IS NULL OR queue = :queue) GROUP BY state, queue
