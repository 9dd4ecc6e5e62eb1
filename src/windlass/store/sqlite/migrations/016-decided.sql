-- Which settings of a queue an operator has changed, when and who, as JSON: {setting: [at, by]}. What code says counts for the
-- others. Of queues that were changed before this step all settings count as changed.

ALTER TABLE windlass_queue ADD COLUMN decided TEXT;

UPDATE windlass_queue SET decided = (
    SELECT json_group_object(value, json_array(changed_at, coalesce(changed_by, '')))
    FROM json_each('["weight","max_length","max_running","retention","retry","cooldown","rate"]'))
WHERE changed_at IS NOT NULL;
