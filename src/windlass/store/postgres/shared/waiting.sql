-- The queues that have jobs to claim, one step of the index each, however many jobs they have. Needs RECURSIVE.
waiting AS (
    (SELECT queue FROM windlass_ready ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT next.queue FROM windlass_ready AS next WHERE next.queue > waiting.queue
        ORDER BY next.queue LIMIT 1)
    FROM waiting WHERE waiting.queue IS NOT NULL
)
