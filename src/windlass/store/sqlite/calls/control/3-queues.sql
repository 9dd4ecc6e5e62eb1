-- The settings of the queues, followed while running.
-- gives queues
SELECT name, weight, paused_at IS NOT NULL, retry FROM windlass_queue
WHERE weight IS NOT NULL OR paused_at IS NOT NULL OR retry IS NOT NULL
