-- Changes the settings that are named; keeps who did it. An operator has decided about them from now on, or, if :is_decided
-- is 0, no longer. A queue may be set up before its first job.
-- :changes rows (setting, value); null takes a setting back
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
WITH
-- here clock
, given AS MATERIALIZED (
    SELECT coalesce(jsonb_object_agg({changes.setting}, {changes.value}), '{}') AS changes
    FROM jsonb_array_elements(CAST(:changes AS jsonb))
), decided AS MATERIALIZED (
    SELECT coalesce(jsonb_object_agg({changes.setting}, jsonb_build_array(now, CAST(:by AS text))), '{}') AS settings
    FROM clock, jsonb_array_elements(CAST(:changes AS jsonb)) WHERE CAST(:is_decided AS integer) <> 0
)
INSERT INTO windlass_queue AS queue (
    name, weight, max_length, max_running, retention, retry, cooldown, rate, decided, changed_at, changed_by)
SELECT CAST(:name AS text), CAST(changes ->> 'weight' AS integer), CAST(changes ->> 'max_length' AS integer),
    CAST(changes ->> 'max_running' AS integer), changes ->> 'retention', changes ->> 'retry', changes ->> 'cooldown',
    changes ->> 'rate', nullif(CAST(settings AS text), '{}'), now, CAST(:by AS text)
FROM given, decided, clock
ON CONFLICT (name) DO UPDATE SET (
    weight, max_length, max_running, retention, retry, cooldown, rate, decided, changed_at, changed_by) = (
    SELECT CASE WHEN changes ? 'weight' THEN excluded.weight ELSE queue.weight END,
        CASE WHEN changes ? 'max_length' THEN excluded.max_length ELSE queue.max_length END,
        CASE WHEN changes ? 'max_running' THEN excluded.max_running ELSE queue.max_running END,
        CASE WHEN changes ? 'retention' THEN excluded.retention ELSE queue.retention END,
        CASE WHEN changes ? 'retry' THEN excluded.retry ELSE queue.retry END,
        CASE WHEN changes ? 'cooldown' THEN excluded.cooldown ELSE queue.cooldown END,
        CASE WHEN changes ? 'rate' THEN excluded.rate ELSE queue.rate END,
        nullif(CAST(coalesce(CAST(queue.decided AS jsonb), '{}')
            - ARRAY(SELECT jsonb_object_keys(changes)) || settings AS text), '{}'),
        excluded.changed_at, excluded.changed_by
    FROM given, decided)
WHERE CAST(:seen AS bigint) IS NULL OR coalesce(queue.changed_at, 0) = CAST(:seen AS bigint)
RETURNING name
