-- The gates of the queue {queue} that are shut, rows (gate, since, by, reason). While there is one, nothing is claimed of
-- the queue; why tells which. Another gate of a queue is another SELECT here.
    SELECT CASE queue.name WHEN '*' THEN 'everything_paused' ELSE 'queue_paused' END AS gate, queue.paused_at,
        queue.paused_by, queue.paused_reason
    FROM windlass_queue AS queue WHERE queue.name IN ({queue}, '*') AND queue.paused_at IS NOT NULL
