-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE
-- here queues_with_work
, waiting (queue) AS (
    SELECT queue FROM ready UNION SELECT queue FROM suspect
)
SELECT queue FROM waiting
WHERE queue IS NOT NULL
AND NOT EXISTS (
    -- here queue_gates (queue = waiting.queue)
)
