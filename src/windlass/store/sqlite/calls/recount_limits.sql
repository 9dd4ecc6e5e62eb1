-- 1. drifted
-- gives drifted
-- here drifted

-- 2. mend
-- Counts the running jobs of limited queues anew.
UPDATE windlass_gate SET running = (
    SELECT count(*) FROM windlass_job WHERE state = 'running' AND lease > '' AND windlass_gate.name IN ('*', queue))
