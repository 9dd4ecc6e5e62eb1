-- For how many milliseconds the oldest ready job of each queue has been waiting. The first of each priority has waited
-- longest among its like: one step of the index for each priority of each queue, however many jobs they have.
-- gives oldest
WITH RECURSIVE
-- here clock
, first AS (
    SELECT queue.name AS queue, place.suspect, ready.priority, ready.since
    FROM windlass_queue AS queue CROSS JOIN (VALUES (false), (true)) AS place (suspect) CROSS JOIN LATERAL (
        SELECT priority, since FROM windlass_ready
        WHERE windlass_ready.queue = queue.name AND windlass_ready.suspect = place.suspect
        ORDER BY priority DESC, since, seq LIMIT 1) AS ready
    UNION ALL
    SELECT first.queue, first.suspect, ready.priority, ready.since
    FROM first CROSS JOIN LATERAL (
        SELECT priority, since FROM windlass_ready
        WHERE windlass_ready.queue = first.queue AND windlass_ready.suspect = first.suspect
        AND windlass_ready.priority < first.priority
        ORDER BY priority DESC, since, seq LIMIT 1) AS ready
)
SELECT queue, (SELECT now FROM clock) - min(since) FROM first GROUP BY queue
