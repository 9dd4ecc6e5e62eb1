-- The jobs that wait, or waited, for a job, by their numbers, behind the number :after; the callbacks of its groups among them.
-- gives relatives
SELECT child, child, job.id, job.task, job.state, max(is_open) FROM (
    SELECT edge.child AS child, edge.state < 2 AS is_open FROM windlass_edge AS edge
    WHERE edge.parent = :seq AND edge.child > :after AND edge.place >= 0
    UNION ALL
    SELECT own.callback, EXISTS (
        SELECT 1 FROM windlass_edge AS watch WHERE watch.child = own.callback AND watch.place = -1 AND watch.state < 2)
    FROM windlass_member AS own WHERE own.member = :seq AND own.callback > :after)
LEFT JOIN windlass_job AS job ON job.seq = child
GROUP BY child ORDER BY child LIMIT :limit
