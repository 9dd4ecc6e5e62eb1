-- 1. drifted
-- gives drifted
-- here drifted

-- 2. missing
-- A limit without its counter would not hold.
INSERT INTO windlass_gate (name, max_running, running)
SELECT name, max_running, 0 FROM windlass_queue
WHERE max_running IS NOT NULL AND name NOT IN (SELECT name FROM windlass_gate)

-- 3. mend
-- Counts the running jobs of limited queues anew.
UPDATE windlass_gate SET running = (
    SELECT count(*) FROM windlass_job WHERE state = 'running' AND lease > '' AND windlass_gate.name IN ('*', queue))
