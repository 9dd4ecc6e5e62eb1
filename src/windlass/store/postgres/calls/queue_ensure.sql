-- Seeds queues with what the code says; what an operator has set stays.
-- :queues rows (name, weight, max_length)
INSERT INTO windlass_queue (name, weight, max_length)
SELECT value ->> 0, CAST(value ->> 1 AS integer), CAST(value ->> 2 AS integer)
FROM jsonb_array_elements(CAST(:queues AS jsonb))
-- by name, as everybody locks queues
ORDER BY (value ->> 0) COLLATE "C"
ON CONFLICT DO NOTHING
