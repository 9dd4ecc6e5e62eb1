-- Seeds queues with what the code says; what an operator has set stays.
-- :queues rows (name, weight, max_length)
INSERT INTO windlass_queue (name, weight, max_length)
SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:queues) WHERE true ON CONFLICT DO NOTHING
