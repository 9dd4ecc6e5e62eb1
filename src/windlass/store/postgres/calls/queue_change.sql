-- Changes the settings that :changes names (a JSON object; null takes a setting back); keeps who did it. A queue may be
-- set up before its first job.
WITH clock AS (
    SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)) AS now
), given AS (
    SELECT CAST(:changes AS jsonb) AS changes
)
INSERT INTO windlass_queue AS queue (name, weight, max_length, retention, retry, changed_at, changed_by)
SELECT CAST(:name AS text), CAST(changes ->> 'weight' AS integer), CAST(changes ->> 'max_length' AS integer),
    changes ->> 'retention', changes ->> 'retry', now, CAST(:by AS text)
FROM given, clock
ON CONFLICT (name) DO UPDATE SET
    weight = CASE WHEN CAST(:changes AS jsonb) ? 'weight' THEN excluded.weight ELSE queue.weight END,
    max_length = CASE WHEN CAST(:changes AS jsonb) ? 'max_length' THEN excluded.max_length ELSE queue.max_length END,
    retention = CASE WHEN CAST(:changes AS jsonb) ? 'retention' THEN excluded.retention ELSE queue.retention END,
    retry = CASE WHEN CAST(:changes AS jsonb) ? 'retry' THEN excluded.retry ELSE queue.retry END,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
