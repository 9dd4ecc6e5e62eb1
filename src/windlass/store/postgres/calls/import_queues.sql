-- Takes over the settings of queues, unless they were changed here since.
-- :queues rows (QueueRecord)
INSERT INTO windlass_queue AS queue ({QueueRecord})
SELECT {queues.QueueRecord; cast numbers as bigint; cast weight, max_length, max_running as integer}
FROM jsonb_array_elements(CAST(:queues AS jsonb))
-- by name, as all calls lock queues
ORDER BY ({queues.name}) COLLATE "C"
ON CONFLICT (name) DO UPDATE SET {excluded.QueueRecord; assigned; without name}
WHERE queue.changed_at IS NULL OR queue.changed_at <= excluded.changed_at
