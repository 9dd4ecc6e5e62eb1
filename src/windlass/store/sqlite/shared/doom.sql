-- Cancels the children of :unsettled that a parent which did not complete takes along, and what waits for these in turn,
-- 1,000 jobs at the most: the others are left to the next call.
UPDATE windlass_job SET state = 'cancelled', reason = 'dependency', gate = NULL, finished_at = :now
WHERE state = 'blocked' AND gate = 'parents' AND seq IN (
    WITH RECURSIVE doomed (seq) AS (
        SELECT edge.child FROM json_each(:unsettled) AS wanted CROSS JOIN windlass_edge AS edge
        WHERE edge.child = wanted.value AND edge.state = 0 AND edge.policy = 'cancel'
        AND coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = edge.parent), 'gone')
            IN ('failed', 'cancelled', 'gone')
        UNION
        SELECT edge.child FROM doomed CROSS JOIN windlass_edge AS edge
        WHERE edge.parent = doomed.seq AND edge.state < 2 AND edge.policy = 'cancel'
        LIMIT 1000)
    SELECT doomed.seq FROM doomed)
