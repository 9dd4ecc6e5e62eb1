-- The jobs that a job waits, or waited, for, in the order in which they were named, behind the position :after. Behind them the
-- members of its group, from a place on that no other parent has.
-- gives relatives
SELECT relative.place, relative.seq, job.id, job.task, job.state,
    coalesce(relative.is_open, job.state NOT IN ('completed', 'failed', 'cancelled'), false)
FROM (
    (SELECT CAST(edge.place AS bigint) AS place, edge.parent AS seq, edge.state < 2 AS is_open FROM windlass_edge AS edge
    WHERE edge.child = CAST(:seq AS bigint) AND edge.place > greatest(CAST(:after AS bigint), -1)
    ORDER BY edge.place LIMIT CAST(:limit AS bigint))
    UNION ALL
    (SELECT 8589934592 + own.place, own.member, CAST(NULL AS boolean) FROM windlass_member AS own
    WHERE own.callback = CAST(:seq AS bigint) AND own.place > CAST(:after AS bigint) - 8589934592
    ORDER BY own.place LIMIT CAST(:limit AS bigint))
    ORDER BY 1 LIMIT CAST(:limit AS bigint)
) AS relative LEFT JOIN LATERAL (
    SELECT record.id, record.task, record.state FROM windlass_record AS record
    WHERE record.seq = relative.seq OFFSET 0) AS job ON true
ORDER BY relative.place
