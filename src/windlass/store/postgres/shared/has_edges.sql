-- 1 if {seq} waits, or waited, for other jobs, or others for it, else 0. One value, which the planner cannot make a join of that
-- would read all edges; compared with <>, because it takes nearly all jobs to be such that have none.
    coalesce(
        (SELECT 1 FROM windlass_edge AS edge WHERE edge.parent = {seq} LIMIT 1),
        (SELECT 1 FROM windlass_edge AS edge WHERE edge.child = {seq} LIMIT 1),
        (SELECT 1 FROM windlass_member AS own WHERE own.member = {seq} LIMIT 1), 0)
