-- 1. lease
-- A job that does not run forgets its lease.
-- :found rows (seq, kind) as found
UPDATE windlass_job SET lease = NULL, claim = NULL WHERE state <> 'running' AND lease IS NOT NULL AND seq IN (
    SELECT {found.seq} FROM jsonb_each(:found) AS found WHERE {found.kind} = 'left_lease')

-- 2. gate
-- A blocked job that waits for nothing is ready.
-- :found rows (seq, kind) as found
UPDATE windlass_job SET state = 'pending', reason = NULL, gate = NULL
WHERE state = 'blocked' AND seq IN (
    SELECT {found.seq} FROM jsonb_each(:found) AS found WHERE {found.kind} IN ('no_gate', 'no_edges'))
AND (gate IS NULL OR NOT EXISTS (
    SELECT 1 FROM windlass_edge WHERE windlass_edge.child = windlass_job.seq AND windlass_edge.state < 2))

-- 3. edges
-- Promote looks again at an edge whose parent has ended or is gone, and does as the child's policy says.
-- :found rows (seq, kind) as found
UPDATE windlass_edge SET state = 0 WHERE state = 1 AND child IN (
    SELECT {found.seq} FROM jsonb_each(:found) AS found WHERE {found.kind} = 'stale_edge')
AND coalesce((SELECT parent.state FROM windlass_job AS parent WHERE parent.seq = windlass_edge.parent), 'gone')
    IN ('completed', 'failed', 'cancelled', 'gone')

-- 4. end
-- A finished job has ended now, so that retention finds it.
-- :found rows (seq, kind) as found
UPDATE windlass_job SET finished_at = :now
WHERE state IN ('completed', 'failed', 'cancelled') AND finished_at IS NULL AND seq IN (
    SELECT {found.seq} FROM jsonb_each(:found) AS found WHERE {found.kind} = 'no_end')

-- 5. tags
-- :found rows (seq, kind) as found
INSERT INTO windlass_tag (tag, seq)
SELECT DISTINCT tag.value, job.seq FROM jsonb_each(:found) AS found JOIN windlass_job AS job ON job.seq = {found.seq}
JOIN json_each(iif(json_valid(job.tags), job.tags, '[]')) AS tag
WHERE {found.kind} = 'no_tag' AND tag.type = 'text'
ON CONFLICT DO NOTHING
