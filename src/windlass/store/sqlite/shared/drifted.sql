-- The counters of running jobs of limited queues that are wrong, rows of CounterDrift. A running job has a lease, whose index
-- knows all of them.
SELECT name, running, number FROM (
    SELECT name, running, (
        SELECT count(*) FROM windlass_job
        WHERE state = 'running' AND lease > '' AND windlass_gate.name IN ('*', queue)) AS number
    FROM windlass_gate)
WHERE running <> number ORDER BY name
