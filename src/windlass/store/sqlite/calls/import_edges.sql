-- 1. edges
-- Stores edges of jobs of another store, which are here already. What is there stays. Those that are not settled are
-- looked at by promote. A parent that was gone there has no number here.
-- :edges rows (NewEdge, is_open) as edge
INSERT INTO windlass_edge (child, place, parent, policy, state)
SELECT child.seq, {edge.place}, coalesce(parent.seq, 0), {edge.policy}, iif({edge.is_open}, 0, 2)
FROM jsonb_each(:edges) AS edge CROSS JOIN windlass_job AS child ON child.id = {edge.child}
LEFT JOIN windlass_job AS parent ON parent.id = {edge.parent}
WHERE {edge.place} < 8589934592
ON CONFLICT (child, place) DO NOTHING

-- 2. members
-- From that place on they are the members of a group.
-- :edges rows (NewEdge, is_open) as edge
INSERT INTO windlass_member (callback, place, member)
SELECT child.seq, {edge.place} - 8589934592, coalesce(parent.seq, 0)
FROM jsonb_each(:edges) AS edge CROSS JOIN windlass_job AS child ON child.id = {edge.child}
LEFT JOIN windlass_job AS parent ON parent.id = {edge.parent}
WHERE {edge.place} >= 8589934592
ON CONFLICT (callback, place) DO NOTHING

-- 3. watched
-- The first one, for a start.
-- :edges rows (NewEdge, is_open) as edge
INSERT INTO windlass_edge (child, place, parent, policy, state, watched)
SELECT child.seq, -1, coalesce(parent.seq, 0), {edge.policy}, iif({edge.is_open}, 0, 2), 0
FROM jsonb_each(:edges) AS edge CROSS JOIN windlass_job AS child ON child.id = {edge.child}
LEFT JOIN windlass_job AS parent ON parent.id = {edge.parent}
WHERE {edge.place} = 8589934592
ON CONFLICT (child, place) DO NOTHING
