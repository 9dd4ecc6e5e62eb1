-- What points at jobs that are not there, among the seqs behind :after and up to :before: at most :limit. Tags and places of
-- ready jobs, which have no order by seq, with the first of them.
-- gives strays
SELECT 'tag', tag, seq FROM windlass_tag AS tagged
WHERE NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = tagged.seq)
AND CAST(:after AS bigint) = 0
UNION ALL
SELECT 'edge', CAST(parent AS text), child FROM windlass_edge AS edge
WHERE edge.child > CAST(:after AS bigint) AND edge.child <= CAST(:before AS bigint) AND NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = edge.child)
UNION ALL
SELECT 'step', name, seq FROM windlass_step AS step
WHERE step.seq > CAST(:after AS bigint) AND step.seq <= CAST(:before AS bigint) AND NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = step.seq)
UNION ALL
SELECT 'finished', state, seq FROM windlass_finished AS finished
WHERE finished.seq > CAST(:after AS bigint) AND finished.seq <= CAST(:before AS bigint) AND NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = finished.seq)
UNION ALL
SELECT 'blocked', gate, seq FROM windlass_blocked AS blocked
WHERE blocked.seq > CAST(:after AS bigint) AND blocked.seq <= CAST(:before AS bigint) AND NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = blocked.seq)
UNION ALL
SELECT 'ready', queue, seq FROM windlass_ready AS ready
WHERE NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = ready.seq
    AND job.queue = ready.queue AND job.priority = ready.priority AND job.run_at = ready.since)
AND CAST(:after AS bigint) = 0
LIMIT CAST(:limit AS bigint)
