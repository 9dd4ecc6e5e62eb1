-- The queues with jobs to claim, and those with suspects, one step of the index for each.
ready (queue) AS (
    SELECT min(queue) FROM windlass_job WHERE state = 'pending' AND crashes = 0 AND rescues = 0
    UNION ALL
    SELECT (
        SELECT min(queue) FROM windlass_job
        WHERE state = 'pending' AND crashes = 0 AND rescues = 0 AND queue > ready.queue)
    FROM ready WHERE ready.queue IS NOT NULL
), suspect (queue) AS (
    SELECT min(queue) FROM windlass_job WHERE state = 'pending' AND crashes + rescues > 0
    UNION ALL
    SELECT (SELECT min(queue) FROM windlass_job WHERE state = 'pending' AND crashes + rescues > 0 AND queue > suspect.queue)
    FROM suspect WHERE suspect.queue IS NOT NULL
)
