-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position :after.
-- gives relatives
SELECT edge.place, edge.parent, job.id, job.task, job.state, edge.state < 2
FROM windlass_edge AS edge LEFT JOIN windlass_job AS job ON job.seq = edge.parent
WHERE edge.child = :seq AND edge.place > :after ORDER BY edge.place LIMIT :limit
