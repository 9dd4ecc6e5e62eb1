-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position :after.
-- gives relatives
SELECT edge.place, edge.parent, job.id, job.task, job.state, edge.state < 2
FROM (
    SELECT edge.place, edge.parent, edge.state FROM windlass_edge AS edge
    WHERE edge.child = CAST(:seq AS bigint) AND edge.place > CAST(:after AS bigint)
    ORDER BY edge.place LIMIT CAST(:limit AS bigint)
) AS edge LEFT JOIN LATERAL (
    SELECT record.id, record.task, record.state FROM windlass_record AS record
    WHERE record.seq = edge.parent OFFSET 0) AS job ON true
ORDER BY edge.place
