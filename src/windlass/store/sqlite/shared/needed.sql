-- A row for each job that waits for {seq} or wants its result, and has not ended.
    SELECT 1 FROM windlass_edge AS edge CROSS JOIN windlass_job AS child ON child.seq = edge.child
    WHERE edge.parent = {seq} AND child.state NOT IN ('completed', 'failed', 'cancelled')
    UNION ALL
    SELECT 1 FROM windlass_member AS own CROSS JOIN windlass_job AS callback ON callback.seq = own.callback
    WHERE own.member = {seq} AND callback.state NOT IN ('completed', 'failed', 'cancelled')
