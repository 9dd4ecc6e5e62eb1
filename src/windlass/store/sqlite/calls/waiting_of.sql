-- Those of the named queues that have jobs to claim and are not paused, one look into the index each.
-- :queues names
-- gives queues
SELECT value FROM json_each(:queues) AS named
WHERE (
    EXISTS (
        SELECT 1 FROM windlass_job WHERE queue = named.value AND state = 'pending' AND crashes = 0 AND rescues = 0)
    OR EXISTS (SELECT 1 FROM windlass_job WHERE queue = named.value AND state = 'pending' AND crashes + rescues > 0))
AND NOT EXISTS (
    -- here queue_gates (queue = named.value)
)
