-- The edges from these jobs to those that wait, or waited, for them, in order, behind (:after_parent, :after_child).
-- gives edges
SELECT edge.parent, edge.child
FROM (
    SELECT CAST(value AS bigint) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb))
) AS wanted CROSS JOIN LATERAL (
    SELECT found.parent, found.child FROM (
        SELECT edge.parent, edge.child FROM windlass_edge AS edge WHERE edge.parent = wanted.seq
        UNION
        SELECT own.member, own.callback FROM windlass_member AS own WHERE own.member = wanted.seq) AS found
    WHERE (found.parent, found.child) > (CAST(:after_parent AS bigint), CAST(:after_child AS bigint))
    ORDER BY found.child LIMIT CAST(:limit AS bigint)) AS edge
ORDER BY edge.parent, edge.child LIMIT CAST(:limit AS bigint)
