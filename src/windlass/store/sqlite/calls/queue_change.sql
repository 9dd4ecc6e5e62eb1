-- 1. row
-- A queue may be set up before its first job.
INSERT INTO windlass_queue (name) VALUES (:name) ON CONFLICT DO NOTHING

-- 2. set
-- Changes the settings that are named; keeps who did it. An operator has decided about them from now on, or, if
-- :is_decided is 0, no longer.
-- :changes rows (setting, value); null takes a setting back
-- :seen null, or when the caller has seen an operator's last change, 0 for none: nothing happens if there was another
-- gives changed
WITH given AS (
    SELECT {changes.setting} AS setting, {changes.value} AS value FROM jsonb_each(:changes)
)
UPDATE windlass_queue SET
    weight = iif('weight' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'weight'), weight),
    max_length = iif(
        'max_length' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'max_length'), max_length),
    max_running = iif(
        'max_running' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'max_running'),
        max_running),
    retention = iif(
        'retention' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'retention'), retention),
    retry = iif('retry' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'retry'), retry),
    cooldown = iif(
        'cooldown' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'cooldown'), cooldown),
    rate = iif('rate' IN (SELECT setting FROM given), (SELECT value FROM given WHERE setting = 'rate'), rate),
    decided = nullif((
        SELECT json_group_object(setting, json(said)) FROM (
            SELECT key AS setting, value AS said FROM json_each(coalesce(windlass_queue.decided, '{}'))
            WHERE key NOT IN (SELECT setting FROM given)
            UNION ALL
            SELECT setting, json_array(:now, :by) FROM given WHERE :is_decided)), '{}'),
    changed_at = :now, changed_by = :by
WHERE name = :name AND (:seen IS NULL OR coalesce(changed_at, 0) = :seen)
RETURNING name
