-- Takes over the settings of queues, unless somebody has changed them here since.
-- :queues rows (name, weight, max_length, retention, retry, paused_at, paused_by, paused_reason, changed_at, changed_by)
INSERT INTO windlass_queue (
    name, weight, max_length, retention, retry, paused_at, paused_by, paused_reason, changed_at, changed_by)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9
FROM jsonb_each(:queues) WHERE true
ON CONFLICT (name) DO UPDATE SET
    weight = excluded.weight, max_length = excluded.max_length, retention = excluded.retention, retry = excluded.retry,
    paused_at = excluded.paused_at, paused_by = excluded.paused_by, paused_reason = excluded.paused_reason,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
WHERE windlass_queue.changed_at IS NULL OR windlass_queue.changed_at <= excluded.changed_at
