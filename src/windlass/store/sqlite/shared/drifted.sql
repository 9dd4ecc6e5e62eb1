-- The counters of running jobs of limited queues that are wrong, rows of CounterDrift; null for one that is missing. A
-- running job has a lease, whose index knows all of them.
SELECT name, counted, number FROM (
    SELECT name, windlass_gate.running AS counted, (
        SELECT count(*) FROM windlass_job
        WHERE state = 'running' AND lease > '' AND limited.name IN ('*', queue)) AS number
    FROM (
        SELECT name FROM windlass_gate UNION SELECT name FROM windlass_queue WHERE max_running IS NOT NULL) AS limited
    LEFT JOIN windlass_gate USING (name))
WHERE counted IS NOT number ORDER BY name
