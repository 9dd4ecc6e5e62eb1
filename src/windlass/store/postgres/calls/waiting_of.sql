-- Those of the named queues that have jobs to claim and are not paused, one look into the index each.
-- :queues names
-- gives queues
--
-- LATERAL, and OFFSET 0, so that a plan that was made for empty tables does not read large ones.
WITH
-- here clock
SELECT named.queue
FROM jsonb_array_elements_text(CAST(:queues AS jsonb)) AS named (queue) CROSS JOIN LATERAL (
    SELECT 1 FROM windlass_ready AS ready WHERE ready.queue = named.queue
    ORDER BY ready.queue LIMIT 1 OFFSET 0) AS first
WHERE NOT EXISTS (
    -- here queue_gates (queue = named.queue, limits = windlass_gate, rates = windlass_rate)
)
