-- The edges from these jobs to those that wait, or waited, for them, in order, behind (:after_parent, :after_child).
-- gives edges
SELECT edge.parent, edge.child
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.parent = wanted.value
WHERE (edge.parent, edge.child) > (:after_parent, :after_child)
UNION
SELECT own.member, own.callback
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_member AS own ON own.member = wanted.value
WHERE (own.member, own.callback) > (:after_parent, :after_child)
ORDER BY 1, 2 LIMIT :limit
