-- Which settings of a queue an operator has changed, when and who, as JSON: {setting: [at, by]}. What code says counts for the
-- others. Of queues that were changed before this step all settings count as changed. Releases that know fewer steps go on;
-- what is changed with one of them is not noted here, and a worker of this release may set it as its code says.
-- compatible from 1

ALTER TABLE windlass_queue ADD COLUMN decided text COLLATE "C";

UPDATE windlass_queue AS queue SET decided = (
    SELECT CAST(jsonb_object_agg(setting, jsonb_build_array(queue.changed_at, coalesce(queue.changed_by, ''))) AS text)
    FROM unnest(ARRAY['weight', 'max_length', 'max_running', 'retention', 'retry', 'cooldown', 'rate']) AS setting)
WHERE queue.changed_at IS NOT NULL;
