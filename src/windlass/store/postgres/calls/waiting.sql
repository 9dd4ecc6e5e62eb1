-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE waiting AS (
-- here waiting
)
SELECT waiting.queue FROM waiting
WHERE waiting.queue IS NOT NULL
AND NOT EXISTS (
    SELECT 1 FROM windlass_queue AS queue
    WHERE queue.name IN (waiting.queue, '*') AND queue.paused_at IS NOT NULL)
