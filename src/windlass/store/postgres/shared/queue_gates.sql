-- The gates of the queue {queue} that are shut, rows of ShutGate. While there is one, nothing is claimed of
-- the queue; why says which. Another gate of a queue is another SELECT here. {limits} are the rows of gate, or what a
-- claim knows of them: the newest ones, with what its own endings change. {rates} are the token buckets. Needs clock.
    SELECT CASE queue.name WHEN '*' THEN 'everything_paused' ELSE 'queue_paused' END AS gate,
        queue.paused_at AS since, queue.paused_by AS by, queue.paused_reason AS reason, NULL AS ends_at,
        CAST(NULL AS integer) AS most
    FROM windlass_queue AS queue WHERE queue.name IN ({queue}, '*') AND queue.paused_at IS NOT NULL
    UNION ALL
    SELECT 'queue_cooling' AS gate, cooldown.began_at, NULL, cooldown.reason, cooldown.ends_at, NULL
    FROM windlass_cooldown AS cooldown
    WHERE cooldown.scope = 'queue' AND cooldown.name = {queue}
    AND cooldown.began_at <= (SELECT clock.now FROM clock) AND (SELECT clock.now FROM clock) < cooldown.ends_at
    UNION ALL
    SELECT CASE held.name WHEN '*' THEN 'app_at_limit' ELSE 'queue_at_limit' END AS gate, NULL, NULL, NULL, NULL,
        held.max_running
    FROM {limits} AS held WHERE held.name IN ({queue}, '*') AND held.running >= held.max_running
    UNION ALL
    SELECT 'queue_out_of_tokens' AS gate, NULL, NULL, NULL, (SELECT clock.now FROM clock) + (bucket.period + bucket.amount - 1 - (
            -- here filled (rate = bucket)
        )) / bucket.amount, NULL
    FROM {rates} AS bucket WHERE bucket.name = {queue} AND bucket.period >
        -- here filled (rate = bucket)
