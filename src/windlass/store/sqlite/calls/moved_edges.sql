-- The edges of these jobs to those that they wait, or waited, for, in order, behind (:after_child, :after_place). The members of a
-- group come behind the others, from a place on that no other parent has.
-- gives edges
SELECT edge.child, edge.place, parent.id, parent.queue, edge.policy, edge.is_open FROM (
    SELECT edge.child AS child, edge.place AS place, edge.parent AS parent, edge.policy AS policy, edge.state < 2 AS is_open
    FROM jsonb_each(:seqs) AS wanted CROSS JOIN windlass_edge AS edge ON edge.child = wanted.value
    WHERE edge.place >= 0 AND (edge.child, edge.place) > (:after_child, :after_place)
    UNION ALL
    SELECT own.callback, 8589934592 + own.place, own.member, watch.policy, watch.state < 2
    FROM jsonb_each(:seqs) AS wanted
    CROSS JOIN windlass_edge AS watch ON watch.child = wanted.value AND watch.place = -1
    CROSS JOIN windlass_member AS own ON own.callback = watch.child
    WHERE own.callback > :after_child OR (own.callback = :after_child AND own.place > :after_place - 8589934592)
    ORDER BY 1, 2 LIMIT :limit) AS edge
LEFT JOIN windlass_job AS parent ON parent.seq = edge.parent
ORDER BY edge.child, edge.place
