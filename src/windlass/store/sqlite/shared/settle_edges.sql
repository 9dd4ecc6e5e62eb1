-- 1. next member
-- only if unsettled
-- here next_member

-- 2. doomed
-- The children of :unsettled that a parent which did not complete takes along, and what waits for these in turn, 1,000 jobs
-- at the most: the others are left to promote. One that does not wait any more, for it was retried by hand, takes none along.
-- only if unsettled
-- binds doomed
SELECT nullif(json_group_array(doomed.seq), '[]') FROM (
    WITH RECURSIVE doomed (seq) AS (
        SELECT edge.child FROM json_each(:unsettled) AS wanted CROSS JOIN windlass_edge AS edge
        CROSS JOIN windlass_job AS child ON child.seq = edge.child AND child.state = 'blocked' AND child.gate = 'parents'
        WHERE edge.child = wanted.value AND edge.state = 0 AND edge.policy = 'cancel'
        AND coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = edge.parent), 'gone')
            IN ('failed', 'cancelled', 'gone')
        UNION
        SELECT edge.child FROM doomed CROSS JOIN windlass_edge AS edge
        CROSS JOIN windlass_job AS child ON child.seq = edge.child AND child.state = 'blocked' AND child.gate = 'parents'
        WHERE edge.parent = doomed.seq AND edge.state < 2 AND edge.policy = 'cancel'
        LIMIT 1000)
    SELECT doomed.seq FROM doomed) AS doomed

-- 3. doom
-- only if doomed
-- gives doomed
UPDATE windlass_job SET state = 'cancelled', reason = 'dependency', gate = NULL, finished_at = :now
WHERE seq IN (SELECT value FROM json_each(:doomed))
RETURNING 1

-- 4. key
-- A job that is cancelled because of a parent gives its unique key back.
-- only if doomed
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT unique_key, id FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:doomed)))

-- 5. settled
-- The cancelled jobs wait for nothing any more.
-- only if doomed
UPDATE windlass_edge SET state = 2 WHERE state < 2 AND child IN (SELECT value FROM json_each(:doomed))

-- 6. mark
-- What waits for the cancelled jobs is to be looked at, too.
-- only if doomed
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND parent IN (SELECT value FROM json_each(:doomed))

-- 7. unsettled
-- only if doomed
-- binds unsettled
-- here unsettled (limit = 500)

-- 8. next member of those
-- only if doomed
-- here next_member

-- 9. check
-- Settles the edges of :unsettled whose parents have ended; the others wait for their parents. That of a child which is to be
-- cancelled yet stays as it is.
-- only if unsettled
UPDATE windlass_edge SET state = CASE
    WHEN coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent), 'gone')
        IN ('failed', 'cancelled', 'gone') THEN CASE policy WHEN 'wait' THEN 1 ELSE 2 END
    WHEN EXISTS (
        SELECT 1 FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent AND parent.state = 'completed')
        THEN 2
    ELSE 1 END
WHERE state = 0 AND child IN (SELECT value FROM json_each(:unsettled))
AND NOT (
    policy = 'cancel'
    AND coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent), 'gone')
        IN ('failed', 'cancelled', 'gone')
    AND EXISTS (
        SELECT 1 FROM windlass_job AS child
        WHERE child.seq = windlass_edge.child AND child.state = 'blocked' AND child.gate = 'parents'))

-- 10. release
-- Lets the children of :unsettled go whose edges are all settled.
-- only if unsettled
-- gives released
UPDATE windlass_job SET state = CASE WHEN run_at > :now THEN 'scheduled' ELSE 'pending' END, reason = NULL, gate = NULL
WHERE seq IN (SELECT value FROM json_each(:unsettled)) AND state = 'blocked' AND gate = 'parents'
AND NOT EXISTS (SELECT 1 FROM windlass_edge WHERE child = windlass_job.seq AND state < 2)
RETURNING 1
