-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE ready (queue) AS (
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
), waiting (queue) AS (
    SELECT queue FROM ready UNION SELECT queue FROM suspect
)
SELECT queue FROM waiting
WHERE queue IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM windlass_queue WHERE name IN (waiting.queue, '*') AND paused_at IS NOT NULL)
