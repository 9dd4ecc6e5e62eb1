-- 1. row
-- A queue may be set up before its first job.
INSERT INTO windlass_queue (name) VALUES (:name) ON CONFLICT DO NOTHING

-- 2. set
-- Changes the settings that are named; keeps who did it.
-- :changes rows (setting, value); null takes a setting back
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
    changed_at = :now, changed_by = :by
WHERE name = :name
