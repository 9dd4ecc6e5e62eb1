-- The edges from these jobs to those that wait, or waited, for them, in order, behind (:after_parent, :after_child).
-- gives edges
SELECT edge.parent, edge.child
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.parent = wanted.value
WHERE (edge.parent, edge.child) > (:after_parent, :after_child)
ORDER BY edge.parent, edge.child LIMIT :limit
