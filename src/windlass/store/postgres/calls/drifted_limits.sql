-- The counters of running jobs of limited queues that are wrong. A statement sees counters and jobs as of one instant, so
-- there is none unless something is wrong, and no claim is held up.
-- gives drifted
SELECT gate.name, gate.running, found.number
FROM windlass_gate AS gate CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM windlass_running AS running WHERE gate.name IN ('*', running.queue)) AS found
WHERE gate.running <> found.number ORDER BY gate.name
