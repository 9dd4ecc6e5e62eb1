-- 1. jobs
-- What a graph shows of these jobs.
-- gives jobs
SELECT {job.FlowJob} FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_job AS job ON job.seq = wanted.value

-- 2. edges
-- The edges between them, at most :most.
-- gives edges
SELECT edge.parent, edge.child, edge.state < 2
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.child = wanted.value
WHERE edge.parent IN (SELECT value FROM jsonb_each(:seqs)) LIMIT :most
