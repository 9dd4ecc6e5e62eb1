-- The edges of these jobs to those that they wait, or waited, for, in order, behind (:after_child, :after_place).
-- gives edges
SELECT edge.child, edge.place, parent.id, parent.queue, edge.policy, edge.state < 2
FROM (
    SELECT edge.child, edge.place, edge.parent, edge.policy, edge.state
    FROM (
        SELECT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
    ) AS wanted CROSS JOIN LATERAL (
        SELECT * FROM windlass_edge AS edge
        WHERE edge.child = wanted.seq
        AND (edge.child, edge.place) > (CAST(:after_child AS bigint), CAST(:after_place AS bigint))
        ORDER BY edge.place LIMIT CAST(:limit AS bigint)) AS edge
    ORDER BY edge.child, edge.place LIMIT CAST(:limit AS bigint)
) AS edge LEFT JOIN LATERAL (
    SELECT job.id, job.queue FROM windlass_job AS job WHERE job.seq = edge.parent OFFSET 0) AS parent ON true
ORDER BY edge.child, edge.place
