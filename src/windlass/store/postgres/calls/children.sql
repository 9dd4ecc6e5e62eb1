-- The jobs that wait, or waited, for a job, by their numbers, behind the number :after; the callbacks of its groups among them.
-- gives relatives
SELECT relative.child, relative.child, job.id, job.task, job.state, relative.is_open
FROM (
    SELECT found.child, bool_or(found.is_open) AS is_open FROM (
        SELECT edge.child, edge.state < 2 AS is_open FROM windlass_edge AS edge
        WHERE edge.parent = CAST(:seq AS bigint) AND edge.child > CAST(:after AS bigint) AND edge.place >= 0
        UNION ALL
        SELECT own.callback, EXISTS (
            SELECT 1 FROM windlass_edge AS watch
            WHERE watch.child = own.callback AND watch.place = -1 AND watch.state < 2)
        FROM windlass_member AS own
        WHERE own.member = CAST(:seq AS bigint) AND own.callback > CAST(:after AS bigint)
    ) AS found GROUP BY found.child ORDER BY found.child LIMIT CAST(:limit AS bigint)
) AS relative LEFT JOIN LATERAL (
    SELECT record.id, record.task, record.state FROM windlass_record AS record
    WHERE record.seq = relative.child OFFSET 0) AS job ON true
ORDER BY relative.child
