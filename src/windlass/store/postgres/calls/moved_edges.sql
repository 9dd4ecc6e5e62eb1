-- The edges of these jobs to those that they wait, or waited, for, in order, behind (:after_child, :after_place). The members of a
-- group come behind the others, from a place on that no other parent has.
-- gives edges
SELECT edge.child, edge.place, parent.id, parent.queue, edge.policy, edge.is_open
FROM (
    SELECT edge.child, edge.place, edge.parent, edge.policy, edge.is_open
    FROM (
        SELECT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
    ) AS wanted CROSS JOIN LATERAL (
        (SELECT edge.child, CAST(edge.place AS bigint) AS place, edge.parent, edge.policy, edge.state < 2 AS is_open
        FROM windlass_edge AS edge
        WHERE edge.child = wanted.seq AND edge.place >= 0
        AND (edge.child, edge.place) > (CAST(:after_child AS bigint), CAST(:after_place AS bigint))
        ORDER BY edge.place LIMIT CAST(:limit AS bigint))
        UNION ALL
        (SELECT own.callback, 8589934592 + own.place, own.member, watch.policy, watch.state < 2
        FROM windlass_edge AS watch CROSS JOIN LATERAL (
            SELECT own.callback, own.place, own.member FROM windlass_member AS own
            WHERE own.callback = watch.child
            AND (own.callback, 8589934592 + own.place) > (CAST(:after_child AS bigint), CAST(:after_place AS bigint))
            ORDER BY own.place LIMIT CAST(:limit AS bigint)) AS own
        WHERE watch.child = wanted.seq AND watch.place = -1)) AS edge
    ORDER BY edge.child, edge.place LIMIT CAST(:limit AS bigint)
) AS edge LEFT JOIN LATERAL (
    SELECT job.id, job.queue FROM windlass_job AS job WHERE job.seq = edge.parent OFFSET 0) AS parent ON true
ORDER BY edge.child, edge.place
