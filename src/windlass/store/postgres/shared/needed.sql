-- A row if a job that waits for {seq}, or wants its result, has not ended. One value, which the planner cannot make a join of
-- that would read all edges; compared with <>, because it takes nearly all jobs to be such that no other needs them.
    SELECT 1 FROM windlass_edge AS edge WHERE edge.parent = {seq}
    AND (SELECT ended.seq FROM windlass_finished AS ended WHERE ended.seq = edge.child) IS NULL
    UNION ALL
    SELECT 1 FROM windlass_member AS own WHERE own.member = {seq}
    AND (SELECT ended.seq FROM windlass_finished AS ended WHERE ended.seq = own.callback) IS NULL LIMIT 1
