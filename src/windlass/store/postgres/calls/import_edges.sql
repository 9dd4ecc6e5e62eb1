-- Stores edges of jobs of another store, which are here already. What is there stays. Those that are not settled are
-- looked at by promote. A parent that was gone there has no number here.
-- :edges rows (NewEdge, is_open)
INSERT INTO windlass_edge (child, place, parent, policy, state)
SELECT child.seq, wanted.place, coalesce(parent.seq, 0), wanted.policy, CASE WHEN wanted.is_open THEN 0 ELSE 2 END
FROM (
    SELECT ({edges.child}) COLLATE "C" AS child, CAST({edges.place} AS integer) AS place,
        ({edges.parent}) COLLATE "C" AS parent, {edges.policy} AS policy, CAST({edges.is_open} AS boolean) AS is_open
    FROM jsonb_array_elements(CAST(:edges AS jsonb))
) AS wanted CROSS JOIN LATERAL (
    SELECT job.seq FROM windlass_job AS job WHERE job.id = wanted.child OFFSET 0) AS child
LEFT JOIN LATERAL (
    SELECT job.seq FROM windlass_job AS job WHERE job.id = wanted.parent OFFSET 0) AS parent ON true
ON CONFLICT (child, place) DO NOTHING
