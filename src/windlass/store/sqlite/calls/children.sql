-- The jobs that wait, or waited, for a job, by their numbers, behind the number :after.
-- gives relatives
SELECT edge.child, edge.child, job.id, job.task, job.state, edge.state < 2
FROM windlass_edge AS edge LEFT JOIN windlass_job AS job ON job.seq = edge.child
WHERE edge.parent = :seq AND edge.child > :after ORDER BY edge.child LIMIT :limit
