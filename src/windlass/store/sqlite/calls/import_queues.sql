-- Takes over the settings of queues, unless they were changed here since.
-- :queues rows (QueueRecord)
INSERT INTO windlass_queue ({QueueRecord})
SELECT {queues.QueueRecord} FROM jsonb_each(:queues) WHERE true
ON CONFLICT (name) DO UPDATE SET {excluded.QueueRecord; assigned; without name}
WHERE windlass_queue.changed_at IS NULL OR windlass_queue.changed_at <= excluded.changed_at
