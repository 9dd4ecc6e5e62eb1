-- What points at jobs that are not there, among the seqs behind :after and up to :before: at most :limit. Tags, which have no
-- order by seq, with the first of them.
-- gives strays
SELECT 'tag', tag, seq FROM windlass_tag
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_tag.seq)
AND :after = 0
UNION ALL
SELECT 'edge', CAST(parent AS TEXT), child FROM windlass_edge
WHERE windlass_edge.child > :after AND windlass_edge.child <= :before AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_edge.child)
UNION ALL
SELECT 'step', name, seq FROM windlass_step
WHERE windlass_step.seq > :after AND windlass_step.seq <= :before AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_step.seq)
UNION ALL
SELECT 'payload', CAST(size AS TEXT), seq FROM windlass_payload
WHERE windlass_payload.seq > :after AND windlass_payload.seq <= :before AND NOT EXISTS (
    SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_payload.seq)
UNION ALL
SELECT 'member', CAST(member AS TEXT), callback FROM windlass_member
WHERE windlass_member.callback > :after AND windlass_member.callback <= :before AND NOT EXISTS (
    SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_member.callback)
LIMIT :limit
