-- Seeds queues with what the code says, also those that only their first job has made; what an operator has set, or
-- taken back, stays.
-- :queues rows (name, weight, max_length, max_running, rate)
INSERT INTO windlass_queue (name, weight, max_length, max_running, rate)
SELECT {queues.name}, {queues.weight}, {queues.max_length}, {queues.max_running}, {queues.rate}
FROM jsonb_each(:queues) WHERE true
ON CONFLICT (name) DO UPDATE SET
    weight = coalesce(weight, excluded.weight), max_length = coalesce(max_length, excluded.max_length),
    max_running = coalesce(max_running, excluded.max_running), rate = coalesce(rate, excluded.rate)
WHERE changed_at IS NULL
