-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- :queues rows (name, weight, max_length)
INSERT INTO windlass_queue AS queue (name, weight, max_length)
SELECT value ->> 0, CAST(value ->> 1 AS integer), CAST(value ->> 2 AS integer)
FROM jsonb_array_elements(CAST(:queues AS jsonb))
-- By name, as everybody locks queues.
ORDER BY (value ->> 0) COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    weight = coalesce(queue.weight, excluded.weight), max_length = coalesce(queue.max_length, excluded.max_length)
WHERE queue.changed_at IS NULL
