-- A row for each job that waits for {seq} or wants its result, and has not ended.
    SELECT 1 FROM windlass_edge AS edge CROSS JOIN windlass_job AS child ON child.seq = edge.child
    WHERE edge.parent = {seq} AND child.state NOT IN ('completed', 'failed', 'cancelled')
