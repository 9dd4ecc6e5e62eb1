-- Takes over the settings of queues, unless somebody has changed them here since.
-- :queues rows (name, weight, max_length, retention, retry, paused_at, paused_by, paused_reason, changed_at, changed_by)
INSERT INTO windlass_queue AS queue (
    name, weight, max_length, retention, retry, paused_at, paused_by, paused_reason, changed_at, changed_by)
SELECT value ->> 0, CAST(value ->> 1 AS integer), CAST(value ->> 2 AS integer), value ->> 3, value ->> 4,
    CAST(value ->> 5 AS bigint), value ->> 6, value ->> 7, CAST(value ->> 8 AS bigint), value ->> 9
FROM jsonb_array_elements(CAST(:queues AS jsonb))
-- by name, as everybody locks queues
ORDER BY (value ->> 0) COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    weight = excluded.weight, max_length = excluded.max_length, retention = excluded.retention, retry = excluded.retry,
    paused_at = excluded.paused_at, paused_by = excluded.paused_by, paused_reason = excluded.paused_reason,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
WHERE queue.changed_at IS NULL OR queue.changed_at <= excluded.changed_at
