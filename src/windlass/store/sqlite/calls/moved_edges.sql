-- The edges of these jobs to those that they wait, or waited, for, in order, behind (:after_child, :after_place).
-- gives edges
SELECT edge.child, edge.place, parent.id, parent.queue, edge.policy, edge.state < 2
FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.child = wanted.value
LEFT JOIN windlass_job AS parent ON parent.seq = edge.parent
WHERE (edge.child, edge.place) > (:after_child, :after_place)
ORDER BY edge.child, edge.place LIMIT :limit
