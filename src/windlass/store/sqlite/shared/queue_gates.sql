-- The gates of the queue {queue} that are shut, rows of ShutGate. While there is one, nothing is claimed of
-- the queue; why says which. Another gate of a queue is another SELECT here.
    SELECT CASE name WHEN '*' THEN 'everything_paused' ELSE 'queue_paused' END AS gate,
        paused_at AS since, paused_by AS by, paused_reason AS reason, NULL AS ends_at, NULL AS most
    FROM windlass_queue WHERE name IN ({queue}, '*') AND paused_at IS NOT NULL
    UNION ALL
    SELECT 'queue_cooling' AS gate, began_at, NULL, reason, ends_at, NULL FROM windlass_cooldown
    WHERE scope = 'queue' AND name = {queue} AND began_at <= :now AND :now < ends_at
    UNION ALL
    SELECT CASE name WHEN '*' THEN 'app_at_limit' ELSE 'queue_at_limit' END AS gate, NULL, NULL, NULL, NULL, max_running
    FROM windlass_gate WHERE name IN ({queue}, '*') AND running >= max_running
    UNION ALL
    SELECT 'queue_out_of_tokens' AS gate, NULL, NULL, NULL, :now +
        -- here token_due
    , NULL
    FROM windlass_rate WHERE name = {queue} AND period >
        -- here filled
