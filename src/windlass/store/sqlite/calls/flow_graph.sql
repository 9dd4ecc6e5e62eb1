-- 1. jobs
-- What a graph shows of these jobs.
-- gives jobs
SELECT {job.FlowJob} FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_job AS job ON job.seq = wanted.value

-- 2. edges
-- The edges between them, at most :most; the members of a group are parents of its callback.
-- gives edges
SELECT edge.parent, edge.child, edge.state < 2, 0
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.child = wanted.value
WHERE edge.place >= 0 AND edge.parent IN (SELECT value FROM jsonb_each(:seqs))
UNION ALL
SELECT own.member, own.callback, (
    SELECT watch.state < 2 AND own.place >= watch.watched FROM windlass_edge AS watch
    WHERE watch.child = own.callback AND watch.place = -1), 1
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_member AS own ON own.callback = wanted.value
WHERE own.member IN (SELECT value FROM jsonb_each(:seqs))
LIMIT :most
