-- The counters of running jobs of limited queues that are wrong, null for one that is missing. A statement sees counters and
-- jobs as of one instant, so there is none unless something is wrong, and no claim is held up.
-- gives drifted
SELECT limited.name, limited.counted, found.number
FROM (
    SELECT name, gate.running AS counted FROM windlass_queue AS queue FULL JOIN windlass_gate AS gate USING (name)
    WHERE queue.max_running IS NOT NULL OR gate.running IS NOT NULL OFFSET 0
) AS limited CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM windlass_running AS running WHERE limited.name IN ('*', running.queue)) AS found
WHERE limited.counted IS DISTINCT FROM found.number ORDER BY limited.name
