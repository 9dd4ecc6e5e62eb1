-- The queues that have jobs to claim and are not paused, one step of the index each, however many jobs they have.
-- gives queues
WITH RECURSIVE
-- here clock, waiting
SELECT waiting.queue FROM waiting
WHERE waiting.queue IS NOT NULL
AND NOT EXISTS (
    -- here queue_gates (queue = waiting.queue, limits = windlass_gate, rates = windlass_rate)
)
