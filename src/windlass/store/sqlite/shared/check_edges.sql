-- Settles the edges of :unsettled whose parents have ended; the others wait for their parents. That of a child which is to be
-- cancelled yet stays as it is.
UPDATE windlass_edge SET state = CASE
    WHEN coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent), 'gone')
        IN ('failed', 'cancelled', 'gone') THEN iif(policy = 'wait', 1, 2)
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
