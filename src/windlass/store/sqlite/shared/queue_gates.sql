-- The gates of the queue {queue} that are shut, rows of ShutGate. While there is one, nothing is claimed of
-- the queue; why tells which. Another gate of a queue is another SELECT here.
    SELECT CASE name WHEN '*' THEN 'everything_paused' ELSE 'queue_paused' END AS gate,
        paused_at AS since, paused_by AS by, paused_reason AS reason
    FROM windlass_queue WHERE name IN ({queue}, '*') AND paused_at IS NOT NULL
