-- Whether it is the turn of {suspect}, the first suspect of the queue {queue}. It comes before the others of its priority,
-- which it was ahead of once, but not before those of a higher one.
    {suspect}.priority >= coalesce((
        SELECT priority FROM windlass_job
        WHERE queue = {queue} AND state = 'pending' AND crashes = 0 AND rescues = 0
        ORDER BY priority DESC, run_at, seq LIMIT 1), -1000)
