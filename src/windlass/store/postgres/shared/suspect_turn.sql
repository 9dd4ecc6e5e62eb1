-- Whether it is the turn of {suspect}, the first suspect of the queue {queue}. It comes before the others of its priority,
-- which it was ahead of once, but not before those of a higher one.
    {suspect}.priority >= coalesce((
        SELECT other.priority FROM windlass_ready AS other
        WHERE other.queue = {queue} AND NOT other.suspect AND other.seq BETWEEN 0 AND 9223372036854775807
        ORDER BY other.priority DESC, other.since, other.seq LIMIT 1), -1000)
