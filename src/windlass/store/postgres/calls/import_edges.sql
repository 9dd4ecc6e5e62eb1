-- Stores edges of jobs of another store, which are here already. What is there stays. Those that are not settled are
-- looked at by promote. A parent that was gone there has no number here. From a place on that no other parent has they are the
-- members of a group, of which the first is watched, for a start.
-- :edges rows (NewEdge, is_open)
WITH wanted AS MATERIALIZED (
    SELECT child.seq AS child, wanted.place, coalesce(parent.seq, 0) AS parent, wanted.policy,
        CASE WHEN wanted.is_open THEN 0 ELSE 2 END AS state
    FROM (
        SELECT ({edges.child}) COLLATE "C" AS child, CAST({edges.place} AS bigint) AS place,
            ({edges.parent}) COLLATE "C" AS parent, {edges.policy} AS policy, CAST({edges.is_open} AS boolean) AS is_open
        FROM jsonb_array_elements(CAST(:edges AS jsonb))
    ) AS wanted CROSS JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job WHERE job.id = wanted.child OFFSET 0) AS child
    LEFT JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job WHERE job.id = wanted.parent OFFSET 0) AS parent ON true
), member AS (
    INSERT INTO windlass_member (callback, place, member)
    SELECT wanted.child, wanted.place - 8589934592, wanted.parent FROM wanted WHERE wanted.place >= 8589934592
    ON CONFLICT (callback, place) DO NOTHING
)
INSERT INTO windlass_edge (child, place, parent, policy, state, watched)
SELECT wanted.child, CASE WHEN wanted.place < 8589934592 THEN wanted.place ELSE -1 END, wanted.parent, wanted.policy,
    wanted.state, CASE WHEN wanted.place = 8589934592 THEN 0 END
FROM wanted WHERE wanted.place <= 8589934592
ON CONFLICT (child, place) DO NOTHING
