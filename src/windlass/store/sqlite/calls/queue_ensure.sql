-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- :queues rows (name, weight, max_length)
INSERT INTO windlass_queue (name, weight, max_length)
SELECT {queues.name}, {queues.weight}, {queues.max_length} FROM jsonb_each(:queues) WHERE true
ON CONFLICT (name) DO UPDATE SET
    weight = coalesce(weight, excluded.weight), max_length = coalesce(max_length, excluded.max_length)
WHERE changed_at IS NULL
