-- The jobs that wait, or waited, for a job, by their numbers, behind the number :after.
-- gives relatives
SELECT edge.child, edge.child, job.id, job.task, job.state, edge.state < 2
FROM (
    SELECT edge.child, edge.state FROM windlass_edge AS edge
    WHERE edge.parent = CAST(:seq AS bigint) AND edge.child > CAST(:after AS bigint)
    ORDER BY edge.child LIMIT CAST(:limit AS bigint)
) AS edge LEFT JOIN LATERAL (
    SELECT record.id, record.task, record.state FROM windlass_record AS record
    WHERE record.seq = edge.child OFFSET 0) AS job ON true
ORDER BY edge.child
