-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE waiting (queue) AS (
    SELECT min(queue) FROM windlass_job WHERE state = 'pending'
    UNION ALL
    SELECT (SELECT min(queue) FROM windlass_job WHERE state = 'pending' AND queue > waiting.queue)
    FROM waiting WHERE waiting.queue IS NOT NULL
)
SELECT queue FROM waiting
WHERE queue IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM windlass_queue WHERE name IN (waiting.queue, '*') AND paused_at IS NOT NULL)
