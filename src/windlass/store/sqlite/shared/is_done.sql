-- Whether the callback of a group need not wait for the member {seq}: it has completed, or ended in whatever way.
(EXISTS (SELECT 1 FROM windlass_job AS done WHERE done.seq = {seq} AND done.state = 'completed')
    OR ({policy} = 'run' AND NOT EXISTS (
        SELECT 1 FROM windlass_job AS done
        WHERE done.seq = {seq} AND done.state NOT IN ('completed', 'failed', 'cancelled'))))
