-- Nothing of the call is stored if one of its queues has not enough room for what the call would add to it.
-- Only queues with a limit are counted, and the limit itself bounds what there is to count.
-- :jobs as in 7-insert
-- guard full
SELECT name, max_length FROM (
    SELECT name, max_length, (
        -- what 7-insert is going to add: neither its id nor its key is another job's
        SELECT count(*) FROM jsonb_each(:jobs) AS jobs
        WHERE value ->> 2 = windlass_queue.name
        AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE id = value ->> 0)
        AND (value ->> 9 IS NULL
            OR value ->> 0 = (SELECT id FROM windlass_key WHERE windlass_key.key = jobs.value ->> 9))
    ) AS added,
    (SELECT count(*) FROM windlass_job
        WHERE queue = windlass_queue.name AND state = 'pending' AND crashes = 0 AND rescues = 0)
    + (SELECT count(*) FROM windlass_job
        WHERE queue = windlass_queue.name AND state = 'pending' AND crashes + rescues > 0)
    + (SELECT count(*) FROM windlass_job WHERE queue = windlass_queue.name AND state IN ('scheduled', 'retrying'))
    AS waiting
    FROM windlass_queue
    WHERE max_length IS NOT NULL AND name IN (SELECT value FROM jsonb_each(:queues)))
WHERE added > 0 AND waiting + added > max_length
