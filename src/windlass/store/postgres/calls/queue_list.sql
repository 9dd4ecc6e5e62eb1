-- Queues and their settings; the row '*' is what is true for all of them.
-- gives queues
SELECT name, weight, max_length, retention, retry, paused_at, paused_by, paused_reason, changed_at, changed_by
FROM windlass_queue WHERE CAST(:name AS text) IS NULL OR name = :name ORDER BY name
