-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE
-- here queues_with_work
, waiting (queue) AS (
    SELECT queue FROM ready UNION SELECT queue FROM suspect
)
SELECT queue FROM waiting
WHERE queue IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM windlass_queue WHERE name IN (waiting.queue, '*') AND paused_at IS NOT NULL)
