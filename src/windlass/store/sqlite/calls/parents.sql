-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position :after. Behind them the
-- members of its group, from a place on that no other parent has.
-- gives relatives
SELECT place, seq, id, task, state, is_open FROM (
    SELECT * FROM (
        SELECT edge.place AS place, edge.parent AS seq, job.id AS id, job.task AS task, job.state AS state,
            edge.state < 2 AS is_open
        FROM windlass_edge AS edge LEFT JOIN windlass_job AS job ON job.seq = edge.parent
        WHERE edge.child = :seq AND edge.place > max(:after, -1) ORDER BY edge.place LIMIT :limit)
    UNION ALL
    SELECT * FROM (
        SELECT 8589934592 + own.place, own.member, job.id, job.task, job.state,
            coalesce(job.state NOT IN ('completed', 'failed', 'cancelled'), 0)
        FROM windlass_member AS own LEFT JOIN windlass_job AS job ON job.seq = own.member
        WHERE own.callback = :seq AND own.place > :after - 8589934592 ORDER BY own.place LIMIT :limit))
ORDER BY place LIMIT :limit
