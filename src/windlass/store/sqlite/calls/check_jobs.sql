-- What of these jobs contradicts itself, only read.
-- gives found
WITH job AS MATERIALIZED (
    SELECT * FROM windlass_job WHERE seq IN (SELECT value FROM jsonb_each(:seqs))
)
SELECT seq, 'no_lease', coalesce(lease, '') FROM job
WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE windlass_lease.id = job.lease)
UNION ALL
SELECT seq, 'left_lease', lease FROM job WHERE state <> 'running' AND lease IS NOT NULL
UNION ALL
SELECT seq, 'no_gate', reason FROM job WHERE state = 'blocked' AND gate IS NULL
UNION ALL
SELECT seq, 'no_edges', reason FROM job WHERE state = 'blocked' AND gate = 'parents'
AND NOT EXISTS (SELECT 1 FROM windlass_edge WHERE windlass_edge.child = job.seq AND windlass_edge.state < 2)
UNION ALL
-- One that waits for a person, as its policy says, is in order.
SELECT job.seq, 'stale_edge', coalesce(parent.id, CAST(edge.parent AS TEXT)) FROM job
CROSS JOIN windlass_edge AS edge ON edge.child = job.seq AND edge.state = 1
LEFT JOIN windlass_job AS parent ON parent.seq = edge.parent
WHERE job.state = 'blocked' AND job.gate = 'parents' AND (parent.state = 'completed'
    OR (edge.policy <> 'wait' AND coalesce(parent.state, 'gone') IN ('failed', 'cancelled', 'gone')))
UNION ALL
SELECT seq, 'no_end', state FROM job WHERE state IN ('completed', 'failed', 'cancelled') AND finished_at IS NULL
UNION ALL
SELECT job.seq, 'no_tag', tag.value FROM job JOIN json_each(iif(json_valid(job.tags), job.tags, '[]')) AS tag
WHERE job.tags IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM windlass_tag WHERE windlass_tag.tag = tag.value AND windlass_tag.seq = job.seq)
UNION ALL
SELECT seq, 'no_text', 'payload' FROM job WHERE payload = '{"v":2,"payload":"apart"}'
AND NOT EXISTS (SELECT 1 FROM windlass_payload WHERE windlass_payload.seq = job.seq)
